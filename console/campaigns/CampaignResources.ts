/** The resources that the pages of campaigns show, as they are on the wire. Types only. */
import type { ActivityEntry as ActivityEntrySchema } from "../../src/activity/ActivityEntry.ts";
import type { Device as DeviceSchema } from "../../src/devices/Device.ts";
import type { Segment as SegmentSchema } from "../../src/devices/Segment.ts";
import type { LocationResource } from "../../src/locations/LocationResource.ts";
import type { LocationGroup as LocationGroupSchema } from "../../src/locations/LocationGroup.ts";
import type { MediaFile as MediaFileSchema } from "../../src/media/MediaFile.ts";
import type { Notification as NotificationSchema } from "../../src/notifications/Notification.ts";
import type { CampaignEstimate as EstimateSchema } from "../../src/reports/estimates/CampaignEstimateApi.ts";
import type { InteractionRow as InteractionSchema } from "../../src/reports/Report.ts";
import type { Explanation as ExplanationSchema } from "../../src/sending/explanations/ExplanationApi.ts";
import type { SendResource } from "../../src/sending/sends/SendResource.ts";

/** A notification on a campaign. */
export type AttachedMessage = (typeof NotificationSchema)["Encoded"];
/** A question of a survey. */
export type AskedQuestion = AttachedMessage["questions"][number];
/** A location with its geometry. */
export type TargetLocation = LocationResource;
/** A group of locations. */
export type LocationGroup = (typeof LocationGroupSchema)["Encoded"];
/** A segment, as lists of choices need it. */
export type SegmentChoice = Pick<(typeof SegmentSchema)["Encoded"], "id" | "name" | "device_count">;
/** A media file. */
export type Picture = (typeof MediaFileSchema)["Encoded"];
/** Whom a campaign would reach. */
export type Estimate = (typeof EstimateSchema)["Encoded"];
/** The results of a notification in a range. */
export type MessageResults = (typeof InteractionSchema)["Encoded"];
/** One send of a push campaign. */
export type CampaignSend = (typeof SendResource)["Encoded"];
/** One change of the campaign. */
export type CampaignChange = (typeof ActivityEntrySchema)["Encoded"];
/** A device, as a test of a campaign shows it. */
export type TestDevice = Pick<
  (typeof DeviceSchema)["Encoded"],
  "id" | "installation_id" | "platform" | "last_seen_at"
>;
/** Why a campaign reaches a device or not. */
export type ReachExplanation = (typeof ExplanationSchema)["Encoded"];
