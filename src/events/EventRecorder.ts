import { Context, Effect, Layer } from "effect";
import { TakesLong } from "../database/Batched.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { Conversions, type ReachedGoal } from "../experiments/Conversions.ts";
import { hears } from "../outbox/EventType.ts";
import { Outbox, type OutgoingEvent } from "../outbox/Outbox.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { forApp } from "../notifications/push/PushOptions.ts";
import {
  isSameForAllVariants,
  type MessageTexts,
  ownTexts,
} from "../notifications/templates/MessageTexts.ts";
import { unitKeyOf, unitOf } from "../sending/arms/Arm.ts";
import { armOf, wordsOf } from "../sending/arms/Experiment.ts";
import { Experiments, type UnitArm } from "../sending/arms/Experiments.ts";
import { type CreatedDelivery, Deliveries } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import type { Message } from "../sending/rendering/Message.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { type Recipient, Recipients } from "../sending/rendering/Recipients.ts";
import { utcText } from "../time/LocalTime.ts";
import { Stopwatch, timeSlices } from "../workers/TimeSlices.ts";
import { dwellsOf } from "./Dwell.ts";
import { DwellsSql } from "./DwellsSql.ts";
import type {
  AcceptedEvent,
  EventBatch,
  IncomingEvent,
  RenderedMessage,
  TriggeredMessage,
} from "./EventBatch.ts";
import { EventsSql, type Recorded, type TriggerMatch } from "./EventsSql.ts";
import { triggerSpan } from "./Transition.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";

/** A notification that an event triggers for its device. */
interface FiredMatch {
  readonly incomingEvent: IncomingEvent;
  readonly device: Recorded;
  readonly triggerMatch: TriggerMatch;
}

/** A message that an event triggers for its device, before the frequency caps. */
interface PendingDelivery {
  readonly incomingEvent: IncomingEvent;
  readonly triggerMatch: TriggerMatch;
  readonly due: DueDelivery;
  /** The texts for the device; null if they cannot be rendered. */
  readonly texts: MessageTexts | null;
}

const firedBy = (incomingEvent: IncomingEvent, device: Recorded): ReadonlyArray<FiredMatch> =>
  device.obstacle !== null
    ? []
    : incomingEvent.triggerMatches
        .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
        .map((triggerMatch) => ({ incomingEvent, device, triggerMatch }));

/** A notification with the words of an arm. */
const inArm = (triggerMatch: TriggerMatch, arm: Parameters<typeof wordsOf>[1]) => {
  const variantTexts = triggerMatch.variants.length === 0 ? null : wordsOf(triggerMatch.variants, arm);
  return variantTexts === null ? triggerMatch : { ...triggerMatch, variantTexts };
};

/** The goals that an enter meets. */
const visitsOf = ({ device, incomingEvent }: AcceptedEvent): ReadonlyArray<ReachedGoal> => {
  const { deviceKey, environment, goalCampaigns, occurredAt, workspaceId } = incomingEvent;
  const unitKey = unitKeyOf(deviceKey, device.user_key);
  return goalCampaigns.map((campaignKey) => ({
    workspaceId,
    environment,
    campaignKey,
    unitKey,
    goal: "visit",
    at: occurredAt,
  }));
};

const pendingDeliveryOf = (
  { device, incomingEvent, triggerMatch }: FiredMatch,
  arm: UnitArm | null,
): PendingDelivery => {
  const due = { ...dueDelivery(triggerMatch, incomingEvent, device), arm };
  const source = inArm(triggerMatch, arm);
  const rendered = incomingEvent.texts.get(triggerMatch);
  if (rendered === undefined) return { incomingEvent, triggerMatch, due, texts: ownTexts(source) };
  const { recipient, words } = rendered;
  // The person of the device or the experiment may have changed since it was rendered.
  const isSame = words === (arm?.variant ?? arm?.winner ?? null);
  const result = isSame ? rendered.result : recipient.render(source);
  if (result._tag === "Failed")
    return { incomingEvent, triggerMatch, due: { ...due, failure: result.reason }, texts: null };
  const kept = recipient.kept(source, result.variables);
  return { incomingEvent, triggerMatch, due: { ...due, recipient: kept }, texts: result.texts };
};

const experimentSubject = ({ device, incomingEvent, triggerMatch }: FiredMatch) => ({
  workspaceId: incomingEvent.workspaceId,
  environment: incomingEvent.environment,
  deviceId: incomingEvent.deviceId,
  deviceKey: incomingEvent.deviceKey,
  userId: device.user_id,
  userKey: device.user_key,
  campaignKey: triggerMatch.campaign_key,
  notificationKey: triggerMatch.notification_key,
  notificationId: triggerMatch.notification_id,
});

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
          yield* conversions.convert(accepted.flatMap(visitsOf));
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

const mediaOf = ({ media }: TriggerMatch, words: TriggerMatch["variants"][number] | null) =>
  words !== null && words.media_asset_id !== null ? words.media : media;

const toMessage = (
  id: string,
  { due, triggerMatch }: PendingDelivery,
  { body, cta_label, cta_url, headline, push, questions }: MessageTexts,
  { status }: CreatedDelivery,
  mediaBase: string,
): Message => ({
  id,
  campaign_id: triggerMatch.campaign_id,
  notification_id: triggerMatch.notification_id,
  type: triggerMatch.type,
  headline,
  body,
  media: shownMedia(mediaBase, mediaOf(triggerMatch, wordsOf(triggerMatch.variants, due.arm))),
  cta_label,
  cta_url,
  questions,
  ...forApp(push),
  ...(push?.silent === true && { silent: true }),
  variant: due.arm?.variant ?? null,
  delivered_at: status === "delivered" ? utcText(due.now) : null,
  opened_at: null,
  clicked_at: null,
});
