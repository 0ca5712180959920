import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, asNumber } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { onlyValue } from "../../../database/Statements.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import type { SurveyKey } from "../../ReportCounts.ts";
import { within } from "../../SourceRowsSql.ts";
import { inTenant } from "../../../database/TenantColumns.ts";
import { rowsOfParts } from "./RollupPartsSql.ts";
import type { ScopeSplit } from "./ScopeSplit.ts";
import type { ValueCounts } from "../RollupTypes.ts";

/** How often a question was answered by each value, in a part of the range. */
interface QuestionCounts {
  readonly question_id: string;
  readonly counts: ValueCounts;
}

/** The statements that count the answers to a survey on a campaign, in one transaction and snapshot. */
export class AnswerReaderSql extends SqlService<AnswerReaderSql>(
  "waypost/reports/rollups/reading/AnswerReaderSql",
)((sql) => {
  // Bound: 1 row for each answer to a question, of 366 days.
  const isOf = (tenant: Tenant, { campaignKey, notificationKey }: SurveyKey) =>
    sql`${inTenant(tenant)} AND notification_key = ${notificationKey}
      AND campaign_key = ${campaignKey}`;

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

  return {
    /** Responses in the range, dated by the first answer. */
    responseCount: (tenant: Tenant, survey: SurveyKey, split: ScopeSplit) =>
      onlyValue(sql<{ readonly responses: number }>`
        SELECT ${asNumber("COALESCE(sum(responses), 0)")} AS responses
        FROM (${counts(split, {
          rolledUp: (isInPart) => sql`
            SELECT responses FROM interaction_rollup WHERE ${isOf(tenant, survey)} AND ${isInPart}`,
          pending: (isInRange) => sql`
            SELECT responses FROM interaction_delta WHERE ${isOf(tenant, survey)} AND ${isInRange}`,
          raw: (isInRange) => sql`
            SELECT count(*) AS responses FROM survey_response
            WHERE ${isOf(tenant, survey)} AND ${isInRange}`,
        })}) AS counted`),

    /** How often each of these questions was answered by each value; a row for each part of the range. */
    values: (tenant: Tenant, survey: SurveyKey, split: ScopeSplit, questionIds: ReadonlyArray<string>) => {
      const isAsked = sql`question_id = ANY(${arrayOf("uuid", questionIds)})`;
      return Effect.orDie(sql<QuestionCounts>`
        SELECT question_id, counts FROM (${counts(split, {
          rolledUp: (isInPart) => sql`
            SELECT question_id, counts FROM answer_rollup
            WHERE ${isOf(tenant, survey)} AND ${isInPart} AND ${isAsked}`,
          pending: (isInRange) => sql`
            SELECT question_id, jsonb_build_object(value, change) FROM answer_delta
            WHERE ${isOf(tenant, survey)} AND ${isInRange} AND ${isAsked}`,
          raw: (isInRange) => sql`
            SELECT question_id, jsonb_object_agg(value, count) AS counts FROM (
              SELECT (answer ->> 'question_id')::uuid AS question_id,
                answer_value(answer -> 'value') AS value, count(*) AS count
              FROM survey_response, jsonb_array_elements(answers) AS answer
              WHERE ${isOf(tenant, survey)} AND ${isInRange} GROUP BY 1, 2) AS answered
            WHERE ${isAsked} GROUP BY 1`,
        })}) AS counted`);
    },
  };
}) {}
