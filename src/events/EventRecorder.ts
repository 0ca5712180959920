import { Context, Effect, Layer } from "effect";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { hears } from "../outbox/EventType.ts";
import { Outbox, type OutgoingEvent } from "../outbox/Outbox.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { isSameForAll, type MessageTexts } from "../notifications/templates/MessageTexts.ts";
import { type CreatedDelivery, Deliveries } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import type { Message } from "../sending/rendering/Message.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { type Recipient, Recipients } from "../sending/rendering/Recipients.ts";
import { utcText } from "../time/LocalTime.ts";
import { mapSliced } from "../workers/TimeSlices.ts";
import { dwellsOf } from "./Dwell.ts";
import { DwellsSql } from "./DwellsSql.ts";
import type { EventBatch, IncomingEvent, TriggeredMessage } from "./EventBatch.ts";
import { EventsSql, type Recorded, type TriggerMatch } from "./EventsSql.ts";
import { triggerSpan } from "./Transition.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";

/** A message that an event triggers for its device, before the frequency caps. */
interface PendingDelivery {
  readonly incomingEvent: IncomingEvent;
  readonly triggerMatch: TriggerMatch;
  readonly due: DueDelivery;
  /** The texts for the device; null if they cannot be rendered. */
  readonly texts: MessageTexts | null;
}

const pendingDeliveriesOf = (
  incomingEvent: IncomingEvent,
  device: Recorded,
): ReadonlyArray<PendingDelivery> => {
  if (device.obstacle !== null) return [];
  return incomingEvent.triggerMatches
    .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
    .map((triggerMatch) => ({
      incomingEvent,
      triggerMatch,
      due: dueDelivery(triggerMatch, incomingEvent, device),
      texts: triggerMatch,
    }));
};

/**
 * Records enters and exits, reported by devices or detected in their positions: stores them, updates where
 * the device is, and creates the deliveries they trigger through `sending/deliveries/Deliveries.ts`, which
 * applies the frequency caps.
 */
export class EventRecorder extends Context.Service<
  EventRecorder,
  {
    /** Finds the locations of a batch and the notifications that can fire there. */
    readonly locate: (batch: EventBatch) => Effect.Effect<void>;
    /**
     * Stores events, with the dwells that they begin, and creates the deliveries they trigger, in the current
     * transaction.
     */
    readonly write: (
      batch: EventBatch,
      events: ReadonlyArray<IncomingEvent>,
    ) => Effect.Effect<ReadonlyArray<TriggeredMessage>>;
  }
>()("waypost/events/EventRecorder") {
  static readonly layer = Layer.effect(
    EventRecorder,
    Effect.gen(function* () {
      const repository = yield* EventsSql;
      const deliveries = yield* Deliveries;
      const ids = yield* MessageIds;
      const outbox = yield* Outbox;
      const dwells = yield* DwellsSql;
      const recipients = yield* Recipients;
      const { media: mediaBase } = yield* PublicAddresses;

      /** Renders the texts of deliveries. Reads nothing if they are the same for all devices. */
      const render = Effect.fnUntraced(function* (pending: ReadonlyArray<PendingDelivery>) {
        const varying = pending.filter(({ triggerMatch }) => !isSameForAll(triggerMatch));
        if (varying.length === 0) return pending;
        const found = yield* recipients.of(varying.map(({ due }) => due));
        const byDelivery = new Map(varying.map((each, index) => [each, found[index]]));
        return yield* mapSliced(pending, (each) => rendered(each, byDelivery.get(each)));
      });

      return EventRecorder.of({
        locate: Effect.fnUntraced(function* (batch) {
          if (batch.locations.length === 0) return;
          batch.locate(yield* repository.locations(batch.locations, batch.span(triggerSpan)));
        }),

        write: Effect.fnUntraced(function* (batch, events) {
          const accepted = batch.record(events, yield* repository.record(events));
          const begun = accepted.flatMap(({ incomingEvent }) => dwellsOf(incomingEvent));
          if (begun.length > 0) yield* dwells.begin(begun);
          const pending = yield* render(
            accepted.flatMap(({ device, incomingEvent }) => pendingDeliveriesOf(incomingEvent, device)),
          );
          const created = yield* deliveries.create(pending.map(({ due }) => due));
          yield* outbox.record([
            ...accepted.flatMap(({ incomingEvent }) => transitionEvents(incomingEvent)),
            ...pending.flatMap((pendingDelivery, index) =>
              deliveryEvents(pendingDelivery, created[index] ?? null),
            ),
          ]);
          return pending.flatMap((pendingDelivery, index): Array<TriggeredMessage> => {
            const delivery = created[index] ?? null;
            const { due, texts } = pendingDelivery;
            if (delivery === null || texts === null) return [];
            const id = ids.idOf({ sourceId: delivery.sourceId, deviceKey: due.deviceKey });
            const message = toMessage(id, pendingDelivery, texts, delivery, mediaBase);
            return [{ incomingEvent: pendingDelivery.incomingEvent, message }];
          });
        }),
      });
    }),
  ).pipe(Layer.provide([EventsSql.layer, DwellsSql.layer, MessageIds.layer, Recipients.layer]));
}

/** The event about an enter or exit, if a webhook listens. */
const transitionEvents = (incomingEvent: IncomingEvent): ReadonlyArray<OutgoingEvent> => {
  const { environment, receivedAt, webhookEvents, workspaceId } = incomingEvent;
  const type = incomingEvent.type === "enter" ? "location.entered" : "location.exited";
  if (!hears(webhookEvents, type)) return [];
  const data = {
    id: incomingEvent.id,
    type: incomingEvent.type,
    location_id: incomingEvent.locationId,
    device_id: incomingEvent.deviceId,
    occurred_at: utcText(incomingEvent.occurredAt),
  };
  return [{ workspaceId, environment, type, at: receivedAt, data }];
};

/** The event about a delivery whose outcome is known at once, if a webhook listens. */
const deliveryEvents = (
  { due, incomingEvent }: PendingDelivery,
  delivery: CreatedDelivery | null,
): ReadonlyArray<OutgoingEvent> => {
  if (delivery?.status !== "delivered" && delivery?.status !== "failed") return [];
  const type = `message.${delivery.status}` as const;
  if (!hears(incomingEvent.webhookEvents, type)) return [];
  const { deviceKey, environment, now, workspaceId } = due;
  return [{ workspaceId, environment, type, at: now, sourceId: delivery.sourceId, deviceKey }];
};

/** A delivery with the texts for its recipient. */
const rendered = (pending: PendingDelivery, recipient: Recipient | undefined): PendingDelivery => {
  if (recipient === undefined) return pending;
  const { due, triggerMatch } = pending;
  const result = recipient.render(triggerMatch);
  return result._tag === "Rendered"
    ? {
        ...pending,
        texts: result.texts,
        due: { ...due, recipient: recipient.kept(triggerMatch, result.variables) },
      }
    : { ...pending, texts: null, due: { ...due, failure: result.reason } };
};

const toMessage = (
  id: string,
  { due, triggerMatch }: PendingDelivery,
  { body, cta_label, cta_url, headline, questions }: MessageTexts,
  { status }: CreatedDelivery,
  mediaBase: string,
): Message => ({
  id,
  campaign_id: triggerMatch.campaign_id,
  notification_id: triggerMatch.notification_id,
  type: triggerMatch.type,
  headline,
  body,
  media: shownMedia(mediaBase, triggerMatch.media),
  cta_label,
  cta_url,
  questions,
  delivered_at: status === "delivered" ? utcText(due.now) : null,
  opened_at: null,
  clicked_at: null,
});
