import { Effect } from "effect";
import { arrayOf, asNumber } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { dateAt, daysOf } from "../../../time/LocalTime.ts";
import { interactions, type Period, within } from "../../SourceRowsSql.ts";
import { inTenant } from "../../../database/TenantColumns.ts";
import type { AnswerDelta, InteractionDelta } from "../InteractionTypes.ts";
import type { PendingTenant } from "../RollupTypes.ts";

/** The statements that count interactions and answers of source rows by local day. Bound: 400 days. */
export class InteractionRebuildSql extends SqlService<InteractionRebuildSql>(
  "waypost/reports/rollups/rebuild/InteractionRebuildSql",
)((sql) => {
  /** The start of the local day of an instant of a period, in epoch milliseconds. */
  const dayOf = ({ timezone }: PendingTenant, { fromMs, toMs }: Period, column: string) => {
    const zone = timezone;
    const starts = daysOf(zone, dateAt(zone, fromMs), dateAt(zone, toMs - 1)).map((day) => day.fromMs);
    const bucket = sql`width_bucket(${sql(column)}, ${arrayOf("timestamptz", starts)})`;
    return sql`(${arrayOf("float8", starts)})[${bucket}]`;
  };

  return {
    /** Opens, clicks and responses of a period, by day and pairing, content type and trigger. */
    interactions: (tenant: PendingTenant, period: Period) =>
      Effect.orDie(sql<InteractionDelta>`
        SELECT ${dayOf(tenant, period, "at")} AS quarter, campaign_key, notification_key, content_type,
          trigger_type, ${asNumber("sum(opened)")} AS opened, ${asNumber("sum(clicked)")} AS clicked,
          0 AS responses
        FROM ${interactions(sql, period)} WHERE ${inTenant(tenant)} AND ${within(sql, "at", period)}
        GROUP BY 1, 2, 3, 4, 5
        UNION ALL
        SELECT ${dayOf(tenant, period, "first_answered_at")}, campaign_key, notification_key, 'survey',
          '', 0, 0, ${asNumber("count(*)")}
        FROM survey_response WHERE ${inTenant(tenant)} AND ${within(sql, "first_answered_at", period)}
        GROUP BY 1, 2, 3`),

    /**
     * Answers that were first given in a period, by day, campaign, notification and question. The day is
     * found once a response: `OFFSET 0` keeps the planner from doing it for each answer. Elements are taken
     * by position, because `jsonb_array_elements` stores its rows for each response.
     */
    answers: (tenant: PendingTenant, period: Period) =>
      Effect.orDie(sql<AnswerDelta>`
        SELECT quarter, campaign_key, notification_key, question_id,
          jsonb_object_agg(value, count) AS counts
        FROM (
          SELECT quarter, campaign_key, notification_key, answer ->> 'question_id' AS question_id,
            answer_value(answer -> 'value') AS value, count(*) AS count
          FROM (
            SELECT ${dayOf(tenant, period, "first_answered_at")} AS quarter, campaign_key, notification_key,
              answers
            FROM survey_response
            WHERE ${inTenant(tenant)} AND ${within(sql, "first_answered_at", period)} OFFSET 0) AS response,
            LATERAL (
              SELECT answers -> index AS answer
              FROM generate_series(0, jsonb_array_length(answers) - 1) AS index OFFSET 0) AS each
          GROUP BY 1, 2, 3, 4, 5) AS answered
        GROUP BY 1, 2, 3, 4`),
  };
}) {}
