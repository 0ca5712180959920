import { Context, Effect, Layer } from "effect";
import { TakesLong } from "../database/Batched.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { Conversions } from "../experiments/Conversions.ts";
import { hears } from "../outbox/EventType.ts";
import { Outbox, type OutgoingEvent } from "../outbox/Outbox.ts";
import { isSameForAllVariants } from "../notifications/templates/MessageTexts.ts";
import { unitOf } from "../sending/arms/Arm.ts";
import { armOf } from "../sending/arms/Experiment.ts";
import { Experiments } from "../sending/arms/Experiments.ts";
import { type CreatedDelivery, Deliveries } from "../sending/deliveries/Deliveries.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { type Recipient, Recipients } from "../sending/rendering/Recipients.ts";
import { utcText } from "../time/LocalTime.ts";
import { Stopwatch, timeSlices } from "../workers/TimeSlices.ts";
import { dwellsOf } from "./Dwell.ts";
import { DwellsSql } from "./DwellsSql.ts";
import type { EventBatch, IncomingEvent, RenderedMessage, TriggeredMessage } from "./EventBatch.ts";
import { EventsSql } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import {
  experimentSubject,
  firedBy,
  inArm,
  type PendingDelivery,
  pendingDeliveryOf,
  toMessage,
} from "./PendingDelivery.ts";
import { triggerSpan } from "./Transition.ts";
import { visitGoals } from "./VisitGoals.ts";
import { canFire } from "./TriggerRule.ts";

/** The messages of an event that vary by device. Their texts are the event's, once they are rendered. */
const varyingMessages = (incomingEvent: IncomingEvent) => {
  const varying = incomingEvent.triggerMatches.filter(
    (triggerMatch) => !isSameForAllVariants(triggerMatch) && canFire(triggerMatch, incomingEvent),
  );
  if (varying.length === 0) return [];
  const texts = new Map<TriggerMatch, RenderedMessage>();
  incomingEvent.texts = texts;
  const { deviceId, deviceKey, environment, locationKey, receivedAt, workspaceId } = incomingEvent;
  return varying.map((triggerMatch) => ({
    triggerMatch,
    texts,
    deviceId,
    recipient: null,
    now: receivedAt,
    workspaceId,
    environment,
    deviceKey,
    locationKey,
    campaignKey: triggerMatch.campaign_key,
  }));
};

/** How long the messages of a workspace may take to render in a batch with others, in milliseconds. */
const maxSharedMillis = 20;

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
     * Renders the messages that events can trigger, in time slices. Reported events are rendered before their
     * transaction, so that it waits for no template: the device is read after its request came and before
     * its event is stored, so the texts are those of a moment of the request. Fails a batch of several
     * workspaces by `TakesLong` if the messages of one take long; `isAlone` says that there is one only.
     */
    readonly render: (events: ReadonlyArray<IncomingEvent>, isAlone: boolean) => Effect.Effect<void>;
    /**
     * Stores events, with the dwells that they begin, and creates the deliveries they trigger, in the current
     * transaction. Their messages are rendered.
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
      const conversions = yield* Conversions;
      const recipients = yield* Recipients;
      const experiments = yield* Experiments;
      const { media: mediaBase } = yield* PublicAddresses;

      return EventRecorder.of({
        locate: Effect.fnUntraced(function* (batch) {
          if (batch.locations.length === 0) return;
          batch.locate(yield* repository.locations(batch.locations, batch.span(triggerSpan)));
        }),

        render: Effect.fnUntraced(function* (events, isAlone) {
          const varying = events.flatMap(varyingMessages);
          if (varying.length === 0) return;
          // One content after the other: each is parsed once, even if the cache cannot hold all of them.
          varying.sort((one, other) => one.triggerMatch.content_key - other.triggerMatch.content_key);
          const found = yield* recipients.of(varying);
          const now = yield* Stopwatch;
          const yieldIfLong = timeSlices();
          const millis = new Map<number, number>();
          for (const [index, { deviceId, texts, triggerMatch, workspaceId }] of varying.entries()) {
            const recipient = found[index] as Recipient;
            const since = now();
            const { experiment, notification_id: id, variants } = triggerMatch;
            const unit = unitOf(deviceId, recipient.userId);
            const arm = experiment === null ? null : armOf(experiment, id, variants, unit);
            const result = recipient.render(inArm(triggerMatch, arm));
            texts.set(triggerMatch, { recipient, result, words: arm?.variant ?? arm?.winner ?? null });
            millis.set(workspaceId, (millis.get(workspaceId) ?? 0) + now() - since);
            if (!isAlone && (millis.get(workspaceId) ?? 0) > maxSharedMillis)
              return yield* Effect.die(new TakesLong(workspaceId));
            yield* yieldIfLong;
          }
        }),

        write: Effect.fnUntraced(function* (batch, events) {
          const accepted = batch.record(events, yield* repository.record(events));
          // Before anybody is enrolled: the visit that triggers a message is no conversion of it.
          yield* conversions.convert(accepted.flatMap(visitGoals));
          const begun = accepted.flatMap(({ incomingEvent }) => dwellsOf(incomingEvent));
          if (begun.length > 0) yield* dwells.begin(begun);
          const fired = accepted.flatMap(({ device, incomingEvent }) => firedBy(incomingEvent, device));
          const experimental = fired.filter(({ triggerMatch }) => triggerMatch.experiment !== null);
          const assigned = yield* experiments.arms(experimental.map(experimentSubject));
          const arms = new Map(experimental.map((each, index) => [each, assigned[index] ?? null]));
          const pending = fired.map((each) => pendingDeliveryOf(each, arms.get(each) ?? null));
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
  ).pipe(
    Layer.provide([EventsSql.layer, DwellsSql.layer, MessageIds.layer, Recipients.layer, Experiments.layer]),
    Layer.provide(Conversions.layer),
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
