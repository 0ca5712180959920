/** The reports with a row an item: their columns, and what a press on a row filters by. */
import type { ComponentChildren } from "preact";
import { CampaignBadge } from "../campaigns/CampaignBadge.tsx";
import { Badge } from "../parts/Badge.tsx";
import { textColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import type { Choice } from "../parts/form/Fields.tsx";
import { campaignStatuses, campaignTypes, type ReportQuery } from "./ReportFilters.ts";
import { type Changes, changedAddress } from "../routing/Router.ts";
import { platform } from "../data/Api.ts";
import type { ApiRequest } from "../data/ApiCall.ts";
import type {
  CampaignReportRow,
  InteractionReportRow,
  LocationReportRow,
  NotificationReportRow,
  Report,
  SurveyReportRow,
} from "../data/Resources.ts";

/** A figure of a row, as a column and as a chart. */
export interface RowFigure<Row> {
  readonly key: string;
  readonly label: string;
  readonly value: (row: Row) => number | null;
}

/** The name of a report in the API. */
export type ReportName = keyof typeof platform.reports;

/** A report with a row an item. */
export interface ReportKind<Row> {
  readonly key: ReportName;
  readonly report: (query: ReportQuery) => ApiRequest<Report<ReadonlyArray<Row>>>;
  readonly label: string;
  readonly statuses: ReadonlyArray<Choice>;
  readonly name: (row: Row) => string;
  /** Columns between the name and the figures. */
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly figures: ReadonlyArray<RowFigure<Row>>;
  /** The parameters that keep this row. */
  readonly filter: (row: Row) => Changes;
  /** Whether a notification that was chosen keeps the row. */
  readonly isNotification: (row: Row, notification: string) => boolean;
  readonly empty: string;
}

type CampaignStatus = CampaignReportRow["status"];

const figure = <Row,>(
  key: keyof Row & string,
  label: string,
): RowFigure<Row> & { readonly key: keyof Row & string } => ({
  key,
  label,
  value: (row) => row[key] as number | null,
});

const statusColumn = <Row extends { readonly status: string }>(
  badge: (status: Row["status"]) => ComponentChildren,
): Column<Row> => ({
  key: "status",
  heading: "Status",
  cell: ({ status }) => badge(status),
  sortBy: ({ status }) => status,
});

const campaignBadge = (status: CampaignStatus | "unused") =>
  status === "unused" ? <Badge text="Unused" tone="quiet" /> : <CampaignBadge status={status} />;

const anyRow = (): boolean => true;
const isNotification = ({ id }: { readonly id: string }, notification: string): boolean =>
  id === notification;
const typeText = (type: "message" | "survey"): string => (type === "survey" ? "Survey" : "Message");
const notificationStatuses: ReadonlyArray<Choice> = [
  ...campaignStatuses,
  { value: "unused", text: "Unused" },
];

/** The report of campaigns. */
export const campaignReport: ReportKind<CampaignReportRow> = {
  key: "campaigns",
  report: platform.reports.campaigns,
  label: "Campaigns",
  statuses: campaignStatuses,
  name: ({ name }) => name,
  columns: [statusColumn(campaignBadge), textColumn("type", "Type", ({ type }) => campaignTypes[type])],
  figures: [
    figure("delivered", "Delivered"),
    figure("engagement", "Engagement (%)"),
    figure("targets", "Targets"),
  ],
  filter: ({ id }) => ({ campaign: id }),
  isNotification: anyRow,
  empty: "No campaign matches. Create one in Campaigns, or clear the filters.",
};

/** The report of locations. */
export const locationReport: ReportKind<LocationReportRow> = {
  key: "locations",
  report: platform.reports.locations,
  label: "Locations",
  statuses: [
    { value: "active", text: "Active" },
    { value: "idle", text: "Idle" },
  ],
  name: ({ name }) => name,
  columns: [
    statusColumn((status) => (
      <Badge text={status === "active" ? "Active" : "Idle"} tone={status === "active" ? "good" : "quiet"} />
    )),
    textColumn("groups", "Groups", ({ groups }) => groups.join(", ")),
  ],
  figures: [
    figure("entries", "Entries"),
    figure("exits", "Exits"),
    figure("engagement", "Engagement (%)"),
    figure("dwell_minutes", "Dwell (minutes)"),
  ],
  filter: ({ id }) => ({ location: id }),
  isNotification: anyRow,
  empty: "No location matches. Import locations in Locations, or clear the filters.",
};

/** The report of notifications. */
export const notificationReport: ReportKind<NotificationReportRow> = {
  key: "notifications",
  report: platform.reports.notifications,
  label: "Notifications",
  statuses: notificationStatuses,
  name: ({ name }) => name,
  columns: [statusColumn(campaignBadge), textColumn("type", "Type", ({ type }) => typeText(type))],
  figures: [figure("delivered", "Delivered"), figure("sent", "Sent"), figure("reach", "Reach (%)")],
  filter: ({ id }) => ({ notification: id }),
  isNotification,
  empty: "No notification matches. Add one to a campaign, or clear the filters.",
};

const triggers = {
  on_enter: "On enter",
  on_exit: "On exit",
  on_dwell: "On dwell",
  fixed_time: "Fixed time",
  on_event: "On event",
} as const;

/** The report of surveys. */
export const surveyReport: ReportKind<SurveyReportRow> = {
  key: "surveys",
  report: platform.reports.surveys,
  label: "Surveys",
  statuses: campaignStatuses,
  name: ({ survey_name: name }) => name,
  columns: [
    textColumn("campaign", "Campaign", ({ campaign_name: name }) => name),
    statusColumn(campaignBadge),
    textColumn("trigger", "Trigger", ({ trigger_type: trigger }) => triggers[trigger]),
    {
      key: "results",
      heading: "Results",
      cell: ({ campaign_id: campaign, survey_id: notification, survey_name: name }) => (
        <a
          href={changedAddress({
            report: "results",
            campaign,
            notification,
            q: undefined,
            status: undefined,
          })}
          aria-label={`Results of ${name}`}
        >
          Results
        </a>
      ),
    },
  ],
  figures: [figure("responses", "Responses"), figure("questions", "Questions")],
  filter: ({ campaign_id: campaign, survey_id: notification }) => ({ campaign, notification }),
  isNotification: ({ survey_id: id }, notification) => id === notification,
  empty: "No survey matches. Add a notification of the type Survey to a campaign, or clear the filters.",
};

/** The report of opens and clicks. */
export const interactionReport: ReportKind<InteractionReportRow> = {
  key: "interactions",
  report: platform.reports.interactions,
  label: "Interactions",
  statuses: notificationStatuses,
  name: ({ name }) => name,
  columns: [statusColumn(campaignBadge), textColumn("type", "Type", ({ type }) => typeText(type))],
  figures: [
    figure("delivered", "Delivered"),
    figure("opened", "Opened"),
    figure("clicked", "Clicked"),
    figure("open_rate", "Open rate (%)"),
    figure("click_rate", "Click rate (%)"),
  ],
  filter: ({ id }) => ({ notification: id }),
  isNotification,
  empty: "No notification matches. Add one to a campaign, or clear the filters.",
};
