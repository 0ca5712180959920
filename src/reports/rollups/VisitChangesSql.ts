import type { SqlClient, Statement } from "effect/sql";
import { isVisitBoundary } from "../SourceRowsSql.ts";

/** Which events change the visits. All fragments hold over bare columns. */
interface AddedEvents {
  /** The environment, over `workspace_id` and `environment`. */
  readonly mine: Statement.Fragment;
  /** A query of the events that are added: `device_key`, `location_key`, `id`, `type`, `quarter`. */
  readonly added: Statement.Fragment;
  /** A query of the events that do not count yet, neither before nor after: `device_key`, `id`. */
  readonly ignored: Statement.Fragment;
  /** The entries whose visits are asked for, over `occurred_at`. */
  readonly entries: Statement.Fragment;
}

/**
 * A query of how added events change visits, an entry with the same device's next exit there (contract K5):
 * `location_key`, the `quarter` of an hour of the entry, and what is added to the number of `visits` and to
 * their length, `visit_micros` (microseconds). Both can be negative. It pairs the events of the devices at
 * the locations that the added events touch twice, with and without them: those from the exit before the
 * added ones to the exit after them, because no other visit changes. Without an added exit no entry before
 * them changes either. Compacted visits neither change nor count: they have their exits.
 */
export const visitChanges = (
  sql: SqlClient.SqlClient,
  { added, entries, ignored, mine }: AddedEvents,
): Statement.Fragment => {
  /** The events of the device `t` at its location. */
  const events = sql`FROM geofence_event
    WHERE ${mine} AND device_key = t.device_key AND location_key = t.location_key
      AND ${isVisitBoundary(sql, mine)}`;
  const isOtherExit = sql`type = 'exit' AND (device_key, id) NOT IN (SELECT device_key, id FROM ignored)`;
  return sql`
  WITH added AS MATERIALIZED (${added}),
  ignored AS MATERIALIZED (${ignored}),
  touched AS MATERIALIZED (
    SELECT *,
      CASE WHEN has_exit THEN COALESCE((
        SELECT occurred_at ${events} AND ${isOtherExit} AND occurred_at < t.first_at
        ORDER BY occurred_at DESC LIMIT 1), '-infinity') ELSE first_at END AS from_at,
      COALESCE((
        SELECT occurred_at ${events} AND ${isOtherExit} AND occurred_at >= t.end_at
        ORDER BY occurred_at LIMIT 1), 'infinity') AS until_at
    FROM (
      SELECT device_key, location_key, bool_or(type = 'exit') AS has_exit, min(quarter) AS first_at,
        max(quarter) + interval '15 minutes' AS end_at
      FROM added GROUP BY 1, 2) AS t),
  -- Marks meet their events by grouping: the planner expects one event, and would scan all marks for each.
  past AS (
    SELECT device_key, max(location_key) AS location_key, max(occurred_at) AS occurred_at,
      bool_or(is_exit) AS is_exit, bool_or(is_added) AS is_added
    FROM (
      SELECT t.device_key, e.id, t.location_key, e.occurred_at, e.is_exit, false AS is_added,
        false AS is_ignored
      FROM touched t CROSS JOIN LATERAL (
        SELECT id, occurred_at, type = 'exit' AS is_exit ${events}
          AND occurred_at BETWEEN t.from_at AND t.until_at OFFSET 0) AS e
      UNION ALL SELECT device_key, id, NULL, NULL, NULL, true, false FROM added
      UNION ALL SELECT device_key, id, NULL, NULL, NULL, false, true FROM ignored) AS marked
    GROUP BY device_key, id HAVING max(location_key) IS NOT NULL AND NOT bool_or(is_ignored)),
  visit AS (
    SELECT *, min(occurred_at) FILTER (WHERE is_exit) OVER later_ones AS exit_after,
      min(occurred_at) FILTER (WHERE is_exit AND NOT is_added) OVER later_ones AS exit_before
    FROM past
    WINDOW later_ones AS (PARTITION BY location_key, device_key
      ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
  SELECT location_key, date_bin('15 minutes', occurred_at, 'epoch') AS quarter,
    count(exit_after) - count(exit_before) FILTER (WHERE NOT is_added) AS visits,
    (COALESCE(sum(extract(epoch FROM exit_after - occurred_at)), 0)
      - COALESCE(sum(extract(epoch FROM exit_before - occurred_at)) FILTER (WHERE NOT is_added), 0)) * 1000000
      AS visit_micros
  FROM visit
  WHERE NOT is_exit AND (is_added OR exit_after IS DISTINCT FROM exit_before) AND ${entries}
  GROUP BY 1, 2`;
};
