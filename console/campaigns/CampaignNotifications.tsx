/** The notifications of a campaign, with what came of them. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh, useData } from "../data/Query.ts";
import type { Campaign, InteractionReportRow, Notification } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import {
  addDays,
  dayOf,
  formatInstant,
  formatNumber,
  formatPercent,
  formatWallTime,
  today,
} from "../parts/DisplayFormats.ts";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

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

const triggerText = (message: Notification, { timezone }: Campaign): string => {
  const config = message.trigger_config;
  if (config?.send_at !== undefined)
    return `At ${formatWallTime(config.send_at)}${config.local === true ? " where each device is" : ""}`;
  const inside = config?.minutes === undefined ? "Entering a location" : `${config.minutes} minutes inside`;
  const what = message.trigger_type === "on_exit" ? "Leaving a location" : inside;
  const from = message.starts_at === null ? "" : `, from ${formatInstant(message.starts_at, timezone)}`;
  const until = message.ends_at === null ? "" : `, until ${formatInstant(message.ends_at, timezone)}`;
  return what + from + until;
};

const rateText = (count: number, rate: number): string =>
  count === 0 ? "0" : `${formatNumber(count)} (${formatPercent(rate)})`;

const figuresOf = (
  results: ReadonlyMap<string, InteractionReportRow> | null,
): ReadonlyArray<Column<Notification>> => {
  const figure = (
    key: string,
    heading: string,
    text: (row: InteractionReportRow) => string,
    value: (row: InteractionReportRow) => number,
  ): Column<Notification> => ({
    key,
    heading,
    isFigure: true,
    cell: ({ id }) => {
      const row = results?.get(id);
      return row === undefined ? (results === null ? "…" : "0") : text(row);
    },
    sortBy: ({ id }) => {
      const row = results?.get(id);
      return row === undefined ? 0 : value(row);
    },
  });
  return [
    figure(
      "delivered",
      "Delivered",
      (row) => formatNumber(row.delivered),
      (row) => row.delivered,
    ),
    figure(
      "opened",
      "Opened",
      (row) => rateText(row.opened, row.open_rate),
      (row) => row.opened,
    ),
    figure(
      "clicked",
      "Clicked",
      (row) => rateText(row.clicked, row.click_rate),
      (row) => row.clicked,
    ),
  ];
};

const DeleteNotification = ({
  campaign,
  message,
  onClose,
}: {
  readonly campaign: Campaign;
  readonly message: Notification;
  readonly onClose: () => void;
}) => (
  <ConfirmDialog
    title={`Delete “${message.name}”?`}
    action="Delete"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await send(platform.notifications.delete(campaign.id, message.id));
      await refresh();
      showToast(`“${message.name}” is deleted.`);
    }}
  >
    <p>
      It is taken off “{campaign.name}” and not sent any more. If it is on no other campaign, its content is
      deleted too. What was delivered stays in reports.
    </p>
  </ConfirmDialog>
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
  const [deleted, setDeleted] = useState<Notification | null>(null);
  const mayChange = may("notifications:write");
  const name: Column<Notification> = {
    key: "name",
    heading: "Name",
    sortBy: (message) => message.name,
    cell: (message) => (
      <>
        {mayChange ? (
          <a class="row-link" href={addressOf(`/campaigns/${campaign.id}/notifications/${message.id}`)}>
            {message.name}
          </a>
        ) : (
          message.name
        )}
        <span class="message-line">{message.headline}</span>
      </>
    ),
  };
  const columns: ReadonlyArray<Column<Notification>> = [
    name,
    { key: "type", heading: "Type", cell: ({ type }) => (type === "survey" ? "Survey" : "Message") },
    { key: "trigger", heading: "Trigger", cell: (message) => triggerText(message, campaign) },
    ...(may("reports:read") ? figuresOf(results) : []),
    ...(mayChange
      ? [
          {
            key: "delete",
            heading: "Change",
            cell: (message: Notification) => (
              <Button variant="plain" label={`Delete ${message.name}`} onPress={() => setDeleted(message)}>
                Delete
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <DataTable
        label="Notifications"
        columns={columns}
        rows={messages}
        rowKey={({ id }) => id}
        empty="No notification yet. “Add notification” writes the first one."
      />
      {deleted !== null && (
        <DeleteNotification campaign={campaign} message={deleted} onClose={() => setDeleted(null)} />
      )}
    </>
  );
};
