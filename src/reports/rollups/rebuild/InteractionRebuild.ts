import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber } from "../../../database/Rows.ts";
import { dateAt, daysOf } from "../../../time/LocalTime.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";
import { interactions, type Period, within } from "../../SourceRowsSql.ts";
import { inTenant, type TenantKey } from "../../TenantKeySql.ts";
import { countRollupRows } from "../RollupMetrics.ts";
import { noMonth } from "../RollupKeys.ts";
import type { AnswerDelta, InteractionDelta } from "../InteractionTypes.ts";
import { InteractionWriter } from "../InteractionWriter.ts";
import type { PendingTenant } from "../RollupTypes.ts";

/** Rebuilds rollups of interactions and answers: the database counts them by day. */
export class InteractionRebuild extends Context.Service<InteractionRebuild>()(
  "waypost/reports/rollups/rebuild/InteractionRebuild",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const writer = yield* InteractionWriter;
      const mine = (tenant: TenantKey) => inTenant(sql, tenant);

      /** The start of the local day of an instant of a period, in epoch milliseconds. */
      const dayOf = ({ timezone }: PendingTenant, { fromMs, toMs }: Period, column: string) => {
        const zone = timezone as TimeZoneName;
        const starts = daysOf(zone, dateAt(zone, fromMs), dateAt(zone, toMs - 1)).map((day) => day.fromMs);
        const bucket = sql`width_bucket(${sql(column)}, ${arrayOf("timestamptz", starts)})`;
        return sql`(${arrayOf("float8", starts)})[${bucket}]`;
      };

      const interactionsOf = (tenant: PendingTenant, period: Period) =>
        Effect.orDie(sql<InteractionDelta>`
          SELECT ${dayOf(tenant, period, "at")} AS quarter, campaign_key, notification_key, content_type,
            trigger_type, ${asNumber("sum(opened)")} AS opened, ${asNumber("sum(clicked)")} AS clicked,
            0 AS responses
          FROM ${interactions(sql, period)} WHERE ${mine(tenant)} AND ${within(sql, "at", period)}
          GROUP BY 1, 2, 3, 4, 5
          UNION ALL
          SELECT ${dayOf(tenant, period, "first_answered_at")}, campaign_key, notification_key, 'survey', '',
            0, 0, ${asNumber("count(*)")}
          FROM survey_response WHERE ${mine(tenant)} AND ${within(sql, "first_answered_at", period)}
          GROUP BY 1, 2, 3`);

      const answersOf = (tenant: PendingTenant, period: Period) =>
        Effect.orDie(sql<AnswerDelta>`
          SELECT quarter, campaign_key, notification_key, question_id,
            jsonb_object_agg(value, count) AS counts
          FROM (
            SELECT ${dayOf(tenant, period, "first_answered_at")} AS quarter, campaign_key, notification_key,
              answer ->> 'question_id' AS question_id, answer_value(answer -> 'value') AS value,
              count(*) AS count
            FROM survey_response, jsonb_array_elements(answers) AS answer
            WHERE ${mine(tenant)} AND ${within(sql, "first_answered_at", period)}
            GROUP BY 1, 2, 3, 4, 5) AS answered
          GROUP BY 1, 2, 3, 4`);

      return {
        /** Rolls up the interactions and answers of a period. Months have no rows during a rebuild. */
        add: Effect.fnUntraced(function* (tenant: PendingTenant, period: Period) {
          const calendar = { timezone: tenant.timezone, monthsBefore: noMonth };
          const counted = yield* interactionsOf(tenant, period);
          yield* writer.addInteractions(tenant, calendar, counted);
          const answers = yield* answersOf(tenant, period);
          yield* writer.addAnswers(tenant, calendar, answers);
          yield* countRollupRows(
            "interactions",
            "source",
            counted.reduce((sum, { clicked, opened, responses }) => sum + opened + clicked + responses, 0),
          );
          yield* countRollupRows(
            "answers",
            "source",
            answers.reduce(
              (sum, { counts }) => Object.values(counts).reduce((all, count) => all + count, sum),
              0,
            ),
          );
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(InteractionRebuild, InteractionRebuild.make).pipe(
    Layer.provide(InteractionWriter.layer),
  );
}
