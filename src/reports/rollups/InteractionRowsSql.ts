import { Effect } from "effect";
import { unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues } from "../../database/Statements.ts";
import { inTenant } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { RollupSpan } from "./RollupKeys.ts";
import { deliveryKey } from "./RollupRowsSql.ts";
import type { AnswerAddition, AnswerKey, InteractionAddition, ValueCounts } from "./RollupTypes.ts";

/** The columns of the primary key of `answer_rollup` in an environment. `starts_on` travels as text. */
const answerKey = {
  span: ["text", ({ span }: AnswerKey) => span],
  starts_on: ["text", ({ startsOn }: AnswerKey) => startsOn],
  campaign_key: ["int4", ({ campaignKey }: AnswerKey) => campaignKey],
  notification_key: ["int4", ({ notificationKey }: AnswerKey) => notificationKey],
  question_id: ["uuid", ({ questionId }: AnswerKey) => questionId],
} as const;

/**
 * The statements that add to the rollups of interactions and answers, in the transaction
 * of `RollupStateSql.lock`. Bound: 2,000 deltas, or 200 rows of answers.
 */
export class InteractionRowsSql extends SqlService<InteractionRowsSql>(
  "waypost/reports/rollups/InteractionRowsSql",
)((sql) => {
  const daysOf = (tenant: TenantKey, month: string) => sql`${inTenant(tenant)} AND span = 'day'
    AND starts_on >= ${month}::text::date AND starts_on < ${month}::text::date + interval '1 month'`;

  return {
    /** Adds interactions to rows, or inserts them. */
    addInteractions: (tenant: TenantKey, additions: ReadonlyArray<InteractionAddition>) =>
      Effect.orDie(sql`
        INSERT INTO interaction_rollup AS r (workspace_id, environment, span, starts_on, campaign_key,
          notification_key, content_type, trigger_type, opened, clicked, responses)
        SELECT ${tenant.workspaceId}, ${tenant.environment}, span, starts_on::date, campaign_key,
          notification_key, content_type, trigger_type, opened, clicked, responses
        FROM ${unnested("a", additions, {
          ...deliveryKey,
          opened: ["float8", ({ opened }) => opened],
          clicked: ["float8", ({ clicked }) => clicked],
          responses: ["float8", ({ responses }) => responses],
        })}
        ON CONFLICT (workspace_id, environment, span, starts_on, campaign_key, notification_key,
          content_type, trigger_type)
        DO UPDATE SET opened = r.opened + EXCLUDED.opened, clicked = r.clicked + EXCLUDED.clicked,
          responses = r.responses + EXCLUDED.responses`),

    /** The counts of existing rows, each with the index of its key, from 1. */
    answers: (tenant: TenantKey, keys: ReadonlyArray<AnswerKey>) =>
      Effect.orDie(sql<{ readonly ord: number; readonly counts: ValueCounts }>`
        SELECT ord::int AS ord, r.counts
        FROM (SELECT *, starts_on::date AS day FROM ${unnested("a", keys, answerKey)}) AS k
        JOIN answer_rollup r ON r.span = k.span AND r.notification_key = k.notification_key
          AND r.campaign_key = k.campaign_key AND r.starts_on = k.day AND r.question_id = k.question_id
        WHERE ${inTenant(tenant)}`),

    /** Inserts rows of answers, or replaces them. */
    replaceAnswers: (tenant: TenantKey, rows: ReadonlyArray<AnswerAddition>) =>
      Effect.orDie(sql`
        INSERT INTO answer_rollup AS r (workspace_id, environment, span, starts_on, campaign_key,
          notification_key, question_id, counts)
        SELECT ${tenant.workspaceId}, ${tenant.environment}, span, starts_on::date, campaign_key,
          notification_key, question_id, counts
        FROM ${unnested("a", rows, { ...answerKey, counts: ["jsonb", ({ counts }) => counts] })}
        ON CONFLICT (workspace_id, environment, span, notification_key, campaign_key, starts_on,
          question_id)
        DO UPDATE SET counts = EXCLUDED.counts`),

    /** Rolls up the interactions of a month from its days. */
    addMonthOfInteractions: (tenant: TenantKey, month: string) =>
      Effect.orDie(sql`
        INSERT INTO interaction_rollup (workspace_id, environment, span, starts_on, campaign_key,
          notification_key, content_type, trigger_type, opened, clicked, responses)
        SELECT workspace_id, environment, 'month', ${month}::text::date, campaign_key, notification_key,
          content_type, trigger_type, sum(opened), sum(clicked), sum(responses)
        FROM interaction_rollup WHERE ${daysOf(tenant, month)} GROUP BY 1, 2, 5, 6, 7, 8`),

    /** The surveys that have answers in a month. */
    surveysOfMonth: (tenant: TenantKey, month: string) =>
      columnValues(sql<{ readonly key: number }>`
        SELECT DISTINCT notification_key AS key FROM answer_rollup WHERE ${daysOf(tenant, month)}`),

    /** The days of a month of a survey. */
    answersOfMonth: (tenant: TenantKey, month: string, survey: number) =>
      Effect.orDie(sql<Omit<AnswerAddition, keyof RollupSpan>>`
        SELECT campaign_key AS "campaignKey", notification_key AS "notificationKey",
          question_id AS "questionId", counts
        FROM answer_rollup WHERE ${daysOf(tenant, month)} AND notification_key = ${survey}`),
  };
}) {}
