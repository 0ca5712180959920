/** "Campaigns": a line for each of those with the most deliveries of the range. */
import { CampaignBadge } from "../campaigns/CampaignBadge.tsx";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { CampaignReportRow } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { figureColumn, linkColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { formatNumber, formatPercent } from "../parts/DisplayFormats.ts";
import type { DayRange } from "../reports/ChosenRange.ts";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";

/** The opens and clicks of each take a request, which is repeated after so many milliseconds. */
const [maxLines, pollMillis] = [6, 60_000];

const Answers = ({
  campaign: { delivered, id },
  of,
  range: { end, start },
}: {
  readonly campaign: CampaignReportRow;
  readonly of: "opened" | "clicked";
  readonly range: DayRange;
}) => {
  const { data } = useData(platform.reports.interactions({ start, end, campaign: id }), {
    millis: pollMillis,
  });
  if (data === undefined) return <>…</>;
  const count = data.data.reduce((sum, row) => sum + row[of], 0);
  return (
    <>
      {formatNumber(count)}
      {delivered > 0 && <span class="second-line">{formatPercent((100 * count) / delivered)}</span>}
    </>
  );
};

const columnsOf = (range: DayRange): ReadonlyArray<Column<CampaignReportRow>> => [
  linkColumn(
    "Campaign",
    ({ name }) => name,
    ({ id }) =>
      may("campaigns:read")
        ? addressOf(`/campaigns/${id}`)
        : addressOf("/reports", { report: "campaigns", campaign: id }),
  ),
  { key: "status", heading: "Status", cell: ({ status }) => <CampaignBadge status={status} /> },
  figureColumn("delivered", "Delivered", ({ delivered }) => delivered),
  ...(["opened", "clicked"] as const).map((of): Column<CampaignReportRow> => ({
    key: of,
    heading: of === "opened" ? "Opened" : "Clicked",
    isFigure: true,
    cell: (campaign) => <Answers campaign={campaign} of={of} range={range} />,
  })),
];

/** The lines; nothing before the first delivery. */
export const CampaignLines = ({ range }: { readonly range: DayRange }) => {
  const { end, start } = range;
  const rows = useData(platform.reports.campaigns({ start, end })).data?.data ?? [];
  const shown = rows
    .filter(({ delivered }) => delivered > 0)
    .toSorted((a, b) => b.delivered - a.delivered)
    .slice(0, maxLines);
  return shown.length === 0 ? null : (
    <CardSection
      title="Campaigns"
      actions={<a href={addressOf("/reports", { report: "campaigns" })}>All campaigns of the range</a>}
    >
      <DataTable label="Campaigns" columns={columnsOf(range)} rows={shown} rowKey={({ id }) => id} />
    </CardSection>
  );
};
