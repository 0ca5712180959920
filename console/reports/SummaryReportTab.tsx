/** The summary: totals, the chart of one of them by day, and every day in a table. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useLast } from "../data/LastData.ts";
import type { SummaryReport } from "../data/Resources.ts";
import { figureColumn, linkColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { formatDay } from "../parts/DisplayFormats.ts";
import { Loading } from "../parts/PageFrame.tsx";
import { changedAddress, navigate, parameter } from "../routing/Router.ts";
import { setFilter, useCompared } from "./ReportFilters.ts";
import type { ReportProps } from "./RowReport.tsx";
import { type DailyFigure, dailyFigures, SummaryFacts, SummaryFigures } from "./SummaryFigures.tsx";

type Day = SummaryReport["daily"][number];

const oneDay = (date: string): string => changedAddress({ start: date, end: date });

const columnsOf = (
  chosen: DailyFigure,
  before: ReadonlyMap<string, Day | undefined> | null,
): ReadonlyArray<Column<Day>> => [
  {
    ...linkColumn(
      "Day",
      ({ date }: Day) => formatDay(date),
      ({ date }) => oneDay(date),
    ),
    key: "date",
    sortBy: ({ date }) => date,
  },
  ...dailyFigures.map(([key, heading]) => figureColumn(key, heading, (day: Day) => day[key])),
  ...(before === null
    ? []
    : [figureColumn("before", nameBefore(chosen), ({ date }: Day) => before.get(date)?.[chosen] ?? 0)]),
];

const nameBefore = (chosen: DailyFigure): string =>
  `${dailyFigures.find(([key]) => key === chosen)?.[1]}, period before`;

/** The report of all activity. */
export const SummaryReportTab = ({ onNews, range }: ReportProps) => {
  const [chosen, choose] = useState<DailyFigure>("delivered");
  const {
    now: { data, problem },
    before,
  } = useCompared(platform.reports.summary, range);
  const report = useLast(data);
  useEffect(() => onNews({ problem, notificationName: undefined }), [problem]);
  const address = changedAddress({});
  const columns = useMemo(() => {
    // Each day is compared with the one at the same index.
    const old =
      report && before && report.data.daily.map(({ date }, at) => [date, before.data.daily[at]] as const);
    return columnsOf(chosen, old ? new Map(old) : null);
  }, [chosen, report, before, address]);
  if (report === undefined) return problem === undefined ? <Loading /> : null;
  return (
    <>
      <SummaryFigures
        range={range}
        now={report.data}
        before={before?.data}
        chosen={chosen}
        onChoose={choose}
        hasTableBelow
      />
      <SummaryFacts report={report.data} />
      <DataTable
        label="Days"
        columns={columns}
        rows={report.data.daily}
        rowKey={({ date }) => date}
        initialSorting={{ key: "date", isDescending: true }}
        searchText={({ date }) => `${date} ${formatDay(date)}`}
        search={{ value: parameter("q"), onSearch: (text) => setFilter("q", text) }}
        onRow={({ date }) => navigate(oneDay(date))}
      />
    </>
  );
};
