import type { SqlClient, Statement } from "effect/sql";
import { isVisitBoundary } from "../SourceRowsSql.ts";

/** Which events change the visits. All fragments hold over bare columns. */
interface AddedEvents {
  /** The environment, over `workspace_id` and `environment`. */
  readonly mine: Statement.Fragment;
  /** A query of the events that are added: `device_key`, `location_key`, `id`. */
  readonly added: Statement.Fragment;
  /** A query of the events that do not count yet, neither before nor after: `device_key`, `id`. */
  readonly ignored: Statement.Fragment;
  /** The entries whose visits are asked for, over `occurred_at`. */
  readonly entries: Statement.Fragment;
}

/**
 * A query of how added events change visits, an entry with the same device's next exit there (contract K5):
 * `location_key`, the `quarter` of an hour of the entry, and what is added to the number of `visits` and to
 * their length, `visit_micros` (microseconds). Both can be negative. It pairs every event of the devices at
 * the locations that the added events touch twice, with and without them. Compacted visits neither change nor
 * count: they have their exits.
 */
export const visitChanges = (
  sql: SqlClient.SqlClient,
  { added, entries, ignored, mine }: AddedEvents,
): Statement.Fragment => sql`
  WITH added AS MATERIALIZED (${added}),
  ignored AS MATERIALIZED (${ignored}),
  -- Marks meet their events by grouping: the planner expects one event, and would scan all marks for each.
  past AS (
    SELECT device_key, max(location_key) AS location_key, max(occurred_at) AS occurred_at,
      bool_or(is_exit) AS is_exit, bool_or(is_added) AS is_added
    FROM (
      SELECT device_key, id, location_key, occurred_at, type = 'exit' AS is_exit, false AS is_added,
        false AS is_ignored
      FROM (SELECT DISTINCT device_key, location_key FROM added) AS touched
      JOIN (
        SELECT device_key, location_key, id, type, occurred_at FROM geofence_event
        WHERE ${mine} AND ${isVisitBoundary(sql, mine)}) AS e USING (device_key, location_key)
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
