import { isWithin } from "../campaigns/CampaignStatus.ts";
import type { Transport } from "../devices/PushAddress.ts";
import type { DueDelivery } from "../sending/Delivery.ts";
import { capWindow } from "../sending/FrequencyCap.ts";
import type { Firing } from "./EventsSql.ts";
import { triggerOf } from "./EventBatch.ts";
import type { Sighting } from "./EventBatch.ts";
import { isRecent } from "./Transition.ts";

/**
 * Whether a notification fires for an event: it was reported in time, and lies within the campaign and the notification's own
 * window (contract L1). That the campaign targets the place and is not paused is known already.
 */
export const canFire = (firing: Firing, { now, transition: { occurred_at } }: Sighting): boolean =>
  isRecent(occurred_at, now) &&
  isWithin({ startsAt: firing.campaign_starts, endsAt: firing.campaign_ends }, occurred_at) &&
  isWithin({ startsAt: firing.window_starts ?? -Infinity, endsAt: firing.window_ends }, occurred_at);

/** The delivery that an event sets off for its device. */
export const dueDelivery = (firing: Firing, sighting: Sighting, transport: Transport): DueDelivery => ({
  workspaceId: sighting.workspaceId,
  environment: sighting.environment,
  deviceNo: sighting.deviceNo,
  transport,
  campaignNo: firing.campaign_no,
  notificationNo: firing.notification_no,
  contentNo: firing.content_no,
  contentType: firing.type,
  triggerType: triggerOf(sighting.transition.type),
  locationNo: sighting.locationNo,
  cap: capWindow(firing.cap, sighting.defaultCap, firing.timezone, sighting.now),
  now: sighting.now,
});
