import { Effect } from "effect";
import { asNumber, instant, onlyRow } from "../database/Rows.ts";
import { type Explained, plannedRows } from "../database/SeveralNodes.ts";
import { SqlService } from "../database/SqlService.ts";
import type { SurveyKey } from "./ReportCounts.ts";
import { type Period, within } from "./SourceRowsSql.ts";
import { inTenant } from "../database/TenantColumns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/**
 * A kind of source rows: its table, the column of its instants, and its compacted table with the array that
 * has an element for each row.
 */
const kinds = [
  { table: "delivery", at: "settled_at", compacted: { table: "compacted_delivery", array: "device_keys" } },
  { table: "geofence_event", at: "occurred_at", compacted: { table: "compacted_event", array: "millis" } },
  { table: "delivery", at: "opened_at", compacted: { table: "compacted_interaction", array: "quarters" } },
  { table: "survey_response", at: "first_answered_at", compacted: null },
] as const;

/** Estimates how many source rows a period has, before they are read. Bound: 1 row. */
export class SourceRowEstimateSql extends SqlService<SourceRowEstimateSql>(
  "waypost/reports/SourceRowEstimateSql",
)((sql) => ({
  /** About how many responses a survey on a campaign has in a period. */
  responses: (tenant: TenantKey, { campaignKey, notificationKey }: SurveyKey, period: Period) =>
    Effect.map(
      onlyRow(sql<Explained>`
        EXPLAIN (FORMAT JSON) SELECT 1 FROM survey_response
        WHERE ${inTenant(tenant)} AND notification_key = ${notificationKey}
          AND campaign_key = ${campaignKey} AND ${within(sql, "first_answered_at", period)}`),
      plannedRows,
    ),

  /** Raises the memory of this transaction's statements: sorting is most of their work. */
  raiseWorkMem: Effect.orDie(sql`SET LOCAL work_mem = '64MB'`),

  /**
   * About how many rows a period has, of the kind that has most: deliveries, events, interactions or
   * survey responses. The planner's estimate: counting the rows takes longer than reading them.
   */
  rows: Effect.fnUntraced(function* (tenant: TenantKey, period: Period) {
    const mine = inTenant(tenant);
    const estimates: Array<number> = [];
    for (const { at, compacted, table } of kinds) {
      const explained = yield* onlyRow(sql<Explained>`
        EXPLAIN (FORMAT JSON) SELECT 1 FROM ${sql(table)} WHERE ${mine}
        AND ${within(sql, at, period)}`);
      const expected = plannedRows(explained);
      if (compacted === null) {
        estimates.push(expected);
        continue;
      }
      const { rows } = yield* onlyRow(sql<{ readonly rows: number }>`
        SELECT ${asNumber(`COALESCE(sum(cardinality(${compacted.array})), 0)`)} AS rows
        FROM ${sql(compacted.table)}
        WHERE ${mine} AND day > ${instant(period.fromMs)} - interval '24 hours'
          AND day < ${instant(period.toMs)}`);
      estimates.push(expected + rows);
    }
    return Math.max(...estimates);
  }),
})) {}
