import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, onlyRow } from "../../database/Rows.ts";
import type { RollupBacklog } from "./RollupMetrics.ts";
import { isComplete } from "./RollupStateSql.ts";

/** The statement that measures the work of the rollup job. */
export class RollupBacklogSql extends Context.Service<RollupBacklogSql>()(
  "waypost/reports/rollups/RollupBacklogSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      /** The oldest instant of a table in an environment whose rollups are incomplete. */
      const oldest = (table: string, column: string) => sql`
        (SELECT ${sql(column)} AS at FROM ${sql(table)} AS source
         WHERE source.workspace_id = s.workspace_id AND source.environment = s.environment
           AND ${sql(column)} IS NOT NULL
         ORDER BY ${sql(column)} LIMIT 1)`;

      return {
        /** The work that is left in all environments, at an instant (epoch milliseconds). */
        backlog: (now: number) =>
          onlyRow(sql<RollupBacklog>`
            WITH incomplete AS MATERIALIZED (
              SELECT s.workspace_id, s.environment,
                CASE WHEN s.timezone = w.timezone THEN LEAST(s.rolled_up_from, ${instant(now)})
                  ELSE ${instant(now)} END AS rolled_up_from
              FROM rollup_state s JOIN workspace w ON w.id = s.workspace_id
              WHERE NOT ${isComplete} OR s.timezone <> w.timezone)
            SELECT (SELECT count(*)::int FROM (SELECT FROM delivery_delta LIMIT 100000) AS d) AS deliveries,
              (SELECT count(*)::int FROM (SELECT FROM event_delta LIMIT 100000) AS e) AS events,
              count(*)::int AS rebuilding,
              ${asNumber("COALESCE(sum(days), 0)")} AS days
            FROM incomplete s LEFT JOIN LATERAL (
              SELECT GREATEST(extract(epoch FROM s.rolled_up_from - min(at)) / 86400, 0) AS days FROM (
                ${oldest("delivery", "settled_at")} UNION ALL ${oldest("geofence_event", "occurred_at")}
                UNION ALL ${oldest("compacted_delivery", "day")}
                UNION ALL ${oldest("compacted_event", "day")}) AS source) AS first ON true`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RollupBacklogSql, RollupBacklogSql.make);
}
