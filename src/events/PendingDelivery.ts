import { shownMedia } from "../media/MediaAddress.ts";
import { forApp } from "../notifications/push/PushOptions.ts";
import {
  isSameForAllVariants,
  type MessageTexts,
  ownTexts,
} from "../notifications/templates/MessageTexts.ts";
import { hears } from "../outbox/EventType.ts";
import type { OutgoingEvent } from "../outbox/Outbox.ts";
import { wordsOf } from "../sending/arms/Experiment.ts";
import type { ExperimentSubject, UnitArm } from "../sending/arms/Experiments.ts";
import type { CreatedDelivery } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import type { Message } from "../sending/rendering/Message.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Recorded } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { type IncomingEvent, isTransition, type RenderedMessage } from "./IncomingEvent.ts";
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
  /** The texts for the device; null if they cannot be rendered. */
  readonly texts: MessageTexts | null;
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

/** A notification with the words of an arm. */
export const inArm = (triggerMatch: TriggerMatch, arm: Parameters<typeof wordsOf>[1]) => {
  const variantTexts = triggerMatch.variants.length === 0 ? null : wordsOf(triggerMatch.variants, arm);
  return variantTexts === null ? triggerMatch : { ...triggerMatch, variantTexts };
};

/** The message of a notification in the arm of its device; null without an experiment. */
export const pendingDeliveryOf = (
  { device, deviceKey, incomingEvent, triggerMatch }: FiredMatch,
  arm: UnitArm | null,
): PendingDelivery => {
  const due = { ...dueDelivery(triggerMatch, { ...incomingEvent, deviceKey }, device), arm };
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

/** The messages of an event that vary by device. Their texts are the event's, once they are rendered. */
export const varyingMessages = (incomingEvent: IncomingEvent) => {
  const varying = incomingEvent.triggerMatches.filter(
    (triggerMatch) => !isSameForAllVariants(triggerMatch) && canFire(triggerMatch, incomingEvent),
  );
  if (varying.length === 0) return [];
  const texts = new Map<TriggerMatch, RenderedMessage>();
  incomingEvent.texts = texts;
  const { deviceId, environment, locationKey, receivedAt, workspaceId } = incomingEvent;
  const event = isTransition(incomingEvent) ? null : incomingEvent.properties;
  return varying.flatMap((triggerMatch) => {
    const deviceKey = receiverOf(incomingEvent, triggerMatch);
    if (deviceKey === null) return [];
    const campaignKey = triggerMatch.campaign_key;
    const key = { workspaceId, environment, deviceKey, locationKey, campaignKey, event };
    return [{ triggerMatch, texts, deviceId, recipient: null, now: receivedAt, ...key }];
  });
};

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

const mediaOf = ({ media }: TriggerMatch, words: TriggerMatch["variants"][number] | null) =>
  words !== null && words.media_asset_id !== null ? words.media : media;

/** The message of a created delivery, as its device gets it. */
export const toMessage = (
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
