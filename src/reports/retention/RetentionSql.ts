import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant } from "../../database/Rows.ts";
import { makesStays } from "../SourceRowsSql.ts";
import type { RollupTenant } from "../rollups/RollupTypes.ts";
import { isComplete } from "../rollups/RollupStateSql.ts";

/** What is packed: settled deliveries by `settled_at`, or events by `occurred_at`. */
export type Compactable = "deliveries" | "events";

/** How far an environment is packed, what comes next, and what comes a page later; epoch milliseconds, null for nothing. */
export interface CompactionState {
  readonly packedBefore: number | null;
  readonly next: number | null;
  readonly later: number | null;
}

const dated = {
  deliveries: { table: "delivery", column: "settled_at", before: "deliveries_before" },
  events: { table: "geofence_event", column: "occurred_at", before: "events_before" },
} as const;

const floorMillis = (column: string) => asNumber(`floor(extract(epoch FROM ${column}) * 1000)`);

/** Every statement that packs rows which are past their time. All but `waiting` and `begin` belong into one transaction with one snapshot. */
export class RetentionSql extends Context.Service<RetentionSql>()("waypost/reports/RetentionSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const mine = ({ environment, workspaceId }: RollupTenant) =>
      sql`workspace_id = ${workspaceId} AND environment = ${environment}`;
    const from = (fromMs: number | null) =>
      fromMs === null ? sql`'-infinity'::timestamptz` : sql`${instant(fromMs)}`;
    /** Long enough for an exit to come, and longer than any event may be late (contract L1). */
    const forgottenAt = (toMs: number) => sql`${instant(toMs)} - interval '366 days'`;

    return {
      /** Environments behind the given one, in their order, that have rows from before the instant (epoch milliseconds). */
      waiting: (what: Compactable, beforeMs: number, behind: RollupTenant | null, most: number) => {
        const { before, column, table } = dated[what];
        const hasRows = sql`EXISTS (
          SELECT FROM ${sql(table)} d WHERE d.workspace_id = t.workspace_id AND d.environment = t.environment
            AND ${sql(`d.${column}`)} >= COALESCE(${sql(`r.${before}`)}, '-infinity')
            AND ${sql(`d.${column}`)} < ${instant(beforeMs)})`;
        const hasForgotten = sql`EXISTS (
          SELECT FROM geofence_event e WHERE e.workspace_id = t.workspace_id AND e.environment = t.environment
            AND e.occurred_at < ${forgottenAt(beforeMs)})`;
        return Effect.orDie(sql<RollupTenant>`
          SELECT t.workspace_id AS "workspaceId", t.environment
          FROM tenant t LEFT JOIN retention r USING (workspace_id, environment)
          WHERE (t.workspace_id, t.environment) > (${behind?.workspaceId ?? 0}::int, ${behind?.environment ?? ""})
            AND ${what === "events" ? sql`(${hasRows} OR ${hasForgotten})` : hasRows}
          ORDER BY t.workspace_id, t.environment LIMIT ${most}`);
      },

      /** Makes every statement of this transaction see the same snapshot; its first statement. */
      useOneSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),

      /** Holds the packing of an environment until the end of the transaction; false while another process holds it. */
      hold: (tenant: RollupTenant) =>
        Effect.map(
          Effect.orDie(sql`SELECT 1 AS held FROM retention WHERE ${mine(tenant)} FOR UPDATE SKIP LOCKED`),
          (rows) => rows.length > 0,
        ),

      /** Holds the rollups of an environment until the end of the transaction; false while they are not complete. */
      holdRollups: (tenant: RollupTenant) =>
        Effect.map(
          Effect.orDie(sql`
            SELECT 1 AS held FROM rollup_state WHERE ${mine(tenant)} AND ${isComplete} FOR UPDATE`),
          (rows) => rows.length > 0,
        ),

      /** Makes the state of an environment that has none, in a transaction of its own. */
      begin: (tenant: RollupTenant) =>
        Effect.orDie(sql`
          INSERT INTO retention (workspace_id, environment)
          VALUES (${tenant.workspaceId}, ${tenant.environment}) ON CONFLICT DO NOTHING`),

      /** How far it is packed, and the first row from there on and the one `page` rows later that are from before the instant. */
      state: (tenant: RollupTenant, what: Compactable, beforeMs: number, page: number) => {
        const { before, column, table } = dated[what];
        const at = (offset: number) => sql`(
          SELECT ${floorMillis(column)} FROM ${sql(table)}
          WHERE ${mine(tenant)} AND ${sql(column)} >= ${sql(before)} AND ${sql(column)} < ${instant(beforeMs)}
          ORDER BY ${sql(column)} OFFSET ${offset} LIMIT 1)`;
        return Effect.orDie(sql<CompactionState>`
          SELECT CASE WHEN ${sql(before)} > '-infinity' THEN ${floorMillis(before)} END AS "packedBefore",
            ${at(0)} AS next, ${at(page)} AS later
          FROM retention WHERE ${mine(tenant)}`);
      },

      /** Whether the feed holds any events from before the instant, which are to be rolled up while they can be looked at. */
      feedsEvents: (tenant: RollupTenant, toMs: number) =>
        Effect.map(
          Effect.orDie(
            sql`SELECT 1 FROM event_delta WHERE ${mine(tenant)} AND quarter < ${instant(toMs)} LIMIT 1`,
          ),
          (rows) => rows.length > 0,
        ),

      /** Notes that everything from before the instant is packed. */
      note: (tenant: RollupTenant, what: Compactable, toMs: number) =>
        Effect.orDie(
          sql`UPDATE retention SET ${sql(dated[what].before)} = ${instant(toMs)} WHERE ${mine(tenant)}`,
        ),

      /** Packs the deliveries that were settled in a time; tells how many. */
      packDeliveries: (tenant: RollupTenant, fromMs: number | null, toMs: number) =>
        Effect.map(
          Effect.orDie(sql<{ readonly rows: number }>`
            WITH gone AS (
              DELETE FROM delivery WHERE ${mine(tenant)} AND settled_at >= ${from(fromMs)} AND settled_at < ${instant(toMs)}
              RETURNING campaign_key, notification_key, content_type, trigger_type, status, device_key, settled_at,
                date_bin('1 day', settled_at, 'epoch') AS day
            ), packed AS (
              INSERT INTO compacted_delivery (workspace_id, environment, day, content_type, trigger_type, status, campaign_keys,
                notification_keys, quarters, device_keys)
              SELECT ${tenant.workspaceId}, ${tenant.environment}, day, content_type, trigger_type, status, array_agg(campaign_key),
                array_agg(notification_key), array_agg(quarter), array_agg(device_key)
              FROM (
                SELECT *, floor(extract(epoch FROM settled_at - day) / 900)::int2 AS quarter
                FROM gone ORDER BY campaign_key, notification_key, quarter, device_key) AS ordered
              GROUP BY day, content_type, trigger_type, status
            )
            SELECT count(*)::int AS rows FROM gone`),
          ([row]) => row?.rows ?? 0,
        ),

      /**
       * Packs the exits of a time with the entries that they end, whenever those were, and whatever has waited for an exit for a year;
       * tells how many. An entry stays in its table until its exit is packed, so no packed stay can change.
       */
      packEvents: (tenant: RollupTenant, fromMs: number | null, toMs: number) =>
        Effect.map(
          Effect.orDie(sql<{ readonly rows: number }>`
            WITH leaving AS MATERIALIZED (
              SELECT ctid AS tid, device_key, location_key, occurred_at FROM geofence_event
              WHERE ${mine(tenant)} AND type = 'exit' AND occurred_at >= ${from(fromMs)} AND occurred_at < ${instant(toMs)}
            ), chosen AS (
              SELECT tid FROM leaving
              UNION
              SELECT entry.tid FROM (
                SELECT device_key, location_key, max(occurred_at) AS occurred_at FROM leaving GROUP BY 1, 2) AS last
              CROSS JOIN LATERAL (
                SELECT e.ctid AS tid FROM geofence_event e
                WHERE ${mine(tenant)} AND e.device_key = last.device_key AND e.location_key = last.location_key AND e.type = 'enter'
                  AND e.occurred_at < last.occurred_at AND ${makesStays(sql, mine(tenant))}
                OFFSET 0) AS entry
              UNION
              SELECT old.ctid FROM geofence_event old
              WHERE ${mine(tenant)} AND old.occurred_at < ${forgottenAt(toMs)}
                AND NOT (type = 'enter' AND ${makesStays(sql, mine(tenant))} AND EXISTS (
                  SELECT FROM geofence_event x
                  WHERE ${mine(tenant)} AND x.device_key = old.device_key AND x.location_key = old.location_key AND type = 'exit'
                    AND x.occurred_at > old.occurred_at AND ${makesStays(sql, mine(tenant))}))
            ), gone AS (
              DELETE FROM geofence_event WHERE ${mine(tenant)} AND ctid = ANY (ARRAY (SELECT tid FROM chosen))
              RETURNING device_key, location_key, type, occurred_at, date_bin('1 day', occurred_at, 'epoch') AS day,
                ${makesStays(sql, mine(tenant))} AS makes_stays
            ), visit AS (
              SELECT *, CASE WHEN type = 'enter' AND makes_stays THEN
                  min(occurred_at) FILTER (WHERE type = 'exit' AND occurred_at >= ${from(fromMs)}) OVER (
                    PARTITION BY location_key, device_key
                    ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END AS next_exit
              FROM gone
            ), packed AS (
              INSERT INTO compacted_event (workspace_id, environment, day, millis, device_keys, location_keys, enters, stayed)
              SELECT ${tenant.workspaceId}, ${tenant.environment}, day,
                array_agg(floor(extract(epoch FROM occurred_at - day) * 1000)::int4), array_agg(device_key),
                array_agg(location_key), array_agg(type = 'enter'),
                array_agg((extract(epoch FROM next_exit - occurred_at) * 1000000)::int8)
              FROM (SELECT * FROM visit ORDER BY occurred_at, device_key) AS ordered GROUP BY day
            )
            SELECT count(*)::int AS rows FROM gone`),
          ([row]) => row?.rows ?? 0,
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(RetentionSql, RetentionSql.make);
}
