/** The summary: totals, the chart of one of them by day, and every day in a table. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useLast } from "../data/LastData.ts";
import type { SummaryReport } from "../data/Resources.ts";
import { DayChart } from "../parts/chart/DayChart.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { formatCount, formatDay, formatNumber } from "../parts/DisplayFormats.ts";
import { FigureTotals } from "../parts/FigureTotals.tsx";
import { Loading } from "../parts/PageFrame.tsx";
import { changedAddress, navigate, parameter } from "../routing/Router.ts";
import { setFilter, useCompared } from "./ReportFilters.ts";
import type { ReportProps } from "./RowReport.tsx";

type Day = SummaryReport["daily"][number];
type DailyFigure = Exclude<keyof Day, "date">;

const figures: ReadonlyArray<readonly [DailyFigure, string]> = [
  ["delivered", "Delivered"],
  ["devices_reached", "Devices reached"],
  ["geofence_entries", "Entries"],
  ["geofence_exits", "Exits"],
];

const oneDay = (date: string): string => changedAddress({ start: date, end: date });

const columnsOf = (
  chosen: DailyFigure,
  before: ReadonlyMap<string, Day> | null,
): ReadonlyArray<Column<Day>> => [
  {
    key: "date",
    heading: "Day",
    cell: ({ date }) => (
      <a class="row-link" href={oneDay(date)}>
        {formatDay(date)}
      </a>
    ),
    sortBy: ({ date }) => date,
  },
  ...figures.map(([key, heading]): Column<Day> => ({
    key,
    heading,
    isFigure: true,
    cell: (day) => formatNumber(day[key]),
    sortBy: (day) => day[key],
  })),
  ...(before === null
    ? []
    : [
        {
          key: "before",
          heading: "Period before",
          isFigure: true,
          cell: ({ date }: Day) => formatNumber(before.get(date)?.[chosen] ?? 0),
          sortBy: ({ date }: Day) => before.get(date)?.[chosen] ?? 0,
        },
      ]),
];

/** The days before by the day that each is compared with. */
const byComparedDay = (now: SummaryReport, before: SummaryReport): ReadonlyMap<string, Day> =>
  new Map(
    now.daily.flatMap(({ date }, index) => {
      const old = before.daily[index];
      return old === undefined ? [] : [[date, old] as const];
    }),
  );

/** The report of all activity. */
export const SummaryReportTab = ({ onNews, range }: ReportProps) => {
  const [chosen, choose] = useState<DailyFigure>("delivered");
  const {
    now: { data, problem },
    before,
  } = useCompared(platform.reports.summary, range);
  const report = useLast(data);
  const label = figures.find(([key]) => key === chosen)?.[1] ?? "";
  useEffect(() => onNews({ problem, notificationName: undefined }), [problem]);
  const address = changedAddress({});
  const columns = useMemo(() => {
    const compared = report && before ? byComparedDay(report.data, before.data) : null;
    return columnsOf(chosen, compared);
  }, [chosen, report, before, address]);
  if (report === undefined) return problem === undefined ? <Loading /> : null;
  const { daily, totals } = report.data;
  const series = (days: ReadonlyArray<Day>) => days.map((day) => ({ day: day.date, value: day[chosen] }));
  return (
    <>
      <FigureTotals
        label="Totals of the range"
        beforeLabel="in the period before"
        isCompared={range.before !== null}
        figures={figures.map(([key, name]) => ({
          key,
          label: name,
          value: totals[key],
          before: before?.data.totals[key],
        }))}
        chosen={chosen}
        onChoose={choose}
      />
      <div class="card report-chart">
        <DayChart
          label={label}
          days={series(daily)}
          before={before && series(before.data.daily)}
          hasTableBelow
        />
      </div>
      <p class="facts">
        {formatNumber(totals.active_campaigns)} of {formatCount(totals.campaigns, "campaign")} active ·{" "}
        {formatCount(totals.registered_devices, "device")} registered
      </p>
      <DataTable
        label="Days"
        columns={columns}
        rows={daily}
        rowKey={({ date }) => date}
        initialSorting={{ key: "date", isDescending: true }}
        searchText={({ date }) => `${date} ${formatDay(date)}`}
        search={{ value: parameter("q"), onSearch: (text) => setFilter("q", text) }}
        onRow={({ date }) => navigate(oneDay(date))}
      />
    </>
  );
};
