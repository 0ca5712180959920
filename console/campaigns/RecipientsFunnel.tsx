/** The results of a campaign, from those it was for to those who clicked. Each figure leads to its list. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign } from "../data/Resources.ts";
import { formatNumber, formatPercent } from "../parts/DisplayFormats.ts";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { resultDays } from "./CampaignNotifications.tsx";

const whole = { isWhole: true };

const sumOf = <Row,>(rows: ReadonlyArray<Row> | undefined, value: (row: Row) => number): number | null =>
  rows === undefined ? null : rows.reduce((sum, row) => sum + value(row), 0);

/** The figures of a campaign, without test messages; null until they are known. */
const useFigures = (campaign: Campaign) => {
  const query = { campaign: campaign.id, ...resultDays(campaign) };
  const mayReport = may("reports:read");
  const isPush = campaign.type === "push";
  const sends = useData(isPush ? platform.sends.list({ campaign: campaign.id }) : null, whole);
  const sent = useData(mayReport && !isPush ? platform.reports.notifications(query) : null);
  const came = useData(mayReport ? platform.reports.interactions(query) : null);
  return [
    [
      "Targeted",
      "",
      isPush ? sumOf(sends.data?.data, (send) => send.targeted) : sumOf(sent.data?.data, (row) => row.sent),
    ],
    ["Delivered", "delivered", sumOf(came.data?.data, (row) => row.delivered)],
    ["Opened", "opened", sumOf(came.data?.data, (row) => row.opened)],
    ["Clicked", "clicked", sumOf(came.data?.data, (row) => row.clicked)],
  ] as const;
};

/** The share of the figure before. */
const shareOf = (count: number | null, before: number | null | undefined): string =>
  count === null || !before ? "" : formatPercent((100 * count) / before);

/** The funnel of a campaign, for sessions that may see recipients. */
export const RecipientsFunnel = ({ campaign }: { readonly campaign: Campaign }) => {
  const figures = useFigures(campaign);
  const first = figures[0][2];
  return (
    <ol class="funnel" aria-label="Recipients">
      {figures.map(([label, outcome, count], index) => (
        <li key={label}>
          <a href={addressOf(`/campaigns/${campaign.id}/recipients`, { outcome: outcome || undefined })}>
            <span class="total-label">{label}</span>
            <span class="total-value">{count === null ? "…" : formatNumber(count)}</span>
            <span class="change">{shareOf(count, figures[index - 1]?.[2])}</span>
          </a>
          <span
            class="funnel-bar"
            aria-hidden="true"
            style={{ inlineSize: `${Math.min(100, (100 * (count ?? 0)) / (first || 1))}%` }}
          />
        </li>
      ))}
    </ol>
  );
};
