import { Effect } from "effect";
import { dueWorkspaces } from "../../../database/DueWorkspaces.ts";
import { instant, unnested } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { sameTenant, tenantIsIn } from "../../../database/TenantColumns.ts";
import { deliveryDeltasSql } from "../../../deltas/DeltasSql.ts";
import { deviceObstacleSql } from "../../../devices/ObstacleSql.ts";
import { recordedDeliveriesOfSql } from "../../../outbox/RecordedEventsSql.ts";
import { workspaceStatements, inWorkspace, workspaceIs } from "../../../database/WorkspaceGroups.ts";
import { isOneOfSends, sourceColumns } from "../batches/BatchLeasesSql.ts";
import { permit } from "../../pacing/Pace.ts";
import type { HeldDelivery, ReleasedDelivery } from "./HeldDelivery.ts";
import type { StartedSend } from "../Send.ts";

/** Statements that release held deliveries. Bound: a page of 2,000. */
export class HeldDeliveriesSql extends SqlService<HeldDeliveriesSql>("waypost/sending/HeldDeliveriesSql")(
  (sql) => {
    const { byWorkspace, ofWorkspace } = workspaceStatements(sql);
    const isOneOf = isOneOfSends(sql);

    return {
      /** The workspaces with held deliveries whose quiet hours have ended, the longest ended first. */
      dueWorkspaces: (now: number) =>
        dueWorkspaces(sql, { table: "delivery", at: "held_until", condition: "status = 'held'" }, now),

      /**
       * Locks held deliveries whose quiet hours have ended, the longest ended first, and says what
       * prevents that they are sent. Leaves out those that other processes have locked.
       */
      lock: (workspaceId: number, now: number, limit: number) =>
        Effect.orDie(
          sql<HeldDelivery>`
          WITH locked AS MATERIALIZED (
            SELECT d.* FROM delivery d
            WHERE ${inWorkspace("d")} AND d.status = 'held'
              AND d.held_until <= ${instant(now)}
            ORDER BY d.held_until LIMIT ${limit}
            FOR UPDATE SKIP LOCKED
          ), due AS MATERIALIZED (
            SELECT d.workspace_id, d.environment, d.source_id, d.device_key, v.transport, d.content_key,
              d.campaign_key, d.notification_key, v.timezone,
              ${deviceObstacleSql(sql, "v")} AS device_obstacle
            FROM locked d
            JOIN device v ON ${workspaceIs("v", "d")} AND v.environment = d.environment
              AND v.key = d.device_key
          )
          SELECT d.workspace_id AS "workspaceId", d.environment, d.source_id AS "sourceId",
            d.device_key AS "deviceKey", d.transport, d.campaign_key AS "campaignKey",
            COALESCE(c.max_per_minute, w.max_per_minute) IS NOT NULL AS "isPaced",
            k.template IS NOT NULL AS templated,
            CASE WHEN c.ends_at < ${instant(now)} THEN p.local_at END AS "endedLocalAt",
            COALESCE(d.timezone, c.timezone) AS zone,
            CASE WHEN c.id IS NULL THEN 'deleted'
              WHEN c.paused THEN 'paused'
              WHEN c.ends_at < ${instant(now)} AND p.local_at IS NULL THEN 'ended'
              WHEN n.is_attached IS NULL THEN 'detached'
              WHEN w.deletion_scheduled_at IS NOT NULL THEN 'closing'
              ELSE d.device_obstacle END AS obstacle
          FROM due d
          JOIN workspace w ON w.id = d.workspace_id
          LEFT JOIN content k ON ${sameTenant("k", "d")} AND k.key = d.content_key
          LEFT JOIN campaign c ON ${sameTenant("c", "d")} AND c.key = d.campaign_key
          LEFT JOIN send s ON ${sameTenant("s", "d")} AND s.source_id = d.source_id
          LEFT JOIN send p ON ${sameTenant("p", "s")} AND p.id = s.parent_id
          LEFT JOIN LATERAL (
            SELECT true AS is_attached FROM notification n
            JOIN campaign_notification a ON ${sameTenant("a", "n")} AND a.notification_id = n.id
            WHERE ${sameTenant("n", "d")} AND n.key = d.notification_key AND a.campaign_id = c.id
            LIMIT 1
          ) AS n ON true`.pipe(ofWorkspace(workspaceId)),
        ),

      /** Locks sends until the transaction ends, in the order of their source ids. */
      lockSends: (sends: ReadonlyArray<StartedSend>) =>
        Effect.orDie(sql`
        SELECT FROM send s WHERE ${tenantIsIn("s", sends)} AND ${isOneOf("s", sends)}
        ORDER BY s.source_id FOR NO KEY UPDATE`),

      /** Gives locked deliveries their new status, queues pushes, and counts outcomes for the sends. */
      release: (all: ReadonlyArray<ReleasedDelivery>, now: number) =>
        byWorkspace(all)(
          (deliveries) => sql`
          WITH released AS MATERIALIZED (
            SELECT * FROM ${unnested("r", deliveries, {
              ...sourceColumns,
              device_key: ["int4", ({ deviceKey }) => deviceKey],
              transport: ["text", ({ transport }) => transport],
              status: ["text", ({ status }) => status],
              last_error: ["text", ({ lastError }) => lastError],
              permit: ["int4", ({ isPaced }) => (isPaced ? permit.held : permit.none)],
            })}
          ), updated AS (
            UPDATE delivery d SET status = r.status, transport = r.transport, last_error = r.last_error,
              settled_at = CASE WHEN r.status <> 'queued' THEN ${instant(now)} END
            FROM released r
            WHERE ${workspaceIs("d", "r")} AND d.environment = r.environment
              AND d.source_id = r.source_id AND d.device_key = r.device_key
              AND ${isOneOf("d", deliveries)}
            RETURNING d.*
          ), ${deliveryDeltasSql(sql, sql`SELECT * FROM updated WHERE NOT test`)}, queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at,
              held, permit)
            SELECT workspace_id, environment, source_id, device_key, transport, ${instant(now)}, true, permit
            FROM released WHERE status = 'queued'
          ), counted AS (
            UPDATE send s SET delivered = s.delivered + n.delivered, failed = s.failed + n.failed,
              held = s.held - n.delivered - n.failed
            FROM (
              SELECT workspace_id, environment, source_id,
                count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
                count(*) FILTER (WHERE status = 'failed')::int AS failed
              FROM released GROUP BY 1, 2, 3
            ) AS n
            WHERE ${sameTenant("s", "n")} AND s.source_id = n.source_id AND ${isOneOf("s", deliveries)}
          ), ${recordedDeliveriesOfSql(sql, "released", now)}
          SELECT 1`,
        ),
    };
  },
) {}
