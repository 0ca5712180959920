import { Schema } from "effect";
import { CampaignStatus } from "../campaigns/CampaignStatus.ts";
import { CampaignType } from "../campaigns/Campaign.ts";
import { TriggerType } from "../notifications/Notification.ts";
import { nullableText, shownId, shownInteger, shownText } from "../wire/ShownFields.ts";

const date = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example], format: "date" });

const share = (devices: string) =>
  Schema.Finite.annotate({
    description:
      `${devices} in the range per 100 devices registered now, to one decimal. Devices that have ` +
      "unregistered since still count, so it can exceed 100.",
    examples: [6.4],
  });

const meta = Schema.Struct({
  start: date("First day of the range.", "2026-10-22"),
  end: date("Last day of the range, counted whole.", "2026-11-21"),
  timezone: shownText("The workspace's time zone, in which days are counted.", "Europe/Amsterdam"),
}).annotate({ identifier: "ReportRange", description: "The range of the figures, after defaults." });

/** A report: its figures and their range. */
export const ReportOf = <S extends Schema.Top>(data: S) => Schema.Struct({ data, meta });

const activity = {
  delivered: shownInteger("Deliveries that the push transport accepted.", 128),
  devices_reached: shownInteger("Distinct devices with at least one delivery.", 97),
  geofence_entries: shownInteger("Times a device entered a location.", 412),
  geofence_exits: shownInteger("Times a device left a location.", 398),
};

/** Totals and daily counts (contract K1, K2, K8). */
export const Summary = Schema.Struct({
  totals: Schema.Struct({
    ...activity,
    campaigns: shownInteger("Campaigns that match the filters.", 6),
    active_campaigns: shownInteger("Campaigns that match the filters and are active now.", 4),
    registered_devices: shownInteger("Devices registered in this environment now, whatever the range.", 1520),
  }),
  daily: Schema.Array(
    Schema.Struct({ date: date("The day, in the workspace's time zone.", "2026-11-21"), ...activity }),
  ).annotate({ description: "One item for every day of the range, zeros on quiet days." }),
}).annotate({ identifier: "SummaryReport" });

/** Statuses that a row of the campaign report can have. */
export const campaignRowStatuses: ReadonlyArray<string> = CampaignStatus.literals;

const LocationStatus = Schema.Literals(["active", "idle"]);

/** Statuses that a row of the location report can have. */
export const locationRowStatuses: ReadonlyArray<string> = LocationStatus.literals;

const NotificationStatus = Schema.Literals([...CampaignStatus.literals, "unused"]);

/** Statuses that a row of the notification report can have. */
export const notificationRowStatuses: ReadonlyArray<string> = NotificationStatus.literals;

/** One campaign of the campaign report. */
export const CampaignRow = Schema.Struct({
  id: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  name: shownText("Name of the campaign.", "Autumn sale"),
  status: CampaignStatus.annotate({ description: "Its status now.", examples: ["active"] }),
  type: CampaignType.annotate({
    description: "`geo` fires at locations, `push` at fixed times, `event` on custom events.",
    examples: ["geo"],
  }),
  targets: shownInteger("Distinct locations that it targets, directly or through a group.", 12),
  delivered: shownInteger("Its deliveries in the range.", 128),
  engagement: share("Distinct devices reached"),
}).annotate({ identifier: "CampaignReportRow" });

/** One location of the location report. */
export const LocationRow = Schema.Struct({
  id: shownId("Id of the location.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61"),
  name: shownText("Name of the location.", "Dam Square"),
  status: LocationStatus.annotate({
    description: "`active` while an active campaign targets it, directly or through a group; else `idle`.",
    examples: ["active"],
  }),
  groups: Schema.Array(Schema.String).annotate({
    description: "Names of the groups that it is in, in order.",
    examples: [["Amsterdam"]],
  }),
  entries: shownInteger("Times a device entered it in the range.", 412),
  exits: shownInteger("Times a device left it in the range.", 398),
  engagement: share("Distinct devices that entered it"),
  dwell_minutes: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Average minutes, to one decimal, from each entry in the range to the same device's next exit there, " +
      "however much later; null when no entry was followed by an exit.",
    examples: [17.3],
  }),
}).annotate({ identifier: "LocationReportRow" });

/** One notification of the notification report. */
export const NotificationRow = Schema.Struct({
  id: shownId("Id of the notification.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63"),
  name: shownText("Name of the notification.", "Hello"),
  status: NotificationStatus.annotate({
    description:
      "By all its campaigns now: `active` if any is, else `scheduled`, `paused`, `ended` likewise; " +
      "`unused` on none.",
    examples: ["active"],
  }),
  type: Schema.Literals(["message", "survey"]).annotate({
    description: "Its type.",
    examples: ["message"],
  }),
  sent: shownInteger("Its deliveries and its failed sends in the range.", 131),
  delivered: shownInteger("Its deliveries in the range.", 128),
  reach: share("Distinct devices reached"),
}).annotate({ identifier: "NotificationReportRow" });

const rate = (deliveries: string) =>
  Schema.Finite.annotate({
    description:
      `${deliveries} in the range per 100 delivered in it, to one decimal; 0 when none was. What was ` +
      "delivered before the range and opened in it counts, so it can exceed 100.",
    examples: [12.5],
  });

/** One notification of the interaction report. */
export const InteractionRow = Schema.Struct({
  id: NotificationRow.fields.id,
  name: NotificationRow.fields.name,
  status: NotificationRow.fields.status,
  type: NotificationRow.fields.type,
  variant: Schema.optionalKey(
    nullableText(
      "With `by=variant`: the key of the variant, or `control`; null without variants.",
      "question",
    ),
  ),
  delivered: NotificationRow.fields.delivered,
  opened: shownInteger("Deliveries that were opened in the range, whenever they were delivered.", 16),
  clicked: shownInteger("Deliveries that were clicked in the range, whenever they were delivered.", 5),
  open_rate: rate("Deliveries opened"),
  click_rate: rate("Deliveries clicked"),
}).annotate({ identifier: "InteractionReportRow" });

/** Statuses that a row of the survey report can have: those of its campaign. */
export const surveyRowStatuses: ReadonlyArray<string> = CampaignStatus.literals;

/** One survey on one campaign, of the survey report. */
export const SurveyRow = Schema.Struct({
  id: shownId("Id of the pairing: of this survey on this campaign.", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b60"),
  campaign_id: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  campaign_name: shownText("Name of the campaign.", "Autumn sale"),
  survey_id: shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
  survey_name: shownText("Internal label of the notification.", "How was your visit"),
  trigger_type: TriggerType,
  questions: shownInteger("Questions that the survey asks now.", 3),
  responses: shownInteger(
    "Devices whose first answer to this survey on this campaign lies in the range; each counts once.",
    42,
  ),
  status: CampaignStatus.annotate({ description: "The campaign's status now.", examples: ["active"] }),
}).annotate({ identifier: "SurveyReportRow" });
