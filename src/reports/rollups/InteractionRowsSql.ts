import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, unnested } from "../../database/Rows.ts";
import { inTenant, type TenantKey } from "../TenantKeySql.ts";
import type {
  AnswerAddition,
  AnswerDelta,
  InteractionAddition,
  InteractionDelta,
} from "./InteractionTypes.ts";

const quarter = asNumber("extract(epoch FROM quarter) * 1000");

/**
 * The statements that take deltas of interactions and answers, and add to their rollups, in the transaction
 * of `RollupStateSql.lock`.
 */
export class InteractionRowsSql extends Context.Service<InteractionRowsSql>()(
  "waypost/reports/rollups/InteractionRowsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const mine = (tenant: TenantKey) => inTenant(sql, tenant);

      /** The ids of the oldest deltas that belong to the time that is rolled up. */
      const oldest = (tenant: TenantKey, table: "interaction_delta" | "answer_delta", limit: number) => sql`
        SELECT id FROM ${sql(table)}
        WHERE ${mine(tenant)}
          AND quarter >= (SELECT rolled_up_from FROM rollup_state WHERE ${mine(tenant)})
        ORDER BY id LIMIT ${limit}`;

      return {
        /** Takes so many deltas of interactions, the oldest first. */
        takeInteractions: (tenant: TenantKey, limit: number) =>
          Effect.orDie(sql<InteractionDelta>`
            DELETE FROM interaction_delta AS d USING (${oldest(tenant, "interaction_delta", limit)}) AS next
            WHERE ${mine(tenant)} AND d.id = next.id
            RETURNING ${quarter} AS quarter, campaign_key, notification_key, content_type, trigger_type,
              opened, clicked, responses`),

        /** Takes so many deltas of answers, the oldest first. */
        takeAnswers: (tenant: TenantKey, limit: number) =>
          Effect.orDie(sql<AnswerDelta>`
            DELETE FROM answer_delta AS d USING (${oldest(tenant, "answer_delta", limit)}) AS next
            WHERE ${mine(tenant)} AND d.id = next.id
            RETURNING ${quarter} AS quarter, campaign_key, notification_key, question_id, value, change`),

        /** Adds interactions to rows, or inserts them. */
        addInteractions: (tenant: TenantKey, additions: ReadonlyArray<InteractionAddition>) =>
          Effect.orDie(sql`
            INSERT INTO interaction_rollup AS r (workspace_id, environment, span, starts_on, campaign_key,
              notification_key, content_type, trigger_type, opened, clicked, responses)
            SELECT ${tenant.workspaceId}, ${tenant.environment}, span, starts_on::date, campaign_key,
              notification_key, content_type, trigger_type, opened, clicked, responses
            FROM ${unnested("a", additions, {
              span: ["text", ({ span }) => span],
              starts_on: ["text", ({ startsOn }) => startsOn],
              campaign_key: ["int4", ({ campaignKey }) => campaignKey],
              notification_key: ["int4", ({ notificationKey }) => notificationKey],
              content_type: ["text", ({ contentType }) => contentType],
              trigger_type: ["text", ({ triggerType }) => triggerType],
              opened: ["float8", ({ opened }) => opened],
              clicked: ["float8", ({ clicked }) => clicked],
              responses: ["float8", ({ responses }) => responses],
            })}
            ON CONFLICT (workspace_id, environment, span, starts_on, campaign_key, notification_key,
              content_type, trigger_type)
            DO UPDATE SET opened = r.opened + EXCLUDED.opened, clicked = r.clicked + EXCLUDED.clicked,
              responses = r.responses + EXCLUDED.responses`),

        /** Adds answers to rows, or inserts them. */
        addAnswers: (tenant: TenantKey, additions: ReadonlyArray<AnswerAddition>) =>
          Effect.orDie(sql`
            INSERT INTO answer_rollup AS r (workspace_id, environment, span, starts_on, campaign_key,
              notification_key, question_id, value, count)
            SELECT ${tenant.workspaceId}, ${tenant.environment}, span, starts_on::date, campaign_key,
              notification_key, question_id, value, count
            FROM ${unnested("a", additions, {
              span: ["text", ({ span }) => span],
              starts_on: ["text", ({ startsOn }) => startsOn],
              campaign_key: ["int4", ({ campaignKey }) => campaignKey],
              notification_key: ["int4", ({ notificationKey }) => notificationKey],
              question_id: ["uuid", ({ questionId }) => questionId],
              value: ["text", ({ value }) => value],
              count: ["float8", ({ count }) => count],
            })}
            ON CONFLICT (workspace_id, environment, span, notification_key, campaign_key, starts_on,
              question_id, value)
            DO UPDATE SET count = r.count + EXCLUDED.count`),

        /** Rolls up a month from its days. */
        addMonth: Effect.fnUntraced(function* (tenant: TenantKey, month: string) {
          const days = sql`${mine(tenant)} AND span = 'day' AND starts_on >= ${month}::text::date
            AND starts_on < ${month}::text::date + interval '1 month'`;
          yield* Effect.orDie(sql`
            INSERT INTO interaction_rollup (workspace_id, environment, span, starts_on, campaign_key,
              notification_key, content_type, trigger_type, opened, clicked, responses)
            SELECT workspace_id, environment, 'month', ${month}::text::date, campaign_key, notification_key,
              content_type, trigger_type, sum(opened), sum(clicked), sum(responses)
            FROM interaction_rollup WHERE ${days} GROUP BY 1, 2, 5, 6, 7, 8`);
          yield* Effect.orDie(sql`
            INSERT INTO answer_rollup (workspace_id, environment, span, starts_on, campaign_key,
              notification_key, question_id, value, count)
            SELECT workspace_id, environment, 'month', ${month}::text::date, campaign_key, notification_key,
              question_id, value, sum(count)
            FROM answer_rollup WHERE ${days} GROUP BY 1, 2, 5, 6, 7, 8`);
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(InteractionRowsSql, InteractionRowsSql.make);
}
