import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { rowCursor } from "../../database/RowCursor.ts";
import { arrayOf, asNumber, instant, utc } from "../../database/Rows.ts";
import type { NotificationType } from "../../notifications/MessageContent.ts";
import type { Question } from "../../notifications/Survey.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { rowsOfParts } from "../rollups/reading/RollupPartsSql.ts";
import type { ScopeSplit } from "../rollups/reading/ScopeSplit.ts";
import type { ValueCounts } from "../rollups/InteractionTypes.ts";
import { within } from "../SourceRowsSql.ts";
import { inTenant } from "../TenantKeySql.ts";
import type { StoredAnswer } from "./ShownAnswers.ts";

/** A notification on a campaign, with the questions that it asks now. */
export interface Pairing {
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly type: NotificationType;
  readonly questions: ReadonlyArray<Question>;
}

/** How often a question was answered by each value, in a part of the range. */
export interface QuestionCounts {
  readonly question_id: string;
  readonly counts: ValueCounts;
}

/** A response as it is stored. */
export interface StoredResponse {
  readonly device_key: number;
  readonly device_id: string;
  readonly answered_at: string;
  readonly first_answered_at: string;
  readonly answers: ReadonlyArray<StoredAnswer>;
}

/** A time of responses, open where null (epoch milliseconds). */
export interface ResponsePeriod {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** The statements on answers to a survey on a campaign. */
export class SurveyResultsSql extends Context.Service<SurveyResultsSql>()(
  "waypost/reports/surveys/SurveyResultsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const mine = (tenant: Tenant) => inTenant(sql, tenant);
      const isOf = (tenant: Tenant, { campaignKey, notificationKey }: Pairing) =>
        sql`${mine(tenant)} AND notification_key = ${notificationKey} AND campaign_key = ${campaignKey}`;

      /** Counts in rollups, pending deltas and source rows, whichever hold a part of the range. */
      const counts = (
        { parts, raw, rolledUp }: ScopeSplit,
        sources: {
          readonly rolledUp: (isInPart: Statement.Fragment) => Statement.Fragment;
          readonly pending: (isInRange: Statement.Fragment) => Statement.Fragment;
          readonly raw: (isInRange: Statement.Fragment) => Statement.Fragment;
        },
      ) => {
        const queries = [
          ...(rolledUp === undefined
            ? []
            : [
                sql`SELECT * FROM ${rowsOfParts(sql, parts, sources.rolledUp)}`,
                sources.pending(within(sql, "quarter", rolledUp.range)),
              ]),
          ...(raw === undefined ? [] : [sources.raw(within(sql, "first_answered_at", raw.range))]),
        ];
        return queries.reduce((before, query) => sql`${before} UNION ALL ${query}`);
      };

      /** Responses of a pairing before one, newest first. */
      const responses = (
        tenant: Tenant,
        pairing: Pairing,
        { fromMs, toMs }: ResponsePeriod,
        before: number | null,
      ) => sql`
        SELECT r.device_key, v.id AS device_id, ${utc("r.answered_at")} AS answered_at,
          ${utc("r.first_answered_at")} AS first_answered_at, r.answers
        FROM (
          SELECT * FROM survey_response
          WHERE ${isOf(tenant, pairing)}
            AND first_answered_at >= COALESCE(${instant(fromMs)}, '-infinity')
            AND first_answered_at < COALESCE(${instant(toMs)}, 'infinity')
            AND (${before}::int IS NULL OR (first_answered_at, device_key) < (
              SELECT first_answered_at, device_key FROM survey_response
              WHERE ${isOf(tenant, pairing)} AND device_key = ${before}::int))) AS r
        JOIN device v ON v.workspace_id = r.workspace_id AND v.environment = r.environment
          AND v.key = r.device_key
        ORDER BY r.first_answered_at DESC, r.device_key DESC`;

      return {
        /** A notification on a campaign; none if either does not exist or they do not belong together. */
        pairing: (tenant: Tenant, campaign: string, notification: string) =>
          Effect.map(
            Effect.orDie(sql<Pairing>`
              SELECT c.key AS "campaignKey", n.key AS "notificationKey", n.type,
                COALESCE(k.questions, '[]') AS questions
              FROM (SELECT * FROM campaign_notification WHERE ${mine(tenant)}
                AND campaign_id = ${campaign} AND notification_id = ${notification}) AS cn
              JOIN campaign c ON c.workspace_id = cn.workspace_id AND c.environment = cn.environment
                AND c.id = cn.campaign_id
              JOIN notification n ON n.workspace_id = cn.workspace_id AND n.environment = cn.environment
                AND n.id = cn.notification_id
              JOIN content k ON k.workspace_id = n.workspace_id AND k.environment = n.environment
                AND k.key = n.content_key`),
            ([row]) => row ?? null,
          ),

        /** Responses in the range, dated by the first answer. */
        responseCount: (tenant: Tenant, pairing: Pairing, split: ScopeSplit) =>
          Effect.map(
            Effect.orDie(sql<{ readonly responses: number }>`
              SELECT ${asNumber("COALESCE(sum(responses), 0)")} AS responses
              FROM (${counts(split, {
                rolledUp: (isInPart) => sql`
                  SELECT responses FROM interaction_rollup WHERE ${isOf(tenant, pairing)} AND ${isInPart}`,
                pending: (isInRange) => sql`
                  SELECT responses FROM interaction_delta WHERE ${isOf(tenant, pairing)} AND ${isInRange}`,
                raw: (isInRange) => sql`
                  SELECT count(*) AS responses FROM survey_response WHERE ${isOf(tenant, pairing)} AND ${isInRange}`,
              })}) AS counted`),
            ([row]) => row?.responses ?? 0,
          ),

        /** How often each of these questions was answered by each value in the range. */
        values: (tenant: Tenant, pairing: Pairing, split: ScopeSplit, questionIds: ReadonlyArray<string>) => {
          const isAsked = sql`question_id = ANY(${arrayOf("uuid", questionIds)})`;
          return Effect.orDie(sql<QuestionCounts>`
            SELECT question_id, counts FROM (${counts(split, {
              rolledUp: (isInPart) => sql`
                SELECT question_id, counts FROM answer_rollup
                WHERE ${isOf(tenant, pairing)} AND ${isInPart} AND ${isAsked}`,
              pending: (isInRange) => sql`
                SELECT question_id, jsonb_build_object(value, change) FROM answer_delta
                WHERE ${isOf(tenant, pairing)} AND ${isInRange} AND ${isAsked}`,
              raw: (isInRange) => sql`
                SELECT question_id, jsonb_object_agg(value, count) AS counts FROM (
                  SELECT (answer ->> 'question_id')::uuid AS question_id,
                    answer_value(answer -> 'value') AS value, count(*) AS count
                  FROM survey_response, jsonb_array_elements(answers) AS answer
                  WHERE ${isOf(tenant, pairing)} AND ${isInRange} GROUP BY 1, 2) AS answered
                WHERE ${isAsked} GROUP BY 1`,
            })}) AS counted`);
        },

        /** Responses after the one of device `before`, by their first answer, newest first. */
        page: (
          tenant: Tenant,
          pairing: Pairing,
          period: ResponsePeriod,
          before: number | null,
          limit: number,
        ) => Effect.orDie(sql<StoredResponse>`${responses(tenant, pairing, period, before)} LIMIT ${limit}`),

        /** All responses, in the order of the pages; in batches. */
        all: (tenant: Tenant, pairing: Pairing, period: ResponsePeriod) =>
          Effect.provideService(
            rowCursor<StoredResponse>(responses(tenant, pairing, period, null)),
            SqlClient.SqlClient,
            sql,
          ),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(SurveyResultsSql, SurveyResultsSql.make);
}
