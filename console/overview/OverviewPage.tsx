/** "Overview": what happened in the last 30 days, what is next, and what needs a person. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { lastDays } from "../reports/ChosenRange.ts";
import { type ApiFilter, useCompared } from "../reports/ReportFilters.ts";
import { type DailyFigure, SummaryFacts, SummaryFigures } from "../reports/SummaryFigures.tsx";
import { workspace } from "../session/Scope.ts";
import { Attention } from "./Attention.tsx";
import { CampaignLines } from "./CampaignLines.tsx";
import { ComingUp } from "./ComingUp.tsx";
import { FirstSteps, useFirstSteps } from "./FirstSteps.tsx";
import { ProductionAccess } from "./ProductionAccess.tsx";

/** The overview counts everything, whatever the address filters by. */
const none: ReadonlyArray<ApiFilter> = [];

const Figures = ({ timezone }: { readonly timezone: string }) => {
  const [chosen, choose] = useState<DailyFigure>("delivered");
  const range = lastDays(timezone);
  const {
    now: { data: now, problem },
    before,
  } = useCompared(platform.reports.summary, range, none);
  const isQuiet =
    now?.data.totals.active_campaigns === 0 &&
    now.data.daily.every((each) => each.delivered + each.geofence_entries === 0);
  const steps = useFirstSteps(isQuiet);
  const isPublished = steps?.at(-1)?.[2];
  if (now === undefined || (steps !== null && isPublished === undefined))
    return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  return (
    <>
      <LoadProblem problem={problem} />
      {isPublished === false ? (
        <FirstSteps steps={steps ?? []} />
      ) : (
        <>
          <SummaryFigures
            range={range}
            now={now.data}
            before={before?.data}
            filters={none}
            chosen={chosen}
            onChoose={choose}
          />
          <CampaignLines range={range} />
        </>
      )}
      <SummaryFacts report={now.data} />
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
