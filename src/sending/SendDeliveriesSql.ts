import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { instant, unnested } from "../database/Rows.ts";
import { sameTenant, tenantColumns, tenantIs } from "../database/TenantColumns.ts";
import { byWorkspace, type OneWorkspace, workspaceIs } from "../database/WorkspaceGroups.ts";
import { deliveryDeltasSql } from "../deltas/DeltasSql.ts";
import type { Transport } from "../devices/PushAddress.ts";
import { recordedDeliveriesOfSql } from "../outbox/RecordedEventsSql.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { batchColumns, sourceColumns, type TakenBatch } from "./BatchLeasesSql.ts";
import type { FirstStatus, InitialStatus } from "./Delivery.ts";
import { usedCapSql } from "./FrequencyCapSql.ts";
import type { StartedSend } from "./Send.ts";
import type { QuietZone } from "./holding/SendQuietHours.ts";

/**
 * How the deliveries of an environment begin: by transport, and of messages for the inbox that a worker has
 * to render first (`rendered`).
 */
export interface TransportStatus extends TenantKey, InitialStatus {
  readonly route: Transport | "rendered";
}

/** How many deliveries of a send were created with a transport and a status, or dropped. */
export interface CreatedDeliveries extends StartedSend {
  readonly transport: Transport;
  readonly status: FirstStatus;
  readonly count: number;
}

const isSettled = ({ status }: TransportStatus): boolean => status === "delivered" || status === "failed";

/**
 * Condition: the device `d` was registered when the send `s` started, wants messages now, and its address is
 * not gone (contract L2, L6, Q2).
 */
