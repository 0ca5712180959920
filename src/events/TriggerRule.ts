import { isWithin } from "../campaigns/CampaignStatus.ts";
import type { Transport } from "../devices/PushAddress.ts";
import type { DueDelivery } from "../sending/Delivery.ts";
import { capWindow } from "../sending/FrequencyCap.ts";
import type { TriggerMatch } from "./EventsSql.ts";
import { triggerOf } from "./EventBatch.ts";
import type { IncomingEvent } from "./EventBatch.ts";
import { isRecent } from "./Transition.ts";

/**
 * Whether a notification fires for an event: it was reported in time, and lies within the campaign and the notification's own
 * window (contract L1). That the campaign targets the place and is not paused is known already.
 */
export const canFire = (
  triggerMatch: TriggerMatch,
  { now, transition: { occurred_at } }: IncomingEvent,
): boolean =>
  isRecent(occurred_at, now) &&
  isWithin({ startsAt: triggerMatch.campaign_starts, endsAt: triggerMatch.campaign_ends }, occurred_at) &&
  isWithin(
    { startsAt: triggerMatch.window_starts ?? -Infinity, endsAt: triggerMatch.window_ends },
    occurred_at,
  );

/** The delivery that an event sets off for its device. */
export const dueDelivery = (
  triggerMatch: TriggerMatch,
  incomingEvent: IncomingEvent,
  transport: Transport,
): DueDelivery => ({
  workspaceId: incomingEvent.workspaceId,
  environment: incomingEvent.environment,
  deviceKey: incomingEvent.deviceKey,
  transport,
  campaignKey: triggerMatch.campaign_key,
  notificationKey: triggerMatch.notification_key,
  contentKey: triggerMatch.content_key,
  contentType: triggerMatch.type,
  triggerType: triggerOf(incomingEvent.transition.type),
  locationKey: incomingEvent.locationKey,
  cap: capWindow(triggerMatch.cap, incomingEvent.defaultCap, triggerMatch.timezone, incomingEvent.now),
  now: incomingEvent.now,
});
