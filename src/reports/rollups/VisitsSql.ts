import type { SqlClient, Statement } from "effect/sql";
import { makesStays } from "../SourceRowsSql.ts";

/** Which events change the stays, seen from where; all are fragments that hold over bare columns. */
export interface StayChange {
  /** The environment, over `workspace_id` and `environment`. */
  readonly mine: Statement.Fragment;
  /** A query of the events that are added: `device_key`, `location_key`, `id`. */
  readonly fresh: Statement.Fragment;
  /** A query of events that do not count yet, neither with nor without the added ones: `device_key`, `id`. */
  readonly later: Statement.Fragment;
  /** The instant from which on no event counts. */
  readonly until: Statement.Fragment;
  /** Which entries are asked about, over `location_key` and `occurred_at`; all if left out. */
  readonly entries?: Statement.Fragment;
}

/**
 * A query of how added events change stays, an entry with the same device's next exit there (contract K5): `location_key`, the
 * `quarter` of an hour of the entry, and what is added to the number of `stays` and to their length in microseconds (`stayed`), both of
 * either sign. It looks at every event of the devices at the places that the added events touch, once with and once without them. Stays
 * that are packed neither change nor count here: they have their exits.
 */
export const staysChanged = (
  sql: SqlClient.SqlClient,
  { entries, fresh, later, mine, until }: StayChange,
): Statement.Fragment => sql`
  WITH fresh AS MATERIALIZED (${fresh}),
  later AS MATERIALIZED (${later}),
  -- Marks meet their events by grouping: the planner expects one event, and would look through all marks for each.
  past AS (
    SELECT device_key, max(location_key) AS location_key, max(occurred_at) AS occurred_at, bool_or(is_exit) AS is_exit,
      bool_or(is_fresh) AS fresh
    FROM (
      SELECT device_key, id, location_key, occurred_at, type = 'exit' AS is_exit, false AS is_fresh, false AS is_later
      FROM (SELECT DISTINCT device_key, location_key FROM fresh) AS touched
      JOIN (
        SELECT device_key, location_key, id, type, occurred_at FROM geofence_event
        WHERE ${mine} AND occurred_at < ${until} AND ${makesStays(sql, mine)}) AS e USING (device_key, location_key)
      UNION ALL SELECT device_key, id, NULL, NULL, NULL, true, false FROM fresh
      UNION ALL SELECT device_key, id, NULL, NULL, NULL, false, true FROM later) AS marked
    GROUP BY device_key, id HAVING max(location_key) IS NOT NULL AND NOT bool_or(is_later)),
  visit AS (
    SELECT *, min(occurred_at) FILTER (WHERE is_exit) OVER later_ones AS exit_now,
      min(occurred_at) FILTER (WHERE is_exit AND NOT fresh) OVER later_ones AS exit_before
    FROM past
    WINDOW later_ones AS (PARTITION BY location_key, device_key
      ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
  SELECT location_key, date_bin('15 minutes', occurred_at, 'epoch') AS quarter,
    count(exit_now) - count(exit_before) FILTER (WHERE NOT fresh) AS stays,
    (COALESCE(sum(extract(epoch FROM exit_now - occurred_at)), 0)
      - COALESCE(sum(extract(epoch FROM exit_before - occurred_at)) FILTER (WHERE NOT fresh), 0)) * 1000000 AS stayed
  FROM visit
  WHERE NOT is_exit AND (fresh OR exit_now IS DISTINCT FROM exit_before) AND ${entries ?? sql`true`}
  GROUP BY 1, 2`;
