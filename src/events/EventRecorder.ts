import { Context, Effect, Layer } from "effect";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { hears } from "../outbox/EventType.ts";
import { Outbox, type OutgoingEvent } from "../outbox/Outbox.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { type CreatedDelivery, Deliveries } from "../sending/Deliveries.ts";
import type { DueDelivery } from "../sending/Delivery.ts";
import type { Message } from "../sending/Message.ts";
import { MessageIds } from "../sending/MessageId.ts";
import { utcText } from "../time/LocalTime.ts";
import type { EventBatch, IncomingEvent, TriggeredMessage } from "./EventBatch.ts";
import { EventsSql, type Recorded, type TriggerMatch } from "./EventsSql.ts";
import { triggerSpan } from "./Transition.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";

/** A message that an event triggers for its device, before the frequency caps. */
interface PendingDelivery {
  readonly incomingEvent: IncomingEvent;
  readonly triggerMatch: TriggerMatch;
  readonly due: DueDelivery;
}

const pendingDeliveriesOf = (
  incomingEvent: IncomingEvent,
  { address_gone, approved, subscribed, transport }: Recorded,
): ReadonlyArray<PendingDelivery> => {
  const isReachable = !address_gone && subscribed && (approved || incomingEvent.environment === "production");
  if (!isReachable) return [];
  return incomingEvent.triggerMatches
    .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
    .map((triggerMatch) => ({
      incomingEvent,
      triggerMatch,
      due: dueDelivery(triggerMatch, incomingEvent, transport),
    }));
};

/**
 * Records enters and exits, reported by devices or detected in their positions: stores them, updates where
 * the device is, and creates the deliveries they trigger through `sending/Deliveries.ts`, which applies the
 * frequency caps.
 */
export class EventRecorder extends Context.Service<EventRecorder>()("waypost/events/EventRecorder", {
  make: Effect.gen(function* () {
    const repository = yield* EventsSql;
    const deliveries = yield* Deliveries;
    const ids = yield* MessageIds;
    const outbox = yield* Outbox;
    const { media: mediaBase } = yield* PublicAddresses;

    return {
      /** Finds the locations of a batch and the notifications that can fire there. */
      locate: Effect.fnUntraced(function* (batch: EventBatch) {
        if (batch.locations.length === 0) return;
        batch.locate(yield* repository.locations(batch.locations, batch.span(triggerSpan)));
      }),

      /** Stores events and creates the deliveries they trigger, in the current transaction. */
      write: Effect.fnUntraced(function* (batch: EventBatch, events: ReadonlyArray<IncomingEvent>) {
        const accepted = batch.record(events, yield* repository.record(events));
        const pending = accepted.flatMap(({ device, incomingEvent }) =>
          pendingDeliveriesOf(incomingEvent, device),
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
          if (delivery === null) return [];
          const message = toMessage(
            ids.idOf({ sourceId: delivery.sourceId, deviceKey: pendingDelivery.due.deviceKey }),
            pendingDelivery,
            delivery,
            mediaBase,
          );
          return [{ incomingEvent: pendingDelivery.incomingEvent, message }];
        });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(EventRecorder, EventRecorder.make).pipe(
    Layer.provide([EventsSql.layer, MessageIds.layer]),
  );
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

const toMessage = (
  id: string,
  { due, triggerMatch }: PendingDelivery,
  { status }: CreatedDelivery,
  mediaBase: string,
): Message => ({
  id,
  campaign_id: triggerMatch.campaign_id,
  notification_id: triggerMatch.notification_id,
  type: triggerMatch.type,
  headline: triggerMatch.headline,
  body: triggerMatch.body,
  media: shownMedia(mediaBase, triggerMatch.media),
  cta_label: triggerMatch.cta_label,
  cta_url: triggerMatch.cta_url,
  questions: triggerMatch.questions,
  delivered_at: status === "delivered" ? utcText(due.now) : null,
  opened_at: null,
  clicked_at: null,
});
