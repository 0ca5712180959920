/** The resources of the interfaces as they are on the wire. Types only: no code of the server is bundled. */
import type { Campaign as CampaignSchema } from "../../../campaigns/Campaign.ts";
import type { LocationGroup as LocationGroupSchema } from "../../../locations/LocationGroup.ts";
import type { ImportReport as ImportReportSchema } from "../../../locations/LocationImport.ts";
import type { LocationResource } from "../../../locations/LocationResource.ts";
import type { MediaFile as MediaFileSchema, UsedMediaFile as UsedSchema } from "../../../media/MediaFile.ts";
import type { CampaignRow as CampaignRowSchema } from "../../../reports/Report.ts";
import type { Summary as SummarySchema } from "../../../reports/Report.ts";
import type { Webhook as WebhookSchema } from "../../../webhooks/Webhook.ts";
import type { Workspace as WorkspaceSchema } from "../../../workspaces/Workspace.ts";
import type { ConsoleSession as ConsoleSessionSchema } from "../../ConsoleSession.ts";

/** A campaign. */
export type Campaign = (typeof CampaignSchema)["Encoded"];
/** A location. */
export type Location = LocationResource;
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
