import { Effect } from "effect";
import { asNumber, epochMillis, instant, moment } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { onlyValue } from "../../../database/Statements.ts";
import { inTenant } from "../../../database/TenantColumns.ts";
import { dateAt, daysOf } from "../../../time/LocalTime.ts";
import type { TenantKey } from "../../../workspaces/Environment.ts";
import {
  dayOf,
  interactions,
  isVisitBoundary,
  outcomes,
  type Period,
  transitionSums,
  visits,
  visitSums,
  within,
} from "../../SourceRowsSql.ts";
import type {
  AnswerDelta,
  DeliveryDelta,
  InteractionDelta,
  PendingTenant,
  TransitionGroup,
  VisitChange,
} from "../RollupTypes.ts";

/**
 * The statements that make deltas of source rows for a rebuild, in the transaction of `RollupStateSql.lock`.
 * They have one for each local day, not for each quarter of an hour.
 */
export class RollupRebuildSql extends SqlService<RollupRebuildSql>(
  "waypost/reports/rollups/rebuild/RollupRebuildSql",
)((sql) => {
  // Bound: the days of a period, 400 at most, each with the keys of its 300,000 rows.
  /** The start of the local day of an instant of a period. */
  const day = ({ timezone }: PendingTenant, { fromMs, toMs }: Period, column: string) => {
    const days = daysOf(timezone, dateAt(timezone, fromMs), dateAt(timezone, toMs - 1));
    return dayOf(
      sql,
      column,
      days.map((each) => each.fromMs),
    );
  };

  return {
    /**
     * An instant before `beforeMs`, at or after the latest source row that `skipped` newer ones of its kind
     * follow until then; null for none. Compacted rows are taken to be spread evenly over their day.
     */
    rowBefore: (tenant: TenantKey, beforeMs: number, skipped: number) => {
      const before = moment(sql, beforeMs);
      const stored = (table: string, column: string) => sql`
        (SELECT ${sql(column)} AS at FROM ${sql(table)}
         WHERE ${inTenant(tenant)} AND ${sql(column)} < ${before}
         ORDER BY ${sql(column)} DESC LIMIT 1 OFFSET ${skipped})`;
      const compacted = (table: string, array: string) => sql`
        (SELECT day + (total - ${skipped}::float8) / size * interval '24 hours' FROM (
          SELECT day, size, sum(size * part) OVER (ORDER BY day DESC) AS total FROM (
            SELECT day, sum(cardinality(${sql(array)}))::float8 AS size,
              extract(epoch FROM LEAST(day + interval '24 hours', ${before}) - day)::float8 / 86400 AS part
            FROM ${sql(table)} WHERE ${inTenant(tenant)} AND day < ${before} GROUP BY day) AS sized
        ) AS summed WHERE total > ${skipped}::float8 ORDER BY day DESC LIMIT 1)`;
      return onlyValue(sql<{ readonly at: number | null }>`
        SELECT ${epochMillis("max(at)")} AS at FROM (
          ${stored("delivery", "settled_at")}
          UNION ALL ${stored("delivery", "opened_at")}
          UNION ALL ${stored("delivery", "clicked_at")}
          UNION ALL ${stored("geofence_event", "occurred_at")}
          UNION ALL ${stored("survey_response", "first_answered_at")}
          UNION ALL ${compacted("compacted_delivery", "device_keys")}
          UNION ALL ${compacted("compacted_interaction", "quarters")}
          UNION ALL ${compacted("compacted_event", "millis")}) AS found`);
    },

    /** The settled deliveries of a period. */
    deliveries: (tenant: PendingTenant, period: Period) =>
      Effect.orDie(sql<DeliveryDelta>`
        SELECT ${day(tenant, period, "settled_at")} AS quarter, campaign_key, notification_key,
          content_type, trigger_type, status, array_send(array_agg(device_key)) AS devices
        FROM ${outcomes(sql, period)} WHERE ${inTenant(tenant)} AND ${within(sql, "settled_at", period)}
        GROUP BY 1, 2, 3, 4, 5, 6`),

    /**
     * The events of a period, and the visits that began in it. An exit in a pending delta does not count yet:
     * those of the period are deleted, so it comes later, and adds its visits itself.
     */
    events: (tenant: PendingTenant, period: Period) => {
      const mine = inTenant(tenant);
      const laterExit = sql`(
        SELECT occurred_at FROM geofence_event
        WHERE ${mine} AND device_key = e.device_key AND location_key = e.location_key
          AND occurred_at >= ${instant(period.toMs)} AND type = 'exit' AND ${isVisitBoundary(sql, mine)}
          AND (device_key, id) NOT IN (
            SELECT each.device_key, each.id
            FROM event_delta, unnest(device_keys, event_ids) AS each (device_key, id) WHERE ${mine})
        ORDER BY occurred_at LIMIT 1)`;
      const stored = sql`${mine} AND ${within(sql, "occurred_at", period)}`;
      return Effect.orDie(sql<TransitionGroup & VisitChange>`
        SELECT ${day(tenant, period, "occurred_at")} AS quarter, location_key, ${transitionSums(sql)},
          ${visitSums(sql)}
        FROM ${visits(sql, { mine, stored, period, laterExit })}
        WHERE ${mine} AND ${within(sql, "occurred_at", period)} GROUP BY 1, 2`);
    },

    /** Opens, clicks and responses of a period. */
    interactions: (tenant: PendingTenant, period: Period) =>
      Effect.orDie(sql<InteractionDelta>`
        SELECT ${day(tenant, period, "at")} AS quarter, campaign_key, notification_key, content_type,
          trigger_type, ${asNumber("sum(opened)")} AS opened, ${asNumber("sum(clicked)")} AS clicked,
          0 AS responses
        FROM ${interactions(sql, period)} WHERE ${inTenant(tenant)} AND ${within(sql, "at", period)}
        GROUP BY 1, 2, 3, 4, 5
        UNION ALL
        SELECT ${day(tenant, period, "first_answered_at")}, campaign_key, notification_key, 'survey',
          '', 0, 0, ${asNumber("count(*)")}
        FROM survey_response WHERE ${inTenant(tenant)} AND ${within(sql, "first_answered_at", period)}
        GROUP BY 1, 2, 3`),

    /**
     * Answers that were first given in a period. The day is found once a response: `OFFSET 0` keeps the
     * planner from doing it for each answer. Elements are taken by position, because `jsonb_array_elements`
     * stores its rows for each response.
     */
    answers: (tenant: PendingTenant, period: Period) =>
      Effect.orDie(sql<AnswerDelta>`
        SELECT quarter, campaign_key, notification_key, question_id,
          jsonb_object_agg(value, count) AS counts
        FROM (
          SELECT quarter, campaign_key, notification_key, answer ->> 'question_id' AS question_id,
            answer_value(answer -> 'value') AS value, count(*) AS count
          FROM (
            SELECT ${day(tenant, period, "first_answered_at")} AS quarter, campaign_key, notification_key,
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
