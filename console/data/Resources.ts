/** The resources of the interfaces as they are on the wire. Types only: no code of the server is bundled. */
import type { ActivityEntry as ActivityEntrySchema } from "../../src/activity/ActivityEntry.ts";
import type { Campaign as CampaignSchema } from "../../src/campaigns/Campaign.ts";
import type { AttributeSummary as AttributeSummarySchema } from "../../src/devices/AttributeSummary.ts";
import type { Device as DeviceSchema } from "../../src/devices/Device.ts";
import type { Segment as SegmentSchema } from "../../src/devices/Segment.ts";
import type {
  SegmentCondition as SegmentConditionSchema,
  SegmentRule as SegmentRuleSchema,
} from "../../src/devices/SegmentRule.ts";
import type { HealthReport as HealthReportSchema } from "../../src/doctor/InstallationHealth.ts";
import type { DeviceEvent as DeviceEventSchema } from "../../src/events/DeviceEventsApi.ts";
import type { LocationResource } from "../../src/locations/LocationResource.ts";
import type { LocationGroup as LocationGroupSchema } from "../../src/locations/LocationGroup.ts";
import type { ImportReport as ImportReportSchema } from "../../src/locations/LocationImport.ts";
import type { MediaFile as MediaFileSchema, UsedMediaFile as UsedSchema } from "../../src/media/MediaFile.ts";
import type { CampaignRow as CampaignRowSchema } from "../../src/reports/Report.ts";
import type { Summary as SummarySchema } from "../../src/reports/Report.ts";
import type { Explanation as ExplanationSchema } from "../../src/sending/explanations/ExplanationApi.ts";
import type { Message as MessageSchema } from "../../src/sending/rendering/Message.ts";
import type {
  SendDetail as SendDetailSchema,
  SendResource as SendSchema,
} from "../../src/sending/sends/SendResource.ts";
import type {
  Webhook as WebhookSchema,
  WebhookAttempt as WebhookAttemptSchema,
} from "../../src/webhooks/Webhook.ts";
import type { PlanUsage as PlanUsageSchema } from "../../src/reports/usage/PlanUsage.ts";
import type { Workspace as WorkspaceSchema } from "../../src/workspaces/Workspace.ts";
import type { ConsoleSession as ConsoleSessionSchema } from "../../src/console/ConsoleSession.ts";

/** One change of a resource. */
export type ActivityEntry = (typeof ActivityEntrySchema)["Encoded"];
/** A name of device attributes, with its most frequent values. */
export type AttributeSummary = (typeof AttributeSummarySchema)["Encoded"];
/** A device. */
export type Device = (typeof DeviceSchema)["Encoded"];
/** An enter or exit of a device. */
export type DeviceEvent = (typeof DeviceEventSchema)["Encoded"];
/** A message as its device sees it. */
export type DeviceMessage = (typeof MessageSchema)["Encoded"];
/** Whether a campaign would reach a device now. */
export type Explanation = (typeof ExplanationSchema)["Encoded"];
/** The doctor's report on the installation. */
export type HealthReport = (typeof HealthReportSchema)["Encoded"];
/** A location. */
export type Location = LocationResource;
/** A segment of devices. */
export type Segment = (typeof SegmentSchema)["Encoded"];
/** One condition of a rule. */
export type SegmentCondition = (typeof SegmentConditionSchema)["Encoded"];
/** The devices that a segment contains. */
export type SegmentRule = (typeof SegmentRuleSchema)["Encoded"];
/** One send of a notification of a push campaign. */
export type Send = (typeof SendSchema)["Encoded"];
/** One send with the reasons of its failures. */
export type SendDetail = (typeof SendDetailSchema)["Encoded"];
/** One call of a webhook. */
export type WebhookAttempt = (typeof WebhookAttemptSchema)["Encoded"];
/** A campaign. */
export type Campaign = (typeof CampaignSchema)["Encoded"];
/** A group of locations. */
export type LocationGroup = (typeof LocationGroupSchema)["Encoded"];
/** The result of an import, feature by feature. */
export type ImportReport = (typeof ImportReportSchema)["Encoded"];
/** A media file. */
export type MediaFile = (typeof MediaFileSchema)["Encoded"];
/** A media file with the notifications that show it. */
export type UsedMediaFile = (typeof UsedSchema)["Encoded"];
/** A row of the report of campaigns. */
export type CampaignReportRow = (typeof CampaignRowSchema)["Encoded"];
/** Totals, and figures by day. */
export type SummaryReport = (typeof SummarySchema)["Encoded"];
/** The range of a report's figures. */
export interface ReportRange {
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}
/** A webhook. */
export type Webhook = (typeof WebhookSchema)["Encoded"];
/** Use of the plan's limits by an environment. */
export type PlanUsage = (typeof PlanUsageSchema)["Encoded"];
/** A workspace as the operator sees it. */
export type Workspace = (typeof WorkspaceSchema)["Encoded"];
/** Who is signed in. */
export type ConsoleSession = (typeof ConsoleSessionSchema)["Encoded"];

/** A page of a list. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>;
  readonly meta: { readonly next_cursor: string | null };
}

/** One resource. */
export interface One<Item> {
  readonly data: Item;
}

/** A report with its range. */
export interface Report<Data> {
  readonly data: Data;
  readonly meta: ReportRange;
}

/** An ability of a session. */
export type Ability = ConsoleSession["abilities"][number];
/** One of the two environments of a workspace. */
export type Environment = "production" | "sandbox";
