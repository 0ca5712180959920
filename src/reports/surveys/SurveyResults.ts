import { Clock, Context, Effect, Layer, Stream } from "effect";
import { ResponseIds } from "../../events/ResponseId.ts";
import { todayOf } from "../../http/csv/CsvFile.ts";
import { dayRange, type LocalDate } from "../../time/LocalTime.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { isUuid } from "../../wire/Ids.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import { Problems } from "../../wire/Problems.ts";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { readDates, readRange, type SentRange } from "../ReportDates.ts";
import { noFilters } from "../ReportQuery.ts";
import { reportRange } from "../ReportRange.ts";
import { ReportReads } from "../ReportReads.ts";
import { RollupReader } from "../rollups/RollupReader.ts";
import { questionResult } from "./QuestionResults.ts";
import { shownAnswers } from "./ShownAnswers.ts";
import { answersFile } from "./SurveyCsv.ts";
import type { QuestionResult, ShownResponse } from "./SurveyResult.ts";
import {
  type Pairing,
  type ResponsePeriod,
  type StoredResponse,
  SurveyResultsSql,
} from "./SurveyResultsSql.ts";

/** The ids in the path of a notification on a campaign. */
export interface PairingPath {
  readonly campaign: string;
  readonly notification: string;
}

/** A survey on a campaign, and the time of the responses that are asked for. */
export interface ResponseScope extends PairingPath {
  readonly pairing: Pairing;
  readonly period: ResponsePeriod;
  readonly start: LocalDate | null;
  readonly end: LocalDate | null;
}

const noSurvey = "The notification is no survey: it has no questions, and so no answers.";

/** Answers of devices to a survey on a campaign (contract M3, M4). */
export class SurveyResults extends Context.Service<SurveyResults>()("waypost/reports/surveys/SurveyResults", {
  make: Effect.gen(function* () {
    const statements = yield* SurveyResultsSql;
    const rollups = yield* RollupReader;
    const reads = yield* ReportReads;
    const ids = yield* ResponseIds;

    /** A stored response as it is shown. */
    const shownResponse =
      ({ campaignKey, notificationKey, questions }: Pairing) =>
      ({ answers, device_key, ...row }: StoredResponse): ShownResponse => ({
        id: ids.idOf({ campaignKey, notificationKey, deviceKey: device_key }),
        ...row,
        answers: shownAnswers(questions, answers),
      });

    const find = Effect.fnUntraced(function* (tenant: Tenant, { campaign, notification }: PairingPath) {
      const pairing =
        isUuid(campaign) && isUuid(notification)
          ? yield* statements.pairing(tenant, campaign, notification)
          : null;
      return pairing ?? (yield* NotFound.resource("notification on this campaign"));
    });

    const problemsOf = (pairing: Pairing): Problems => {
      const problems = new Problems();
      if (pairing.type !== "survey") problems.add("notification", noSurvey);
      return problems;
    };

    const results = Effect.fn("SurveyResults.results")(function* (
      tenant: Tenant,
      path: PairingPath,
      sent: SentRange,
    ) {
      const pairing = yield* find(tenant, path);
      const timezone = tenant.workspace.timezone;
      const now = yield* Clock.currentTimeMillis;
      const problems = problemsOf(pairing);
      const { end, start } = readRange(sent, { now, timezone }, problems);
      if (!problems.isEmpty) return yield* Unprocessable.validation(problems.fields);
      const scope = { range: reportRange(timezone, start, end), filters: noFilters, now };
      const asked = pairing.questions.map(({ id }) => id);
      const read = (maxRows: number) =>
        Effect.gen(function* () {
          const split = yield* rollups.splitOfSurvey(tenant, pairing, scope, maxRows);
          const responses = yield* rollups.surveyResponses(tenant, pairing, split);
          return { responses, answers: yield* rollups.answers(tenant, pairing, split, asked) };
        });
      const { answers, responses } = yield* reads.read(tenant.workspaceId, read);
      const yieldIfLong = timeSlices();
      const questions: Array<QuestionResult> = [];
      for (const question of pairing.questions) {
        questions.push(questionResult(question, answers.get(question.id) ?? new Map()));
        yield* yieldIfLong;
      }
      return { data: { responses, questions }, meta: { start, end, timezone } };
    });

    const scope = Effect.fnUntraced(function* (tenant: Tenant, path: PairingPath, sent: SentRange) {
      const pairing = yield* find(tenant, path);
      const problems = problemsOf(pairing);
      const { end, start } = readDates(sent, problems);
      if (start !== null && end !== null && end < start) {
        problems.add("end", `The end (${end}) cannot be before the start (${start}).`);
      }
      if (!problems.isEmpty) return yield* Unprocessable.validation(problems.fields);
      const timezone = tenant.workspace.timezone;
      const period = {
        fromMs: start === null ? null : dayRange(timezone, start, start).fromMs,
        toMs: end === null ? null : dayRange(timezone, end, end).toMs,
      };
      return { ...path, pairing, period, start, end };
    });

    return {
      /** The figures of each question in a range. @throws 404, 422 for a message or a bad range, 503 */
      results,

      /** The survey and the time of `responses`. @throws 404, 422 for a message or a bad range */
      scope,

      /** Responses by their first answer, newest first. */
      responses: (tenant: Tenant, { pairing, period }: ResponseScope, { before, limit }: PagePosition) => {
        const device = before === null ? null : (ids.keyOf(before)?.deviceKey ?? 0);
        return Effect.map(statements.page(tenant, pairing, period, device, limit), (rows) =>
          rows.map(shownResponse(pairing)),
        );
      },

      /** All responses as CSV, in the same order. */
      file: Effect.fn("SurveyResults.file")(function* (tenant: Tenant, scope: ResponseScope) {
        const { end, pairing, period, start } = scope;
        const range = [start, end].filter((date) => date !== null);
        const dates = range.length === 0 ? todayOf(tenant, yield* Clock.currentTimeMillis) : range;
        const responses = Effect.map(
          statements.all(tenant, pairing, period),
          Stream.map((rows) => rows.map(shownResponse(pairing))),
        );
        return answersFile(tenant, dates, pairing.questions, responses);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(SurveyResults, SurveyResults.make).pipe(
    Layer.provide([SurveyResultsSql.layer, RollupReader.layer, ReportReads.layer, ResponseIds.layer]),
  );
}
