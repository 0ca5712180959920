import { Schema } from "effect";
import { CampaignStatus } from "../campaigns/CampaignStatus.ts";
import { TriggerType } from "../notifications/Notification.ts";

const count = (description: string, example: number) =>
  Schema.Int.annotate({ description, examples: [example] });

const date = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example], format: "date" });

const meta = Schema.Struct({
  start: date("First day of the range.", "2026-10-22"),
  end: date("Last day of the range, counted whole.", "2026-11-21"),
  timezone: Schema.String.annotate({
    description: "The workspace's time zone, in which days are counted.",
    examples: ["Europe/Amsterdam"],
  }),
}).annotate({ identifier: "ReportRange", description: "The range of the figures, after defaults." });

/** A report: its figures, and the range that they are of. */
export const ReportOf = <S extends Schema.Top>(data: S) => Schema.Struct({ data, meta });

const activity = {
  delivered: count("Deliveries that the push transport accepted.", 128),
  devices_reached: count("Distinct devices with at least one delivery.", 97),
  geofence_entries: count("Times a device entered a location.", 412),
  geofence_exits: count("Times a device left a location.", 398),
};

/** Totals and daily counts (contract K1, K2, K8). */
export const Summary = Schema.Struct({
  totals: Schema.Struct({
    ...activity,
    campaigns: count("Campaigns that match the filters.", 6),
    active_campaigns: count("Campaigns that match the filters and are active now.", 4),
    registered_devices: count("Devices registered in this environment now, whatever the range.", 1520),
  }),
  daily: Schema.Array(
    Schema.Struct({ date: date("The day, in the workspace's time zone.", "2026-11-21"), ...activity }),
  ).annotate({ description: "One item for every day of the range, zeros on quiet days." }),
}).annotate({ identifier: "SummaryReport" });

/** Statuses that a row of the campaign report can have. */
export const campaignRowStatuses: ReadonlyArray<string> = CampaignStatus.literals;

/** One campaign of the campaign report. */
export const CampaignRow = Schema.Struct({
  id: Schema.String.annotate({
    description: "Id of the campaign.",
    format: "uuid",
    examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
  }),
  name: Schema.String.annotate({ description: "Name of the campaign.", examples: ["Autumn sale"] }),
  status: CampaignStatus.annotate({ description: "Its status now.", examples: ["active"] }),
  type: Schema.Literals(["geo", "push"]).annotate({
    description: "`geo` fires at locations, `push` at fixed times.",
    examples: ["geo"],
  }),
  targets: count("Distinct locations that it targets, directly or through a group.", 12),
  delivered: count("Its deliveries in the range.", 128),
  engagement: Schema.Finite.annotate({
    description:
      "Distinct devices reached in the range per 100 devices registered now, to one decimal. Devices that " +
      "unregistered since stay in it, so it can exceed 100.",
    examples: [6.4],
  }),
}).annotate({ identifier: "CampaignReportRow" });

/** Statuses that a row of the survey report can have: those of its campaign. */
export const surveyRowStatuses: ReadonlyArray<string> = CampaignStatus.literals;

const named = (id: string, example: string) =>
  Schema.String.annotate({ description: id, format: "uuid", examples: [example] });

/** One survey on one campaign, of the survey report. */
export const SurveyRow = Schema.Struct({
  id: named("Id of the pairing: of this survey on this campaign.", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b60"),
  campaign_id: named("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  campaign_name: Schema.String.annotate({ description: "Name of the campaign.", examples: ["Autumn sale"] }),
  survey_id: named("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
  survey_name: Schema.String.annotate({
    description: "Internal label of the notification.",
    examples: ["How was your visit"],
  }),
  trigger_type: TriggerType,
  questions: count("Questions that the survey asks now.", 3),
  responses: count(
    "Devices whose first answer to this survey on this campaign lies in the range; each counts once.",
    42,
  ),
  status: CampaignStatus.annotate({ description: "The campaign's status now.", examples: ["active"] }),
}).annotate({ identifier: "SurveyReportRow" });
