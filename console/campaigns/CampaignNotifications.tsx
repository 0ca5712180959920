/** The notifications of a campaign, with what came of them. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, InteractionReportRow, Notification } from "../data/Resources.ts";
import { linkColumn, textColumn } from "../parts/Columns.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import {
  addDays,
  dayOf,
  formatCount,
  formatInstant,
  formatNumber,
  formatPercent,
  formatWallTime,
  today,
} from "../parts/DisplayFormats.ts";
import { addressOf } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

type TriggerConfig = NonNullable<Notification["trigger_config"]>;

/** The longest range of a report, in days before its end. */
const maxDays = 366;

/** The days since the campaign began, at most the longest range of a report. */
export const resultDays = ({
  starts_at: start,
}: Campaign): { readonly start: string; readonly end: string } => {
  const zone = workspace.value?.timezone ?? "UTC";
  const end = today(zone);
  const first = [dayOf(Date.parse(start), zone), addDays(end, -maxDays)].toSorted().at(-1) ?? end;
  return { start: first > end ? end : first, end };
};

const useResults = (campaign: Campaign): ReadonlyMap<string, InteractionReportRow> | null => {
  const query = { campaign: campaign.id, ...resultDays(campaign) };
  const { data } = useData(may("reports:read") ? platform.reports.interactions(query) : null);
  return data === undefined ? null : new Map(data.data.map((row) => [row.id, row]));
};

/** An event with what is to happen after it. */
const eventText = ({ delay_minutes: delay, event = "", unless_event: unless }: TriggerConfig): string =>
  event +
  (delay ? `, ${formatCount(delay, "minute")} later` : "") +
  (typeof unless === "string" ? `, unless ${unless} comes` : "");

const triggerText = (message: Notification, { timezone }: Campaign): string => {
  const { trigger_config: config, trigger_type: type } = message;
  if (config?.send_at !== undefined)
    return `At ${formatWallTime(config.send_at)}${config.local === true ? " where each device is" : ""}`;
  const inside = config?.minutes === undefined ? "Entering a location" : `${config.minutes} minutes inside`;
  const atLocation = type === "on_exit" ? "Leaving a location" : inside;
  const what = type === "on_event" && config !== null ? eventText(config) : atLocation;
  const from = message.starts_at === null ? "" : `, from ${formatInstant(message.starts_at, timezone)}`;
  const until = message.ends_at === null ? "" : `, until ${formatInstant(message.ends_at, timezone)}`;
  return what + from + until;
};

/** A figure of the results, also as a share of those who got it. */
const figureOf = (
  results: ReadonlyMap<string, InteractionReportRow> | null,
  key: "delivered" | "opened" | "clicked",
  rate?: "open_rate" | "click_rate",
): Column<Notification> => ({
  key,
  heading: `${key[0]?.toUpperCase()}${key.slice(1)}`,
  isFigure: true,
  cell: ({ id }) => {
    const row = results?.get(id);
    if (row === undefined) return results === null ? "…" : "0";
    const share = rate === undefined || row[key] === 0 ? "" : ` (${formatPercent(row[rate])})`;
    return formatNumber(row[key]) + share;
  },
  sortBy: ({ id }) => results?.get(id)?.[key] ?? 0,
});

const DeleteNotification = ({
  campaign,
  message: { id, name },
}: {
  readonly campaign: Campaign;
  readonly message: Notification;
}) => (
  <ConfirmButton
    title={`Delete “${name}”?`}
    action="Delete"
    label={`Delete ${name}`}
    variant="plain"
    request={platform.notifications.delete(campaign.id, id)}
    done={`“${name}” is deleted.`}
  >
    <p>
      It is taken off “{campaign.name}” and not sent any more. If it is on no other campaign, its content is
      deleted too. What was delivered stays in reports.
    </p>
  </ConfirmButton>
);

/** The table of a campaign's notifications. */
export const CampaignNotifications = ({
  campaign,
  messages,
}: {
  readonly campaign: Campaign;
  readonly messages: ReadonlyArray<Notification>;
}) => {
  const results = useResults(campaign);
  const mayChange = may("notifications:write");
  const below = ({ headline }: Notification) => (
    <span class="message-line" dir="auto">
      {headline}
    </span>
  );
  const name = ({ name: text }: Notification) => text;
  const href = ({ id }: Notification) => addressOf(`/campaigns/${campaign.id}/notifications/${id}`);
  const columns: ReadonlyArray<Column<Notification> | false> = [
    mayChange ? linkColumn("Name", name, href, below) : textColumn("name", "Name", name),
    { key: "type", heading: "Type", cell: ({ type }) => (type === "survey" ? "Survey" : "Message") },
    { key: "trigger", heading: "Trigger", cell: (message) => triggerText(message, campaign) },
    may("reports:read") && figureOf(results, "delivered"),
    may("reports:read") && figureOf(results, "opened", "open_rate"),
    may("reports:read") && figureOf(results, "clicked", "click_rate"),
    mayChange && {
      key: "delete",
      heading: "Change",
      cell: (message) => <DeleteNotification campaign={campaign} message={message} />,
    },
  ];
  return (
    <DataTable
      label="Notifications"
      columns={columns.filter((column) => column !== false)}
      rows={messages}
      rowKey={({ id }) => id}
      empty="No notification yet. “Add notification” writes the first one."
    />
  );
};
