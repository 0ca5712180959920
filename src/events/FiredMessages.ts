import { Effect } from "effect";
import { shownMedia } from "../media/MediaAddress.ts";
import type { Properties } from "../notifications/EventFacts.ts";
import { forApp } from "../notifications/push/PushOptions.ts";
import { hears } from "../outbox/EventType.ts";
import { Outbox, type OutgoingEvent } from "../outbox/Outbox.ts";
import { Experiments, type UnitArm } from "../sending/arms/Experiments.ts";
import { cooldownStart } from "../sending/deliveries/Cooldown.ts";
import { type CreatedDelivery, Deliveries } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import { capWindow } from "../sending/deliveries/FrequencyCap.ts";
import type { Message } from "../sending/rendering/Message.ts";
import { utcText } from "../time/LocalTime.ts";
import { effectiveQuietHours, quietAt } from "../workspaces/QuietHours.ts";
import type { Located, Recorded } from "./EventStages.ts";
import type { LockedDevice } from "./LockedDevicesSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { eventWords, noWords, type WantedWords } from "./words/EventWords.ts";
import type { MessageWords } from "./words/MatchContents.ts";

/** The device, the location and the time of a message, with the limits of its environment. */
type MessageSubject = Pick<
  Located,
  | "workspaceId"
  | "environment"
  | "deviceKey"
  | "deviceId"
  | "locationKey"
  | "webhookEvents"
  | "defaultCap"
  | "defaultQuietHours"
  | "isPaced"
  | "receivedAt"
> & {
  /** The properties of its custom event. */
  readonly properties?: Properties | undefined;
};

/** A notification that fires for a device, whose row is locked. */
export interface FiredMessage {
  readonly subject: MessageSubject;
  readonly match: TriggerMatch;
  readonly device: LockedDevice;
  /** Its words if they are made: the arm of its unit may be another one. */
  readonly words?: MessageWords | undefined;
}

/** A message that fired, with its delivery; null for one that is not created. */
export interface CreatedMessage {
  readonly due: DueDelivery;
  readonly words: MessageWords;
  readonly delivery: CreatedDelivery | null;
}

/** The messages that a recorded event fires. */
export const firedBy = (event: Recorded) =>
  event.messages.flatMap(({ deviceKey, match, words }) => {
    const device = event.devices.get(deviceKey);
    if (device === undefined || device.obstacle !== null) return [];
    return [{ subject: { ...event, deviceKey }, match, device, words }];
  });

/**
 * Makes the function that creates the deliveries of messages, within frequency caps, cooldowns and quiet
 * hours: with the arms of their units, the words that are not made, and the events about them, which it
 * records after those that are given. Returns the messages in their order.
 */
export const firedMessages = Effect.gen(function* () {
  const deliveries = yield* Deliveries;
  const experiments = yield* Experiments;
  const outbox = yield* Outbox;
  const wordsOf = yield* eventWords;

  return Effect.fnUntraced(function* (
    fired: ReadonlyArray<FiredMessage>,
    events: ReadonlyArray<OutgoingEvent>,
  ) {
    const plain = fired.map((each) => ({ ...each, due: dueDelivery(each) }));
    const experimental = plain.filter(({ match }) => match.experiment !== null);
    const assigned = yield* experiments.arms(
      experimental.map(({ device, due, match, subject: { deviceId } }) => ({
        ...due,
        deviceId,
        userId: device.user_id,
        notificationId: match.notification_id,
      })),
    );
    const arms = new Map(experimental.map((each, index) => [each, assigned[index] ?? null]));
    // The person of the device or the experiment may have changed since words were made.
    const missing = plain.filter((each) => each.words?.variant !== variantOf(arms.get(each)));
    const made = yield* wordsOf(
      missing.map((each) => ({
        ...wantedWords(each.subject, each.match),
        arm: arms.get(each) ?? null,
      })),
      true,
    );
    const late = new Map(missing.map((each, index) => [each, made[index]]));
    const pending = plain.map((each) => {
      const words = late.get(each) ?? each.words ?? noWords;
      const { failure, kept: recipient } = words;
      return { words, due: { ...each.due, arm: arms.get(each) ?? null, failure, recipient } };
    });
    const created = yield* deliveries.create(pending.map(({ due }) => due));
    const messages = pending.map((each, index) => ({ ...each, delivery: created[index] ?? null }));
    const about = fired.flatMap(({ subject }, index) => deliveryEvents(subject, messages[index]));
    yield* outbox.record([...events, ...about]);
    return messages;
  });
});

/** The variant whose words a message has in an arm. */
const variantOf = (arm: UnitArm | null | undefined): string | null => arm?.variant ?? arm?.winner ?? null;

/** The words of a message for its device. */
export const wantedWords = (subject: MessageSubject, match: TriggerMatch): WantedWords => {
  const { deviceId, deviceKey, environment, locationKey, properties, receivedAt: now, workspaceId } = subject;
  const key = { workspaceId, environment, deviceKey, locationKey, campaignKey: match.campaign_key, now };
  return { ...key, event: properties ?? null, recipient: null, match, deviceId };
};

/** The delivery of a message, without its arm and its words. */
const dueDelivery = ({ device, match, subject }: FiredMessage): DueDelivery => ({
  workspaceId: subject.workspaceId,
  environment: subject.environment,
  deviceKey: subject.deviceKey,
  transport: device.transport,
  userKey: device.user_key,
  sharedBy: match.cap_by === "user" ? device.user_key : null,
  campaignKey: match.campaign_key,
  notificationKey: match.notification_key,
  contentKey: match.content_key,
  contentType: match.type,
  triggerType: match.trigger_type,
  locationKey: subject.locationKey,
  cap: capWindow(match.cap, subject.defaultCap, match.timezone, subject.receivedAt),
  failure: null,
  isPaced: subject.isPaced,
  recipient: null,
  arm: null,
  cooldownSince: cooldownStart(match.cooldown_minutes, subject.receivedAt),
  quiet: quietAt(
    effectiveQuietHours(match.quiet_hours, subject.defaultQuietHours),
    device.timezone ?? match.timezone,
    subject.receivedAt,
  ),
  now: subject.receivedAt,
});

/** The event about a delivery whose outcome is known at once, if a webhook listens. */
const deliveryEvents = (
  { deviceKey, environment, receivedAt: at, webhookEvents, workspaceId }: MessageSubject,
  message: CreatedMessage | undefined,
): ReadonlyArray<OutgoingEvent> => {
  const { sourceId, status } = message?.delivery ?? {};
  if (sourceId === undefined || (status !== "delivered" && status !== "failed")) return [];
  const type = `message.${status}` as const;
  return hears(webhookEvents, type) ? [{ workspaceId, environment, type, at, sourceId, deviceKey }] : [];
};

/** The message of a delivery, as its device gets it; null for one without texts. */
export const toMessage = (
  id: string,
  match: TriggerMatch,
  { delivery, due, words: { media, texts } }: CreatedMessage,
  mediaBase: string,
): Message | null => {
  if (texts === null) return null;
  const { body, cta_label, cta_url, headline, push, questions } = texts;
  return {
    id,
    campaign_id: match.campaign_id,
    notification_id: match.notification_id,
    type: match.type,
    headline,
    body,
    media: shownMedia(mediaBase, media),
    cta_label,
    cta_url,
    questions,
    ...forApp(push),
    ...(push?.silent === true && { silent: true }),
    variant: due.arm?.variant ?? null,
    delivered_at: delivery?.status === "delivered" ? utcText(due.now) : null,
    opened_at: null,
    clicked_at: null,
  };
};
