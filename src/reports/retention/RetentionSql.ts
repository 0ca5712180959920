import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { asNumber, instant } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { anyRow, onlyValue } from "../../database/Statements.ts";
import { isComplete } from "../rollups/RollupStateSql.ts";
import { isVisitBoundary } from "../SourceRowsSql.ts";
import { inTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The compacted rows: settled deliveries by `settled_at`, or events by `occurred_at`. */
export type Compactable = "deliveries" | "events";

/** How far an environment is compacted, its next row and the one a page later (epoch milliseconds). */
export interface CompactionState {
  readonly compactedBefore: number | null;
  readonly first: number | null;
  readonly pageEnd: number | null;
}

const tables = {
  deliveries: { table: "delivery", column: "settled_at", before: "deliveries_before" },
  events: { table: "geofence_event", column: "occurred_at", before: "events_before" },
} as const;

const floorMillis = (column: string) => asNumber(`floor(extract(epoch FROM ${column}) * 1000)`);

/**
 * The statements that compact rows past their retention. All but `environments` and `create` belong into one
 * transaction with one snapshot. Bound: a page of 10,000 rows.
 */
export class RetentionSql extends SqlService<RetentionSql>("waypost/reports/retention/RetentionSql")(
  (sql) => {
    const from = (fromMs: number | null) =>
      fromMs === null ? sql`'-infinity'::timestamptz` : sql`${instant(fromMs)}`;
    /** Events from before are compacted without an exit. No event may be that late (contract L1). */
    const abandonedBefore = (toMs: number) => sql`${instant(toMs)} - interval '366 days'`;

    return {
      /** Environments behind one, in order, and how far each is compacted (text of a timestamptz). */
      environments: (what: Compactable, behind: TenantKey | null, limit: number) =>
        Effect.orDie(sql<TenantKey & { readonly from: string }>`
          WITH state AS MATERIALIZED (
            SELECT workspace_id, environment, ${sql(tables[what].before)} AS before FROM retention
          )
          SELECT t.workspace_id AS "workspaceId", t.environment,
            COALESCE(r.before, '-infinity')::text AS from
          FROM tenant t LEFT JOIN state r USING (workspace_id, environment)
          WHERE (t.workspace_id, t.environment) > (${behind?.workspaceId ?? 0}::int,
            ${behind?.environment ?? ""})
          ORDER BY t.workspace_id, t.environment LIMIT ${limit}`),

      /** Whether an environment has rows to compact from before an instant (epoch milliseconds). */
      hasRows: (tenant: TenantKey & { readonly from: string }, what: Compactable, beforeMs: number) => {
        const { column, table } = tables[what];
        const isFound = (condition: Statement.Fragment) =>
          sql`EXISTS (SELECT 1 FROM ${sql(table)} WHERE ${inTenant(tenant)} AND ${condition})`;
        const isPending = isFound(
          sql`${sql(column)} >= ${tenant.from}::text::timestamptz AND ${sql(column)} < ${instant(beforeMs)}`,
        );
        const isAbandoned = isFound(sql`${sql(column)} < ${abandonedBefore(beforeMs)}`);
        return onlyValue(sql<{ readonly isFound: boolean }>`
          SELECT ${what === "events" ? sql`${isPending} OR ${isAbandoned}` : isPending} AS "isFound"`);
      },

      /** Makes every statement of this transaction read the same snapshot. It must be the first. */
      useSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),

      /** Locks the compaction of an environment for the transaction; false if another has it. */
      lock: (tenant: TenantKey) =>
        anyRow(sql`SELECT 1 FROM retention WHERE ${inTenant(tenant)} FOR UPDATE SKIP LOCKED`),

      /** Locks the rollups of an environment until the transaction ends; false while they are incomplete. */
      lockRollups: (tenant: TenantKey) =>
        anyRow(sql`SELECT 1 FROM rollup_state WHERE ${inTenant(tenant)} AND ${isComplete} FOR UPDATE`),

      /** Creates the state of an environment that has none, in its own transaction. */
      create: (tenant: TenantKey) =>
        Effect.orDie(sql`
          INSERT INTO retention (workspace_id, environment)
          VALUES (${tenant.workspaceId}, ${tenant.environment}) ON CONFLICT DO NOTHING`),

      /** How far an environment is compacted, and its next page of rows from before an instant. */
      state: (tenant: TenantKey, what: Compactable, beforeMs: number, pageSize: number) => {
        const { before, column, table } = tables[what];
        const at = (offset: number) => sql`(
          SELECT ${floorMillis(column)} FROM ${sql(table)}
          WHERE ${inTenant(tenant)}
            AND ${sql(column)} >= (SELECT ${sql(before)} FROM retention WHERE ${inTenant(tenant)})
            AND ${sql(column)} < ${instant(beforeMs)}
          ORDER BY ${sql(column)} OFFSET ${offset} LIMIT 1)`;
        return Effect.orDie(sql<CompactionState>`
          SELECT CASE WHEN ${sql(before)} > '-infinity' THEN ${floorMillis(before)} END AS "compactedBefore",
            ${at(0)} AS first, ${at(pageSize)} AS "pageEnd"
          FROM retention WHERE ${inTenant(tenant)}`);
      },

      /** Whether deltas of events from before an instant are pending. */
      hasPendingEvents: (tenant: TenantKey, toMs: number) =>
        anyRow(
          sql`SELECT 1 FROM event_delta WHERE ${inTenant(tenant)} AND quarter < ${instant(toMs)} LIMIT 1`,
        ),

      /** Saves that everything from before an instant is compacted. */
      save: (tenant: TenantKey, what: Compactable, toMs: number) =>
        Effect.orDie(
          sql`UPDATE retention SET ${sql(tables[what].before)} = ${instant(toMs)} WHERE ${inTenant(tenant)}`,
        ),

      /** Compacts the deliveries that were settled in a period, deletes test sends, and gives the number. */
      compactDeliveries: (tenant: TenantKey, fromMs: number | null, toMs: number) =>
        onlyValue(sql<{ readonly rows: number }>`
          WITH deleted AS (
            DELETE FROM delivery
            WHERE ${inTenant(tenant)} AND settled_at >= ${from(fromMs)} AND settled_at < ${instant(toMs)}
            RETURNING source_id, campaign_key, notification_key, content_type, trigger_type, status,
              device_key, test,
              settled_at, opened_at, clicked_at, date_bin('1 day', settled_at, 'epoch') AS day
          ), deleted_answers AS (
            DELETE FROM test_response r USING deleted d
            WHERE r.workspace_id = ${tenant.workspaceId} AND r.environment = ${tenant.environment}
              AND r.source_id = d.source_id AND r.device_key = d.device_key AND d.test
          ), interaction AS (
            SELECT date_bin('1 day', at, 'epoch') AS day, content_type, trigger_type, campaign_key,
              notification_key,
              floor(extract(epoch FROM at - date_bin('1 day', at, 'epoch')) / 900)::int2 AS quarter,
              sum(opened)::int4 AS opened, sum(clicked)::int4 AS clicked
            FROM deleted,
              LATERAL (VALUES (opened_at, 1, 0), (clicked_at, 0, 1)) AS each (at, opened, clicked)
            WHERE at IS NOT NULL AND NOT test GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
          ), compacted_interactions AS (
            INSERT INTO compacted_interaction (workspace_id, environment, day, content_type, trigger_type,
              campaign_keys, notification_keys, quarters, opened, clicked)
            SELECT ${tenant.workspaceId}, ${tenant.environment}, day, content_type, trigger_type,
              array_agg(campaign_key), array_agg(notification_key), array_agg(quarter),
              array_agg(opened), array_agg(clicked)
            FROM interaction GROUP BY day, content_type, trigger_type
          ), compacted AS (
            INSERT INTO compacted_delivery (workspace_id, environment, day, content_type, trigger_type,
              status, campaign_keys, notification_keys, quarters, device_keys)
            SELECT ${tenant.workspaceId}, ${tenant.environment}, day, content_type, trigger_type, status,
              array_agg(campaign_key), array_agg(notification_key), array_agg(quarter),
              array_agg(device_key)
            FROM (
              SELECT *, floor(extract(epoch FROM settled_at - day) / 900)::int2 AS quarter
              FROM deleted WHERE NOT test
              ORDER BY campaign_key, notification_key, quarter, device_key) AS ordered
            GROUP BY day, content_type, trigger_type, status
          )
          SELECT count(*)::int AS rows FROM deleted`),

      /**
       * Compacts the exits of a period with the entries that they end, whenever those were, and everything
       * that has waited for an exit for a year; gives the number of events. An entry stays in its table until
       * its exit is compacted, so no compacted visit can change.
       */
      compactEvents: (tenant: TenantKey, fromMs: number | null, toMs: number) =>
        onlyValue(sql<{ readonly rows: number }>`
          WITH leaving AS MATERIALIZED (
            SELECT device_key, id, location_key, occurred_at FROM geofence_event
            WHERE ${inTenant(tenant)} AND type = 'exit'
              AND occurred_at >= ${from(fromMs)} AND occurred_at < ${instant(toMs)}
          ), chosen AS MATERIALIZED (
            SELECT device_key, id FROM leaving
            UNION
            SELECT entry.device_key, entry.id FROM (
              SELECT device_key, location_key, max(occurred_at) AS occurred_at FROM leaving GROUP BY 1,
                2) AS last
            CROSS JOIN LATERAL (
              SELECT e.device_key, e.id FROM geofence_event e
              WHERE ${inTenant(tenant)} AND e.device_key = last.device_key
                AND e.location_key = last.location_key
                AND e.type = 'enter' AND e.occurred_at < last.occurred_at
                AND ${isVisitBoundary(sql, inTenant(tenant))}
              OFFSET 0) AS entry
            UNION
            SELECT old.device_key, old.id FROM geofence_event old
            WHERE ${inTenant(tenant)} AND old.occurred_at < ${abandonedBefore(toMs)}
              AND NOT (type = 'enter' AND ${isVisitBoundary(sql, inTenant(tenant))} AND EXISTS (
                SELECT FROM geofence_event x
                WHERE ${inTenant(tenant)} AND x.device_key = old.device_key
                  AND x.location_key = old.location_key
                  AND type = 'exit' AND x.occurred_at > old.occurred_at
                  AND ${isVisitBoundary(sql, inTenant(tenant))}))
          ), removed AS (
            DELETE FROM geofence_event e USING chosen c
            WHERE ${tenantIs("e", tenant)} AND e.device_key = c.device_key AND e.id = c.id
            RETURNING e.device_key, e.location_key, e.type, e.occurred_at, e.received_at,
              date_bin('1 day', e.occurred_at, 'epoch') AS day
          ), deleted AS (
            SELECT *, ${isVisitBoundary(sql, inTenant(tenant))} AS is_boundary FROM removed
          ), visit AS (
            SELECT *, CASE WHEN type = 'enter' AND is_boundary THEN
                min(occurred_at) FILTER (WHERE type = 'exit' AND occurred_at >= ${from(fromMs)}) OVER (
                  PARTITION BY location_key, device_key
                  ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING
                    AND 1 PRECEDING) END AS next_exit
            FROM deleted
          ), compacted AS (
            INSERT INTO compacted_event (workspace_id, environment, day, millis, device_keys, location_keys,
              enters, visit_micros)
            SELECT ${tenant.workspaceId}, ${tenant.environment}, day,
              array_agg(floor(extract(epoch FROM occurred_at - day) * 1000)::int4), array_agg(device_key),
              array_agg(location_key), array_agg(type = 'enter'),
              array_agg((extract(epoch FROM next_exit - occurred_at) * 1000000)::int8)
            FROM (SELECT * FROM visit ORDER BY occurred_at, device_key) AS ordered GROUP BY day
          )
          SELECT count(*)::int AS rows FROM deleted`),
    };
  },
) {}
