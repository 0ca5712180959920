import { shownMedia } from "../media/MediaAddress.ts";
import { forApp } from "../notifications/push/PushOptions.ts";
import { type MessageTexts, ownTexts } from "../notifications/templates/MessageTexts.ts";
import { wordsOf } from "../sending/arms/Experiment.ts";
import type { UnitArm } from "../sending/arms/Experiments.ts";
import type { CreatedDelivery } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import type { Message } from "../sending/rendering/Message.ts";
import { utcText } from "../time/LocalTime.ts";
import type { IncomingEvent } from "./EventBatch.ts";
import type { Recorded } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";

/** A notification that an event triggers for its device. */
export interface FiredMatch {
  readonly incomingEvent: IncomingEvent;
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

/** The notifications that an event triggers. */
export const firedBy = (incomingEvent: IncomingEvent, device: Recorded): ReadonlyArray<FiredMatch> =>
  device.obstacle !== null
    ? []
    : incomingEvent.triggerMatches
        .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
        .map((triggerMatch) => ({ incomingEvent, device, triggerMatch }));

/** A notification with the words of an arm. */
export const inArm = (triggerMatch: TriggerMatch, arm: Parameters<typeof wordsOf>[1]) => {
  const variantTexts = triggerMatch.variants.length === 0 ? null : wordsOf(triggerMatch.variants, arm);
  return variantTexts === null ? triggerMatch : { ...triggerMatch, variantTexts };
};

/** The message of a notification in the arm of its device; null without an experiment. */
export const pendingDeliveryOf = (
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

/** The facts that its arm depends on. */
export const experimentSubject = ({ device, incomingEvent, triggerMatch }: FiredMatch) => ({
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

const mediaOf = ({ media }: TriggerMatch, words: TriggerMatch["variants"][number] | null) =>
  words !== null && words.media_asset_id !== null ? words.media : media;

/** The message as the response to the event shows it. */
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
