import { shownMedia } from "../media/MediaAddress.ts";
import { forApp } from "../notifications/push/PushOptions.ts";
import type { MessageTexts } from "../notifications/templates/MessageTexts.ts";
import { hears } from "../outbox/EventType.ts";
import type { OutgoingEvent } from "../outbox/Outbox.ts";
import type { ExperimentSubject, UnitArm } from "../sending/arms/Experiments.ts";
import type { CreatedDelivery } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import type { Message } from "../sending/rendering/Message.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Recorded } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import type { WantedWords } from "./words/EventWords.ts";
import type { MessageWords } from "./words/MessageWords.ts";
import { type IncomingEvent, isTransition } from "./IncomingEvent.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";

/** A notification that an event triggers for a device. */
export interface FiredMatch {
  readonly incomingEvent: IncomingEvent;
  readonly deviceKey: DeviceKey;
  readonly device: Recorded;
  readonly triggerMatch: TriggerMatch;
}

/** A message that an event triggers for its device, before the frequency caps. */
export interface PendingDelivery {
  readonly incomingEvent: IncomingEvent;
  readonly triggerMatch: TriggerMatch;
  readonly due: DueDelivery;
  readonly words: MessageWords;
}

/** The device that gets a message of an event; null for none. */
const receiverOf = (event: IncomingEvent, triggerMatch: TriggerMatch): DeviceKey | null =>
  isTransition(event) ? event.deviceKey : (event.receivers.get(triggerMatch) ?? null);

/** The notifications that a recorded event triggers, each with the device that gets it. */
export const firedBy = (incomingEvent: IncomingEvent, device: Recorded): ReadonlyArray<FiredMatch> =>
  incomingEvent.triggerMatches
    .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
    .flatMap((triggerMatch): ReadonlyArray<FiredMatch> => {
      const deviceKey = receiverOf(incomingEvent, triggerMatch);
      if (deviceKey === null) return [];
      const receiver = isTransition(incomingEvent) ? device : incomingEvent.recorded.get(deviceKey);
      if (receiver === undefined || receiver.obstacle !== null) return [];
      return [{ incomingEvent, deviceKey, device: receiver, triggerMatch }];
    });

/** The message of a notification in the arm of its device; null without an experiment. */
export const pendingDeliveryOf = (
  { device, deviceKey, incomingEvent, triggerMatch }: FiredMatch,
  arm: UnitArm | null,
  words: MessageWords,
): PendingDelivery => {
  const due = dueDelivery(triggerMatch, { ...incomingEvent, deviceKey }, device);
  const { failure, kept: recipient } = words;
  return { incomingEvent, triggerMatch, due: { ...due, arm, failure, recipient }, words };
};

/** The words of a message that are made; undefined for none in this arm. */
export const wordsIn = (
  { incomingEvent, triggerMatch }: FiredMatch,
  arm: UnitArm | null,
): MessageWords | undefined => {
  const words = incomingEvent.words.get(triggerMatch);
  // The person of the device or the experiment may have changed since they were made.
  return words?.variant === (arm?.variant ?? arm?.winner ?? null) ? words : undefined;
};

/** The facts that its arm depends on. A device other than that of the event has a person. */
export const experimentSubject = ({
  device,
  deviceKey,
  incomingEvent,
  triggerMatch,
}: FiredMatch): ExperimentSubject => ({
  workspaceId: incomingEvent.workspaceId,
  environment: incomingEvent.environment,
  deviceId: incomingEvent.deviceId,
  deviceKey,
  userId: device.user_id,
  userKey: device.user_key,
  campaignKey: triggerMatch.campaign_key,
  notificationKey: triggerMatch.notification_key,
  notificationId: triggerMatch.notification_id,
});

/** The words of a message of an event for a device. */
export const wantedWords = (
  incomingEvent: IncomingEvent,
  triggerMatch: TriggerMatch,
  deviceKey: DeviceKey,
): WantedWords => {
  const { deviceId, environment, locationKey, receivedAt: now, workspaceId } = incomingEvent;
  const event = isTransition(incomingEvent) ? null : incomingEvent.properties;
  const campaignKey = triggerMatch.campaign_key;
  const key = { workspaceId, environment, deviceKey, locationKey, campaignKey, event, recipient: null, now };
  return { ...key, triggerMatch, deviceId };
};

/** The words that an event needs before it is stored: those in an arm that is not known yet come with it. */
export const earlyWords = (event: IncomingEvent): ReadonlyArray<WantedWords> =>
  event.triggerMatches.flatMap((triggerMatch) => {
    const isEarly = triggerMatch.varies || triggerMatch.experiment === null;
    const deviceKey = isEarly && canFire(triggerMatch, event) ? receiverOf(event, triggerMatch) : null;
    return deviceKey === null ? [] : [wantedWords(event, triggerMatch, deviceKey)];
  });

/** The event about a delivery whose outcome is known at once, if a webhook listens. */
export const deliveryEvents = (
  { due, incomingEvent }: PendingDelivery,
  delivery: CreatedDelivery | null,
): ReadonlyArray<OutgoingEvent> => {
  if (delivery?.status !== "delivered" && delivery?.status !== "failed") return [];
  const type = `message.${delivery.status}` as const;
  if (!hears(incomingEvent.webhookEvents, type)) return [];
  const { deviceKey, environment, now, workspaceId } = due;
  return [{ workspaceId, environment, type, at: now, sourceId: delivery.sourceId, deviceKey }];
};

/** The message of a created delivery, as its device gets it. */
export const toMessage = (
  id: string,
  { due, triggerMatch, words }: PendingDelivery,
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
  media: shownMedia(mediaBase, words.media),
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
