/** "Overview": what happened in the last 30 days, what is next, and what needs a person. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { SummaryReport } from "../data/Resources.ts";
import { DayChart } from "../parts/chart/DayChart.tsx";
import { addDays, formatNumber, today } from "../parts/DisplayFormats.ts";
import { FigureTotals } from "../parts/FigureTotals.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { workspace } from "../session/Scope.ts";
import { Attention } from "./Attention.tsx";
import { ComingUp } from "./ComingUp.tsx";
import { ProductionAccess } from "./ProductionAccess.tsx";
import { FirstSteps, useFirstSteps } from "./FirstSteps.tsx";

const days = 30;

type DailyFigure = "delivered" | "devices_reached" | "geofence_entries" | "geofence_exits";

const figures: ReadonlyArray<readonly [DailyFigure, string]> = [
  ["delivered", "Delivered"],
  ["devices_reached", "Devices reached"],
  ["geofence_entries", "Entries"],
  ["geofence_exits", "Exits"],
];

const useSummary = (start: string, end: string) => useData(platform.reports.summary({ start, end }));

const Figures = ({ timezone }: { readonly timezone: string }) => {
  const [chosen, choose] = useState<DailyFigure>("delivered");
  const end = today(timezone);
  const start = addDays(end, 1 - days);
  const { data: now, problem } = useSummary(start, end);
  const { data: before } = useSummary(addDays(start, -days), addDays(start, -1));
  const isQuiet =
    now?.data.totals.active_campaigns === 0 &&
    now.data.daily.every((each) => each.delivered + each.geofence_entries === 0);
  const steps = useFirstSteps(isQuiet);
  const isPublished = steps?.at(-1)?.[2];
  const isEmpty = isPublished === false;
  if (now === undefined || (steps !== null && isPublished === undefined))
    return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  const { totals } = now.data;
  const series = (report: SummaryReport) =>
    report.daily.map((each) => ({ day: each.date, value: each[chosen] }));
  const label = figures.find(([key]) => key === chosen)?.[1] ?? "";
  return (
    <>
      <LoadProblem problem={problem} />
      {isEmpty && <FirstSteps steps={steps ?? []} />}
      {!isEmpty && (
        <>
          <FigureTotals
            label="Totals of the last 30 days"
            beforeLabel="in the 30 days before"
            isCompared
            figures={figures.map(([key, label]) => ({
              key,
              label,
              value: totals[key],
              before: before?.data.totals[key],
            }))}
            chosen={chosen}
            onChoose={choose}
          />
          <div class="card">
            <DayChart label={label} days={series(now.data)} before={before && series(before.data)} />
          </div>
        </>
      )}
      <p class="facts">
        {formatNumber(totals.active_campaigns)} of {formatNumber(totals.campaigns)} campaigns active ·{" "}
        {formatNumber(totals.registered_devices)} devices registered
      </p>
    </>
  );
};

/** The page that the console begins with. */
export const OverviewPage = () => {
  const timezone = workspace.value?.timezone ?? "UTC";
  return (
    <PageFrame title="Overview" lead="The last 30 days, today included.">
      <ProductionAccess />
      {workspace.value !== null && <Figures timezone={timezone} />}
      <div class="columns">
        <ComingUp />
        <Attention />
      </div>
    </PageFrame>
  );
};
