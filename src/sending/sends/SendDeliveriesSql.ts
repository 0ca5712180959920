import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantColumns } from "../../database/TenantColumns.ts";
import { workspaceStatements } from "../../database/WorkspaceGroups.ts";
import { addedDeliveryDeltasSql } from "../../deltas/DeltasSql.ts";
import type { Transport } from "../../devices/PushAddress.ts";
import { recordedDeliveriesOfSql } from "../../outbox/RecordedEventsSql.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { batchParts } from "./batches/BatchDevicesSql.ts";
import { sourceColumns, type TakenBatch } from "./batches/BatchLeasesSql.ts";
import type { FirstStatus, InitialStatus } from "../deliveries/Delivery.ts";
import { usedCapSql } from "../deliveries/ReceiverSql.ts";
import type { StartedSend } from "./Send.ts";
import type { QuietZone } from "./holding/SendQuietHours.ts";
import { keptFactsSql, type SendFacts } from "../rendering/KeptFactsSql.ts";

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

const isSameTenant = (one: TenantKey, other: TenantKey): boolean =>
  one.workspaceId === other.workspaceId && one.environment === other.environment;

/** Statements that create the deliveries of batches. */
export class SendDeliveriesSql extends SqlService<SendDeliveriesSql>("waypost/sending/SendDeliveriesSql")(
  (sql) => {
    const { byWorkspace } = workspaceStatements(sql);
    const isWithinCap = sql`(due.cap_count IS NULL OR ${usedCapSql(sql, "due")} < due.cap_count)`;

    /** The variable parts of `deliver` while no device is in quiet hours. */
    const plain = {
      zone: sql``,
      allowed: sql``,
      rows: sql`due`,
      condition: isWithinCap,
      status: sql`g.status, g.last_error, NULL::timestamptz, g.settled_at`,
      dropped: sql``,
    };
    /** The same parts while some are: the rows within their caps, with the effect of quiet hours. */
    const during = (quiet: ReadonlyArray<QuietZone>, isOfSend: Statement.Fragment): typeof plain => ({
      zone: sql`, COALESCE(d.timezone, s.quiet_hours ->> 'timezone') AS zone`,
      allowed: sql`allowed AS MATERIALIZED (
        SELECT due.*, q.action, q.until FROM due
        LEFT JOIN ${unnested("q", quiet, {
          ...sourceColumns,
          zone: ["text", ({ timezone }) => timezone],
          action: ["text", ({ action }) => action],
          until: ["timestamptz", ({ until }) => until],
        })} ON ${isOfSend} q.zone = due.zone
        WHERE ${isWithinCap}
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
      /** The time zones of the devices of batches, and maybe more; null for devices without one. */
      zones: (taken: ReadonlyArray<TakenBatch>) =>
        Effect.map(
          byWorkspace(taken)((own) => {
            const { batches, zones } = batchParts(sql, own);
            return sql<{ readonly timezone: TimeZoneName | null }>`
              WITH ${batches} SELECT DISTINCT d.timezone ${zones}`;
          }),
          (rows) => [...new Set(rows.map(({ timezone }) => timezone))],
        ),

      /**
       * Creates the deliveries of batches, except for devices at their cap. `quiet`: the zones in which
       * the quiet hours of a send hold or drop its messages now. `facts`: what the texts of sends read.
       */
      deliver: (
        taken: ReadonlyArray<TakenBatch>,
        statuses: ReadonlyArray<TransportStatus>,
        quiet: ReadonlyArray<QuietZone>,
        facts: ReadonlyArray<SendFacts>,
        now: number,
      ) =>
        byWorkspace(taken)((own) => {
          const sends = new Set(own.map(({ sourceId }) => sourceId));
          const kept = keptFactsSql(
            sql,
            facts.filter(({ sourceId }) => sends.has(sourceId)),
          );
          const parts = batchParts(sql, own, kept.device);
          const { added, batches, created, devices, isOfTenant, order, user } = parts;
          const ownQuiet = quiet.filter(({ sourceId }) => sends.has(sourceId));
          // Deliveries with a pace wait in the queue, those for an inbox too. Without one it is as ever.
          const pacedIds = own.filter(({ paced }) => paced).map(({ sourceId }) => sourceId);
          const isPaced = (alias: string) =>
            sql`${sql(`${alias}.source_id`)} = ANY (${arrayOf("int8", pacedIds)})`;
          const waits = pacedIds.length > 0;
          const ownStatuses = statuses.filter((each) => own.some((batch) => isSameTenant(batch, each)));
          const { allowed, condition, dropped, rows, status, zone } =
            ownQuiet.length === 0 ? plain : during(ownQuiet, parts.isOfSend);
          return sql<CreatedDeliveries>`
          WITH ${batches}, due AS (
            SELECT s.workspace_id, s.environment, s.source_id, d.key AS device_key, d.transport,
              s.campaign_key, s.notification_key, s.content_key, s.content_type, s.cap_count,
              s.cap_since, ${user} AS user_key,
              CASE s.cap_by WHEN 'user' THEN ${user} END AS shared_by,
                CASE WHEN (s.templated ${waits ? sql`OR ${isPaced("s")}` : sql``}) AND d.transport = 'inbox'
                  THEN 'rendered' ELSE d.transport END AS route,
                ${kept.recipient} AS recipient ${zone}
              ${devices} ${kept.join}
          ), ${allowed} created AS (
            INSERT INTO delivery (workspace_id, environment, source_id, device_key, user_key,
              campaign_key, notification_key, content_key, content_type, trigger_type, location_key,
                transport, created_at, recipient, status, last_error, held_until, settled_at)
            SELECT due.workspace_id, due.environment, due.source_id, due.device_key, due.user_key,
              due.campaign_key, due.notification_key, due.content_key, due.content_type, 'fixed_time',
                NULL, due.transport, ${instant(now)}, due.recipient, ${status}
            FROM ${rows}
            JOIN ${unnested("g", ownStatuses, {
              ...tenantColumns,
              route: ["text", ({ route }) => route],
              status: ["text", (each) => each.status],
              last_error: ["text", ({ lastError }) => lastError],
              settled_at: ["timestamptz", (each) => (isSettled(each) ? now : null)],
            })} ON ${isOfTenant} g.route = due.route
            WHERE ${condition} ${order}
            RETURNING workspace_id, environment, source_id, device_key, transport, status ${created}
          ), added AS MATERIALIZED (
            ${added}
          ), ${addedDeliveryDeltasSql(
            sql,
            sql`SELECT *, 'fixed_time' AS trigger_type FROM added WHERE status IN ('delivered', 'failed')`,
            now,
          )}, queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport,
              due_at ${waits ? sql`, permit` : sql``})
            SELECT workspace_id, environment, source_id, device_key, transport, ${
              waits
                ? sql`CASE WHEN ${isPaced("c")} THEN 'infinity' ELSE ${instant(now)} END,
                    CASE WHEN ${isPaced("c")} THEN 1 ELSE 0 END`
                : instant(now)
            }
            FROM created c WHERE status = 'queued'
          ), ${recordedDeliveriesOfSql(sql, "created", now)}
          SELECT workspace_id AS "workspaceId", environment, source_id AS "sourceId", transport, status,
            count
          FROM added
          ${dropped}`;
        }),
    };
  },
) {}
