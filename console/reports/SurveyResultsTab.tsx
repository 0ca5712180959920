/** Results of a survey: a chart a question, and the questions in a table. */
import { useEffect } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useLast } from "../data/LastData.ts";
import { useData } from "../data/Query.ts";
import type { QuestionResult, SurveyReportRow } from "../data/Resources.ts";
import { figureColumn, linkColumn, textColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { formatCount, formatRange } from "../parts/DisplayFormats.ts";
import { changeText } from "../parts/FigureTotals.tsx";
import { ChoiceFilter } from "../parts/Filters.tsx";
import { Loading } from "../parts/PageFrame.tsx";
import { changedAddress, navigate, parameter, setParameters } from "../routing/Router.ts";
import { QuestionChart, questionSummary, questionTypes } from "./QuestionChart.tsx";
import { setFilter, useCompared } from "./ReportFilters.ts";
import type { ReportProps } from "./RowReport.tsx";

const isChosen = (survey: SurveyReportRow): boolean => {
  const [campaign, notification] = [parameter("campaign"), parameter("notification")];
  return (
    (campaign === "" || campaign === survey.campaign_id) &&
    (notification === "" || notification === survey.survey_id)
  );
};

/** The surveys of the range, and the one of the address: else the first, which has the most responses. */
export const useSurveys = ({ end, start }: ReportProps["range"]) => {
  const { data, problem } = useData(platform.reports.surveys({ start, end }));
  const surveys = useLast(data)?.data;
  return { surveys, chosen: surveys?.find(isChosen), problem };
};

const columns: ReadonlyArray<Column<QuestionResult>> = [
  linkColumn(
    "Question",
    (question) => question.question_text,
    ({ id }) => changedAddress({ question: id }),
  ),
  textColumn("type", "Type", ({ type }) => questionTypes[type]),
  figureColumn("answered", "Answered", ({ answered }) => answered),
  { key: "result", heading: "Result", cell: questionSummary },
];

const NoSurvey = () => (
  <EmptyState title="No survey to report on">
    A survey is a notification with questions. Add one to a campaign: its answers are counted here.
  </EmptyState>
);

const Results = ({ onNews, range, survey }: ReportProps & { readonly survey: SurveyReportRow }) => {
  const { campaign_id: campaign, survey_id: notification } = survey;
  const {
    now: { data, problem },
    before,
  } = useCompared((days) => platform.surveyResults.results(campaign, notification, days), range, []);
  const results = useLast(data)?.data;
  useEffect(() => onNews({ problem, notificationName: survey.survey_name }), [problem, survey.survey_name]);
  if (results === undefined) return problem === undefined ? <Loading /> : null;
  const question = parameter("question");
  const shown = results.questions.filter(({ id }) => question === "" || id === question);
  return (
    <>
      <p class="actions results-total">
        <strong>{formatCount(results.responses, "response")}</strong>
        {before !== undefined && (
          <span class="change">
            {changeText(before.data.responses, results.responses)}
            {range.before !== null && `, ${formatRange(range.before)}`}
          </span>
        )}
      </p>
      <div class="columns">
        {shown.map((each) => (
          <QuestionChart key={each.id} question={each} />
        ))}
      </div>
      <DataTable
        label="Questions"
        columns={columns}
        rows={shown}
        rowKey={({ id }) => id}
        searchText={({ question_text: text }) => text}
        search={{ value: parameter("q"), onSearch: (text) => setFilter("q", text) }}
        onRow={({ id }) => navigate(changedAddress({ question: id }))}
        empty="This survey asks no such question now."
      />
    </>
  );
};

/** The results of one survey, which a combobox chooses. */
export const SurveyResultsTab = ({ onNews, range }: ReportProps) => {
  const { chosen, problem, surveys } = useSurveys(range);
  useEffect(() => {
    if (chosen === undefined) onNews({ problem, notificationName: undefined });
  }, [problem, chosen === undefined]);
  if (surveys === undefined) return problem === undefined ? <Loading /> : null;
  if (surveys.length === 0) return <NoSurvey />;
  const names = (survey: SurveyReportRow): string => `${survey.survey_name} · ${survey.campaign_name}`;
  const choose = (key: string): void => {
    const survey = surveys.find(({ id }) => id === key);
    setParameters({ campaign: survey?.campaign_id, notification: survey?.survey_id, question: undefined });
  };
  return (
    <>
      <div class="filters" role="search" aria-label="Filters">
        <ChoiceFilter
          label="Survey"
          value={chosen?.id ?? ""}
          choices={[
            ...(chosen === undefined ? [{ value: "", text: "Choose a survey" }] : []),
            ...surveys.map((survey) => ({ value: survey.id, text: names(survey) })),
          ]}
          onValue={choose}
        />
        {parameter("question") !== "" && (
          <a class="button button-plain" href={changedAddress({ question: undefined })}>
            All questions
          </a>
        )}
      </div>
      {chosen === undefined ? (
        <p class="quiet">No survey of the range matches the filters. Choose another one.</p>
      ) : (
        <Results key={chosen.id} survey={chosen} range={range} onNews={onNews} />
      )}
    </>
  );
};
