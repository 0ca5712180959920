import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, onlyRow } from "../../database/Rows.ts";
import type { RollupBacklog } from "./RollupMetrics.ts";
import { isComplete } from "./RollupStateSql.ts";

/** The statement that says what waits to be rolled up. */
export class RollupBacklogSql extends Context.Service<RollupBacklogSql>()(
  "waypost/reports/RollupBacklogSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      /** The oldest of a table's instants in an environment whose rollups are not complete. */
      const oldest = (table: string, column: string) => sql`
      (SELECT ${sql(column)} AS at FROM ${sql(table)} AS base
       WHERE base.workspace_id = s.workspace_id AND base.environment = s.environment AND ${sql(column)} IS NOT NULL
       ORDER BY ${sql(column)} LIMIT 1)`;

      return {
        /** What waits to be rolled up in all environments, at an instant (epoch milliseconds). */
        backlog: (now: number) =>
          onlyRow(sql<RollupBacklog>`
          WITH made_anew AS MATERIALIZED (
            SELECT s.workspace_id, s.environment,
              CASE WHEN s.timezone = w.timezone THEN LEAST(s.rolled_up_from, ${instant(now)}) ELSE ${instant(now)} END AS rolled_up_from
            FROM rollup_state s JOIN workspace w ON w.id = s.workspace_id WHERE NOT ${isComplete} OR s.timezone <> w.timezone)
          SELECT (SELECT count(*)::int FROM (SELECT FROM delivery_delta LIMIT 100000) AS d) AS deliveries,
            (SELECT count(*)::int FROM (SELECT FROM event_delta LIMIT 100000) AS e) AS events,
            count(*)::int AS rebuilding,
            ${asNumber("COALESCE(sum(GREATEST(extract(epoch FROM rolled_up_from - first.at) / 86400, 0)), 0)")} AS days
          FROM made_anew s LEFT JOIN LATERAL (
            SELECT min(at) AS at FROM (
              ${oldest("delivery", "settled_at")} UNION ALL ${oldest("geofence_event", "occurred_at")}
              UNION ALL ${oldest("compacted_delivery", "day")} UNION ALL ${oldest("compacted_event", "day")}) AS base) AS first ON true`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RollupBacklogSql, RollupBacklogSql.make);
}
