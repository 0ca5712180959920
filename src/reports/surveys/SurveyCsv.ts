/** Results of a survey, and the answers to it, as CSV (contract M5). */
import { Effect, type Scope, Stream } from "effect";
import {
  type CsvValue,
  csvLine,
  csvLines,
  csvSeparator,
  csvValue,
  distinctHeadings,
} from "../../http/csv/Csv.ts";
import { type CsvFile, csvName } from "../../http/csv/CsvFile.ts";
import type { Question } from "../../notifications/Survey.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { QuestionResult, ShownResponse, SurveyResult } from "./SurveyResult.ts";

const maxChoices = 4;
const ratings = [1, 2, 3, 4, 5];
const choiceNumbers = Array.from({ length: maxChoices }, (_, index) => index + 1);

const resultColumns = [
  "id",
  "question_text",
  "type",
  "answered",
  ...choiceNumbers.flatMap((number) => ["text", "count", "share"].map((name) => `choice_${number}_${name}`)),
  "mean",
  ...ratings.map((value) => `rating_${value}`),
  "median",
  "min",
  "max",
  "true_count",
  "false_count",
];

const flatResult = ({ choices = [], distribution = [], ...figures }: QuestionResult) => ({
  ...figures,
  ...Object.fromEntries(
    choices.flatMap(({ count, share, text }, index): ReadonlyArray<[string, string | number]> => [
      [`choice_${index + 1}_text`, text],
      [`choice_${index + 1}_count`, count],
      [`choice_${index + 1}_share`, share],
    ]),
  ),
  ...Object.fromEntries(distribution.map(({ count, value }) => [`rating_${value}`, count])),
});

/** The file of results: one row a question. */
export const resultsFile = (
  tenant: Tenant,
  { questions }: SurveyResult,
  { end, start }: { readonly start: string; readonly end: string },
): CsvFile => ({
  name: csvName("results", tenant, [start, end]),
  heading: resultColumns,
  records: csvLines(resultColumns, questions.map(flatResult)),
});

const responseColumns = ["id", "device_id", "answered_at", "first_answered_at"] as const;

const answerCell = (value: unknown): CsvValue =>
  Array.isArray(value) ? (value as ReadonlyArray<string>).join(csvSeparator) : csvValue(value);

/** The file of answers: one row a response, one column a question, headed by its text. */
export const answersFile = (
  tenant: Tenant,
  dates: ReadonlyArray<string>,
  questions: ReadonlyArray<Question>,
  responses: Effect.Effect<Stream.Stream<ReadonlyArray<ShownResponse>>, never, Scope.Scope>,
): CsvFile => ({
  name: csvName("answers", tenant, dates),
  heading: distinctHeadings([...responseColumns, ...questions.map(({ question_text }) => question_text)]),
  records: Effect.map(
    responses,
    Stream.map((rows) =>
      rows.map((row) => {
        const values = new Map(row.answers.map(({ question_id, value }) => [question_id, value]));
        return csvLine([
          ...responseColumns.map((name) => row[name]),
          ...questions.map(({ id }) => answerCell(values.get(id))),
        ]);
      }),
    ),
  ),
});
