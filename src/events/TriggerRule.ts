import { isWithin } from "../campaigns/CampaignStatus.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import { cooldownStart } from "../sending/deliveries/Cooldown.ts";
import { capWindow } from "../sending/deliveries/FrequencyCap.ts";
import { effectiveQuietHours, quietAt } from "../workspaces/QuietHours.ts";
import type { IncomingEvent } from "./IncomingEvent.ts";
import type { Recorded } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { isRecent, triggerOf } from "./Transition.ts";

/** The device and location of an event, null for none, and when its notifications fire. */
type EventSubject = Pick<
  IncomingEvent,
  | "workspaceId"
  | "environment"
  | "deviceKey"
  | "locationKey"
  | "defaultCap"
  | "defaultQuietHours"
  | "isPaced"
  | "receivedAt"
>;

/** Whether an instant lies within the campaign and the window of a notification. */
export const isInTime = (
  { campaign_ends, campaign_starts, window_ends, window_starts }: TriggerMatch,
  at: number,
): boolean =>
  isWithin({ startsAt: campaign_starts, endsAt: campaign_ends }, at) &&
  isWithin({ startsAt: window_starts ?? -Infinity, endsAt: window_ends }, at);

/** Whether a notification can fire at an instant: it is in its time, and its campaign is not paused. */
export const isOpenAt = (triggerMatch: TriggerMatch, at: number): boolean =>
  !triggerMatch.paused && isInTime(triggerMatch, at);

/** The minutes that an on_event notification waits after its event; 0 for others. */
const delayOf = ({ event }: TriggerMatch): number => event?.delayMinutes ?? 0;

/** Whether a notification fires at once for an event, which was reported in time (contract L1). */
export const canFire = (
  triggerMatch: TriggerMatch,
  { occurredAt, receivedAt, type }: IncomingEvent,
): boolean =>
  triggerMatch.trigger_type === (type === "custom" ? "on_event" : triggerOf(type)) &&
  delayOf(triggerMatch) === 0 &&
  isRecent(occurredAt, receivedAt) &&
  isOpenAt(triggerMatch, occurredAt);

/** The delivery of a notification that fires for an event. */
export const dueDelivery = (
  triggerMatch: TriggerMatch,
  incomingEvent: EventSubject,
  { timezone, transport, user_key }: Pick<Recorded, "timezone" | "transport" | "user_key">,
): DueDelivery => ({
  workspaceId: incomingEvent.workspaceId,
  environment: incomingEvent.environment,
  deviceKey: incomingEvent.deviceKey,
  transport,
  userKey: user_key,
  sharedBy: triggerMatch.cap_by === "user" ? user_key : null,
  campaignKey: triggerMatch.campaign_key,
  notificationKey: triggerMatch.notification_key,
  contentKey: triggerMatch.content_key,
  contentType: triggerMatch.type,
  triggerType: triggerMatch.trigger_type,
  locationKey: incomingEvent.locationKey,
  cap: capWindow(triggerMatch.cap, incomingEvent.defaultCap, triggerMatch.timezone, incomingEvent.receivedAt),
  failure: null,
  isPaced: incomingEvent.isPaced,
  recipient: null,
  arm: null,
  cooldownSince: cooldownStart(triggerMatch.cooldown_minutes, incomingEvent.receivedAt),
  quiet: quietAt(
    effectiveQuietHours(triggerMatch.quiet_hours, incomingEvent.defaultQuietHours),
    timezone ?? triggerMatch.timezone,
    incomingEvent.receivedAt,
  ),
  now: incomingEvent.receivedAt,
});
