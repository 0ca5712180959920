/** The figures of a range: totals with what they were before, and one of them by day. */
import { platform } from "../data/Api.ts";
import type { InteractionReportRow, Report, SummaryReport } from "../data/Resources.ts";
import { DayChart } from "../parts/chart/DayChart.tsx";
import { formatCount, formatPercent, formatNumber, formatRange } from "../parts/DisplayFormats.ts";
import { FigureTotals, type TotalFigure } from "../parts/FigureTotals.tsx";
import { addressOf } from "../routing/Router.ts";
import type { ChosenRange } from "./ChosenRange.ts";
import { type ApiFilter, reportQuery, useCompared } from "./ReportFilters.ts";

type Daily = SummaryReport["daily"][number];
/** A figure that every day has. */
export type DailyFigure = Exclude<keyof Daily, "date">;

/** The figures with their names. */
export const dailyFigures: ReadonlyArray<readonly [DailyFigure, string]> = [
  ["delivered", "Delivered"],
  ["devices_reached", "Devices reached"],
  ["geofence_entries", "Entries"],
  ["geofence_exits", "Exits"],
];

const sumOf = (
  report: Report<ReadonlyArray<InteractionReportRow>> | undefined,
  key: "opened" | "clicked",
): number | undefined => report?.data.reduce((sum, row) => sum + row[key], 0);

/** The numbers of campaigns and devices, whatever the range. */
export const SummaryFacts = ({ report: { totals } }: { readonly report: SummaryReport }) => (
  <p class="facts">
    {formatNumber(totals.active_campaigns)} of {formatCount(totals.campaigns, "campaign")} active ·{" "}
    {formatCount(totals.registered_devices, "device")} registered
  </p>
);

interface FiguresProps {
  readonly range: ChosenRange;
  readonly now: SummaryReport;
  readonly before: SummaryReport | undefined;
  /** The filters of the address that count. */
  readonly filters?: ReadonlyArray<ApiFilter>;
  readonly chosen: DailyFigure;
  readonly onChoose: (key: DailyFigure) => void;
  readonly hasTableBelow?: boolean;
}

/** The totals, and the chart of the chosen one. Opens and clicks lead to the report that has them. */
export const SummaryFigures = ({
  before,
  chosen,
  filters,
  hasTableBelow = false,
  now,
  onChoose,
  range,
}: FiguresProps) => {
  const came = useCompared(platform.reports.interactions, range, filters);
  const { totals } = now;
  const counted = dailyFigures.map(([key, label]): TotalFigure<DailyFigure> => ({
    key,
    label,
    value: totals[key],
    before: before?.totals[key],
  }));
  const href = addressOf("/reports", { report: "interactions", ...reportQuery(range, filters) });
  const answers = (["opened", "clicked"] as const).map((key): TotalFigure<DailyFigure> => {
    const value = sumOf(came.now.data, key);
    const isRate = value !== undefined && totals.delivered > 0;
    return {
      href,
      label: key === "opened" ? "Opened" : "Clicked",
      value,
      before: sumOf(came.before, key),
      note: isRate ? formatPercent((100 * value) / totals.delivered) : undefined,
    };
  });
  const [delivered, ...others] = counted;
  const series = (report: SummaryReport) =>
    report.daily.map((day) => ({ day: day.date, value: day[chosen] }));
  return (
    <>
      <FigureTotals
        label="Totals of the range"
        beforeText={range.before === null ? null : formatRange(range.before)}
        figures={[...(delivered === undefined ? [] : [delivered]), ...answers, ...others]}
        chosen={chosen}
        onChoose={onChoose}
      />
      <div class="card stack">
        <DayChart
          label={dailyFigures.find(([key]) => key === chosen)?.[1] ?? ""}
          days={series(now)}
          before={before && series(before)}
          hasTableBelow={hasTableBelow}
        />
      </div>
    </>
  );
};
