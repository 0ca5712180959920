/** "Reports": seven reports of a range of days, with filters, charts, tables and files. */
import type { ComponentType } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import type { ApiProblem } from "../data/ApiCall.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import type { Choice } from "../parts/form/Fields.tsx";
import { formatRange } from "../parts/DisplayFormats.ts";
import { LoadProblem, PageFrame } from "../parts/PageFrame.tsx";
import { tabId, Tabs } from "../parts/Tabs.tsx";
import { changedAddress, parameter } from "../routing/Router.ts";
import { environment, environmentNames, workspace } from "../session/Scope.ts";
import { chosenRange } from "./ChosenRange.ts";
import { RangeChoice } from "./RangeChoice.tsx";
import { saveCsv, savePng } from "./ReportFiles.ts";
import { ReportFilterBar } from "./ReportFilterBar.tsx";
import { apiFilters, reportQuery } from "./ReportFilters.ts";
import {
  campaignReport,
  interactionReport,
  locationReport,
  notificationReport,
  type ReportKind,
  type ReportName,
  surveyReport,
} from "./ReportKinds.tsx";
import { type ReportNews, type ReportProps, RowReport } from "./RowReport.tsx";
import { SummaryReportTab } from "./SummaryReportTab.tsx";
import { SurveyResultsTab, useSurveys } from "./SurveyResultsTab.tsx";

const panel = "report";

/** A report as a tab: its parameter, its name, the statuses of its rows, and its component. */
interface ReportTab {
  readonly key: ReportName | "results";
  readonly label: string;
  readonly statuses: ReadonlyArray<Choice>;
  readonly Tab: ComponentType<ReportProps>;
}

const rowTab = <Row extends { readonly id: string }>(kind: ReportKind<Row>): ReportTab => ({
  key: kind.key,
  label: kind.label,
  statuses: kind.statuses,
  Tab: (props) => <RowReport {...props} kind={kind} />,
});

const summary: ReportTab = { key: "summary", label: "Summary", statuses: [], Tab: SummaryReportTab };

/** Every report, in the order of the tabs. */
const reports: ReadonlyArray<ReportTab> = [
  summary,
  rowTab(campaignReport),
  rowTab(locationReport),
  rowTab(notificationReport),
  rowTab(surveyReport),
  rowTab(interactionReport),
  { key: "results", label: "Survey results", statuses: [], Tab: SurveyResultsTab },
];

/** The tabs keep the range and the filters that all reports have. */
const tabs = () =>
  reports.map(({ key, label }) => ({
    key,
    text: label,
    href: changedAddress({
      report: key === summary.key ? undefined : key,
      status: undefined,
      notification: undefined,
      question: undefined,
      q: undefined,
    }),
  }));

const hasIdFirst = new Set(["notifications", "interactions"]);

interface FilesProps {
  readonly range: ReportProps["range"];
  readonly onPng: () => Promise<void>;
}

const ReportActions = ({ onPng, range, report }: FilesProps & { readonly report: ReportName }) => {
  const notification = parameter("notification");
  const id = hasIdFirst.has(report) && notification !== "" ? notification : null;
  const save = () => saveCsv(platform.reports[report](reportQuery(range)), id);
  return (
    <>
      <ActionButton onPress={save}>CSV</ActionButton>
      <ActionButton onPress={onPng}>PNG</ActionButton>
    </>
  );
};

const ResultActions = ({ onPng, range }: FilesProps) => {
  const { chosen } = useSurveys(range);
  if (chosen === undefined) return null;
  const { campaign_id: campaign, survey_id: notification } = chosen;
  const save = (part: "answers" | "results") =>
    saveCsv(platform.surveyResults[part](campaign, notification, reportQuery(range, [])), null);
  return (
    <>
      <ActionButton onPress={() => save("results")}>CSV</ActionButton>
      <ActionButton onPress={() => save("answers")}>Answers as CSV</ActionButton>
      <ActionButton onPress={onPng}>PNG</ActionButton>
    </>
  );
};

/** Whether the sentences of a problem stand at the controls. */
const isAtControls = (problem: ApiProblem | undefined): boolean => {
  const names = Object.keys(problem?.fields ?? {});
  const controls: ReadonlyArray<string> = ["start", "end", ...apiFilters];
  return names.length > 0 && names.every((name) => controls.includes(name));
};

const ReportBody = ({ timezone }: { readonly timezone: string }) => {
  const report = reports.find(({ key }) => key === parameter("report")) ?? summary;
  const [news, setNews] = useState<ReportNews>({ problem: undefined, notificationName: undefined });
  const onNews = useCallback((next: ReportNews) => setNews(next), []);
  const content = useRef<HTMLDivElement>(null);
  const range = chosenRange(timezone);
  const onPng = async (): Promise<void> => {
    if (content.current === null) return;
    await savePng(content.current, `waypost-${report.key}-${range.start}-${range.end}.png`, heading);
  };
  const heading = [
    workspace.value?.name,
    environmentNames[environment.value],
    report.label,
    range.days === null ? "" : formatRange(range),
  ].join(" · ");
  const isResults = report.key === "results";
  const files: FilesProps = { range, onPng };
  const { Tab } = report;
  return (
    <PageFrame
      title="Reports"
      lead={`Whole days in the time zone ${timezone}.`}
      actions={
        report.key === "results" ? (
          <ResultActions {...files} />
        ) : (
          <ReportActions {...files} report={report.key} />
        )
      }
    >
      <Tabs label="Reports" tabs={tabs()} chosen={report.key} panel={panel} />
      <div id={panel} class="report" role="tabpanel" tabIndex={0} aria-labelledby={tabId(panel, report.key)}>
        <RangeChoice range={range} timezone={timezone} problem={news.problem} />
        {!isResults && (
          <ReportFilterBar
            range={range}
            problem={news.problem}
            statuses={report.statuses}
            notificationName={news.notificationName}
          />
        )}
        <p class="print-only">{heading}</p>
        <LoadProblem problem={isAtControls(news.problem) ? undefined : news.problem} />
        <div class="report" ref={content}>
          <Tab key={report.key} range={range} onNews={onNews} />
        </div>
      </div>
    </PageFrame>
  );
};

/** The reports of the environment. */
export const ReportsPage = () =>
  workspace.value === null ? null : <ReportBody timezone={workspace.value.timezone} />;