export const reachableSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  d.registered_at <= s.started_at AND (d.unregistered_at IS NULL OR d.unregistered_at > s.started_at)
    AND d.address_gone_at IS NULL AND d.subscribed`;

/** Statements that create the deliveries of batches. */
export class SendDeliveriesSql extends Context.Service<SendDeliveriesSql>()(
  "waypost/sending/SendDeliveriesSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const reachable = reachableSql(sql);

      /**
       * The devices of batches of a workspace: a common table expression of the batches, and what to select
       * from. One batch alone may be large: its constants give it a plan of its own.
       */
      const devicesOf = (workspaceId: OneWorkspace, taken: ReadonlyArray<TakenBatch>) => {
        const [first] = taken;
        if (first !== undefined && taken.length === 1)
          return {
            batches: sql`batch AS MATERIALIZED (
              SELECT s.*, b.first_key, b.last_key, b.devices, b.users
              FROM send s
              JOIN send_batch b ON ${sameTenant("b", "s")} AND b.source_id = s.source_id
              WHERE ${tenantIs("s", first)} AND s.source_id = ${first.sourceId}
                AND ${tenantIs("b", first)} AND b.source_id = ${first.sourceId} AND b.batch = ${first.batch}
                AND b.fence = ${first.fence}
            )`,
            devices: sql`FROM batch s ${
              first.listed
                ? sql`CROSS JOIN LATERAL unnest(s.devices, s.users) AS a (key, user_key)
                  JOIN device d ON ${tenantIs("d", first)} AND d.key = a.key AND d.subscribed`
                : sql`JOIN device d ON ${tenantIs("d", first)}
                  AND d.key BETWEEN s.first_key AND s.last_key AND ${reachable}`
            }`,
          };
        // Each `OFFSET 0` keeps its subquery apart: one index lookup for each batch, whatever the statistics
        // say.
        const isOwn = sql`${workspaceIs("d", workspaceId, "s")} AND d.environment = s.environment`;
        return {
          batches: sql`batch AS MATERIALIZED (
            SELECT s.* FROM ${unnested("t", taken, batchColumns)}
            CROSS JOIN LATERAL (
              SELECT s.*, b.first_key, b.last_key, b.devices, b.users
              FROM send_batch b
              JOIN send s ON ${sameTenant("s", "b")} AND s.source_id = b.source_id
              WHERE ${sameTenant("b", "t")} AND b.source_id = t.source_id AND b.batch = t.batch
                AND b.fence = t.fence
              OFFSET 0
            ) AS s
          )`,
          devices: sql`FROM batch s CROSS JOIN LATERAL (
            SELECT d.key, d.transport, d.timezone, d.user_key FROM device d
            WHERE ${isOwn} AND d.key BETWEEN s.first_key AND s.last_key AND ${reachable}
            UNION ALL
            SELECT d.key, d.transport, d.timezone,
              CASE s.cap_by WHEN 'user' THEN a.user_key ELSE d.user_key END
            FROM unnest(s.devices, s.users) AS a (key, user_key)
            JOIN device d ON ${isOwn} AND d.key = a.key AND d.subscribed
            OFFSET 0
          ) AS d`,
        };
      };

      /** The person of a device in `devicesOf`: of a list for people the one that is listed. */
      const userOf = (taken: ReadonlyArray<TakenBatch>) =>
        taken.length === 1 && taken[0]?.listed === true
          ? sql`CASE s.cap_by WHEN 'user' THEN a.user_key ELSE d.user_key END`
          : sql`d.user_key`;

      const isWithinCap = (workspaceId: OneWorkspace) =>
        sql`(due.cap_count IS NULL OR ${usedCapSql(sql, workspaceId, "due")} < due.cap_count)`;

      /** What differs in `deliver` while no device is in quiet hours. */
      const plain = (workspaceId: OneWorkspace) => ({
        zone: sql``,
        allowed: sql``,
        rows: sql`due`,
        condition: isWithinCap(workspaceId),
        status: sql`g.status, g.last_error, NULL::timestamptz, g.settled_at`,
        dropped: sql``,
      });
      /** What differs while some are: the rows within their caps, with what quiet hours do to them. */
      const during = (
        workspaceId: OneWorkspace,
        quiet: ReadonlyArray<QuietZone>,
      ): ReturnType<typeof plain> => ({
        zone: sql`, COALESCE(d.timezone, s.quiet_hours ->> 'timezone') AS zone`,
        allowed: sql`allowed AS MATERIALIZED (
          SELECT due.*, q.action, q.until FROM due
          LEFT JOIN ${unnested("q", quiet, {
            ...sourceColumns,
            zone: ["text", ({ timezone }) => timezone],
            action: ["text", ({ action }) => action],
            until: ["timestamptz", ({ until }) => until],
          })} ON ${sameTenant("q", "due")} AND q.source_id = due.source_id AND q.zone = due.zone
          WHERE ${isWithinCap(workspaceId)}
        ), `,
        rows: sql`allowed AS due`,
        condition: sql`due.action IS DISTINCT FROM 'drop'`,
        status: sql`CASE WHEN due.action IS NULL THEN g.status ELSE 'held' END,
          CASE WHEN due.action IS NULL THEN g.last_error END, due.until,
          CASE WHEN due.action IS NULL THEN g.settled_at END`,
        dropped: sql`UNION ALL
          SELECT workspace_id, environment, source_id, transport, 'dropped', count(*)::int
          FROM allowed WHERE action = 'drop' GROUP BY 1, 2, 3, 4`,
      });

      return {
        /** The time zones of the devices of batches; null for devices without one. */
        zones: (taken: ReadonlyArray<TakenBatch>) =>
          Effect.map(
            byWorkspace(sql, taken, (workspaceId, own) => {
              const { batches, devices } = devicesOf(workspaceId, own);
              return Effect.orDie(sql<{ readonly timezone: TimeZoneName | null }>`
                WITH ${batches} SELECT DISTINCT d.timezone ${devices}`);
            }),
            (rows) => [...new Set(rows.map(({ timezone }) => timezone))],
          ),

        /**
         * Creates the deliveries of batches, except for devices at their cap. `quiet`: the zones in which
         * the quiet hours of a send hold or drop its messages now.
         */
        deliver: (
          taken: ReadonlyArray<TakenBatch>,
          statuses: ReadonlyArray<TransportStatus>,
          quiet: ReadonlyArray<QuietZone>,
          now: number,
        ) =>
          byWorkspace(sql, taken, (workspaceId, own) => {
            const { allowed, condition, dropped, rows, status, zone } =
              quiet.length === 0 ? plain(workspaceId) : during(workspaceId, quiet);
            const { batches, devices } = devicesOf(workspaceId, own);
            return Effect.orDie(sql<CreatedDeliveries>`
            WITH ${batches}, due AS (
              SELECT s.workspace_id, s.environment, s.source_id, d.key AS device_key, d.transport,
                s.campaign_key, s.notification_key, s.content_key, s.content_type, s.cap_count,
                s.cap_since, ${userOf(own)} AS user_key,
                CASE s.cap_by WHEN 'user' THEN ${userOf(own)} END AS shared_by,
                CASE WHEN s.templated AND d.transport = 'inbox' THEN 'rendered' ELSE d.transport END AS route
                ${zone}
              ${devices}
            ), ${allowed} created AS (
              INSERT INTO delivery (workspace_id, environment, source_id, device_key, user_key,
                campaign_key, notification_key, content_key, content_type, trigger_type, location_key,
                transport, created_at, status, last_error, held_until, settled_at)
              SELECT due.workspace_id, due.environment, due.source_id, due.device_key, due.user_key,
                due.campaign_key, due.notification_key, due.content_key, due.content_type, 'fixed_time',
                NULL, due.transport, ${instant(now)}, ${status}
              FROM ${rows}
              JOIN ${unnested("g", statuses, {
                ...tenantColumns,
                route: ["text", ({ route }) => route],
                status: ["text", (each) => each.status],
                last_error: ["text", ({ lastError }) => lastError],
                settled_at: ["timestamptz", (each) => (isSettled(each) ? now : null)],
              })} ON ${sameTenant("g", "due")} AND g.route = due.route
              WHERE ${condition}
              RETURNING workspace_id, environment, source_id, device_key, campaign_key, notification_key,
                content_type, trigger_type, transport, status, settled_at
            ), ${deliveryDeltasSql(sql, sql`SELECT * FROM created`)}, queued AS (
              INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
              SELECT workspace_id, environment, source_id, device_key, transport, ${instant(now)}
              FROM created WHERE status = 'queued'
            ), ${recordedDeliveriesOfSql(sql, "created", now)}
            SELECT workspace_id AS "workspaceId", environment, source_id AS "sourceId", transport, status,
              count(*)::int AS count
            FROM created GROUP BY 1, 2, 3, 4, 5
            ${dropped}`);
          }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(SendDeliveriesSql, SendDeliveriesSql.make);
}
