import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, unnested } from "../database/Rows.ts";
import type { Transport } from "../devices/PushAddress.ts";
import { audienceSql } from "../devices/SegmentRuleSql.ts";
import { sameTenant, tenantColumns, tenantIs, tenantIsIn } from "../database/TenantColumns.ts";
import { recordedDeliveriesOfSql, recordedSendsSql } from "../outbox/RecordedEventsSql.ts";
import type { Environment, TenantKey } from "../workspaces/Environment.ts";
import type { DeliveryStatus, InitialStatus } from "./Delivery.ts";
import { usedCapSql } from "./FrequencyCapSql.ts";
import { batchColumns, isOneOfSends, sourceColumns, type TakenBatch } from "./BatchLeasesSql.ts";
import type { SendAudience, StartedSend } from "./Send.ts";

/**
 * How the deliveries of an environment begin: by transport, and of messages for the inbox that a worker has
 * to render first (`rendered`).
 */
export interface TransportStatus extends TenantKey, InitialStatus {
  readonly route: Transport | "rendered";
}

/** How many deliveries of a send were created with a transport and a status. */
export interface CreatedDeliveries extends StartedSend {
  readonly transport: Transport;
  readonly status: DeliveryStatus;
  readonly count: number;
}

/** Deliveries that a batch adds to the figures of its send. */
export interface AddedFigures extends StartedSend {
  readonly targeted: number;
  readonly delivered: number;
  readonly failed: number;
}

/** A send that is done, with the public id of its workspace. */
export interface FinishedSend {
  readonly environment: Environment;
  readonly workspace: string;
  readonly id: string;
  readonly campaignId: string;
  readonly targeted: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Statements that run started sends. */
export class SendBatchesSql extends Context.Service<SendBatchesSql>()("waypost/sending/SendBatchesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const sendIs = (send: StartedSend) => sql`${tenantIs("s", send)} AND s.source_id = ${send.sourceId}`;
    const batchIs = (taken: TakenBatch) =>
      sql`${tenantIs("b", taken)} AND b.source_id = ${taken.sourceId} AND b.batch = ${taken.batch}
        AND b.fence = ${taken.fence}`;
    // Devices that were registered when the send started, that want messages now, and whose address is not
    // gone (contract L2, L6, Q2).
    const reachable = sql`d.registered_at <= s.started_at
      AND (d.unregistered_at IS NULL OR d.unregistered_at > s.started_at) AND d.address_gone_at IS NULL
      AND d.subscribed`;
    const isOneOf = isOneOfSends(sql);
    /** The devices of batches. One batch alone may be large: its constants give it a plan of its own. */
    const devicesOf = (taken: ReadonlyArray<TakenBatch>) => {
      const [first] = taken;
      if (first !== undefined && taken.length === 1)
        return sql`
          FROM send s
          JOIN send_batch b ON ${sameTenant("b", "s")} AND b.source_id = s.source_id
          ${
            first.listed
              ? sql`CROSS JOIN LATERAL unnest(b.devices) AS a (key)
                JOIN device d ON ${sameTenant("d", "s")} AND d.key = a.key AND d.subscribed`
              : sql`JOIN device d ON ${sameTenant("d", "s")}
                AND d.key BETWEEN b.first_key AND b.last_key AND ${reachable}`
          }
          WHERE ${sendIs(first)} AND ${batchIs(first)} AND ${tenantIs("d", first)}`;
      // Each `OFFSET 0` keeps its subquery apart: one index lookup for each batch, whatever the statistics
      // say.
      return sql`
        FROM ${unnested("t", taken, batchColumns)}
        CROSS JOIN LATERAL (
          SELECT s.*, b.first_key, b.last_key, b.devices
          FROM send_batch b
          JOIN send s ON ${sameTenant("s", "b")} AND s.source_id = b.source_id
          WHERE ${sameTenant("b", "t")} AND b.source_id = t.source_id AND b.batch = t.batch
            AND b.fence = t.fence
          OFFSET 0
        ) AS s
        CROSS JOIN LATERAL (
          SELECT d.key, d.transport FROM device d
          WHERE ${sameTenant("d", "s")} AND d.key BETWEEN s.first_key AND s.last_key AND ${reachable}
          UNION ALL
          SELECT d.key, d.transport FROM unnest(s.devices) AS a (key)
          JOIN device d ON ${sameTenant("d", "s")} AND d.key = a.key AND d.subscribed
          OFFSET 0
        ) AS d`;
    };

    /**
     * Of a part of a send at a local time: the device is in its zones and in no earlier part. Batches of one
     * campaign's parts run one part after another, so that the earlier deliveries are there.
     */
    const isInPart = ({ local }: SendAudience) =>
      local === undefined
        ? sql`true`
        : sql`(d.timezone = ANY (${arrayOf("text", local.zones)})
            OR (${local.hasRest}::boolean AND d.timezone IS NULL))
          AND NOT EXISTS (
            SELECT FROM delivery x
            WHERE ${sameTenant("x", "d")} AND x.device_key = d.key
              AND x.source_id = ANY (${arrayOf("int8", local.earlier.map(BigInt))}))`;

    return {
      /** Allows the statements of this transaction five minutes: a large audience may take that. */
      allowLongStatements: Effect.orDie(sql`SET LOCAL statement_timeout = 300000`),

      /** Finds the devices of an audience and lists them in batches. */
      splitAudience: (taken: TakenBatch, audience: SendAudience, size: number) =>
        Effect.orDie(sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, devices)
          SELECT m.workspace_id, m.environment, m.source_id, m.batch, m.campaign_key, m.capped,
            array_agg(m.key ORDER BY m.key)
          FROM (
            SELECT s.workspace_id, s.environment, s.source_id, s.campaign_key,
              s.cap_count IS NOT NULL OR s.parent_id IS NOT NULL AS capped, d.key,
              (1 + (row_number() OVER (ORDER BY d.key) - 1) / ${size}::int)::int AS batch
            FROM send s
            JOIN device d ON ${sameTenant("d", "s")}
            WHERE ${sendIs(taken)} AND ${tenantIs("d", taken)} AND ${reachable}
              AND (d.approved OR s.environment = 'production')
              AND (${audienceSql(sql, audience, "d")}) AND ${isInPart(audience)}
          ) AS m
          GROUP BY m.workspace_id, m.environment, m.source_id, m.batch, m.campaign_key, m.capped`),

      /** Creates the deliveries of batches, except for devices at their cap. */
      deliver: (taken: ReadonlyArray<TakenBatch>, statuses: ReadonlyArray<TransportStatus>, now: number) =>
        Effect.orDie(sql<CreatedDeliveries>`
          WITH due AS (
            SELECT s.workspace_id, s.environment, s.source_id, d.key AS device_key, d.transport,
              s.campaign_key, s.notification_key, s.content_key, s.content_type, s.cap_count, s.cap_since,
              CASE WHEN s.templated AND d.transport = 'inbox' THEN 'rendered' ELSE d.transport END AS route
            ${devicesOf(taken)}
          ), created AS (
            INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
              notification_key, content_key, content_type, trigger_type, location_key, transport, status,
              last_error, created_at, settled_at)
            SELECT due.workspace_id, due.environment, due.source_id, due.device_key, due.campaign_key,
              due.notification_key, due.content_key, due.content_type, 'fixed_time', NULL, due.transport,
              g.status, g.last_error, ${instant(now)},
              CASE WHEN g.status IN ('delivered', 'failed') THEN ${instant(now)} END
            FROM due
            JOIN ${unnested("g", statuses, {
              ...tenantColumns,
              route: ["text", ({ route }) => route],
              status: ["text", ({ status }) => status],
              last_error: ["text", ({ lastError }) => lastError],
            })} ON ${sameTenant("g", "due")} AND g.route = due.route
            WHERE due.cap_count IS NULL OR ${usedCapSql(sql, "due")} < due.cap_count
            RETURNING workspace_id, environment, source_id, device_key, transport, status
          ), queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
            SELECT workspace_id, environment, source_id, device_key, transport, ${instant(now)}
            FROM created WHERE status = 'queued'
          ), ${recordedDeliveriesOfSql(sql, "created", now)}
          SELECT workspace_id AS "workspaceId", environment, source_id AS "sourceId", transport, status,
            count(*)::int AS count
          FROM created GROUP BY 1, 2, 3, 4, 5`),

      /**
       * Adds to the figures of sends and locks them until the end of the transaction, in the order of their
       * source ids. No row for a send that was stopped.
       */
      count: (added: ReadonlyArray<AddedFigures>) => {
        const ordered = added.toSorted((a, b) => Number(a.sourceId - b.sourceId));
        return Effect.orDie(sql<{ readonly id: string }>`
          WITH held AS MATERIALIZED (
            SELECT a.* FROM ${unnested("a", ordered, {
              ...sourceColumns,
              targeted: ["int4", ({ targeted }) => targeted],
              delivered: ["int4", ({ delivered }) => delivered],
              failed: ["int4", ({ failed }) => failed],
            })}
            CROSS JOIN LATERAL (
              SELECT s.id FROM send s
              WHERE ${sameTenant("s", "a")} AND s.source_id = a.source_id AND s.status = 'running'
              FOR NO KEY UPDATE
            ) AS s
          )
          UPDATE send s SET targeted = s.targeted + h.targeted, delivered = s.delivered + h.delivered,
            failed = s.failed + h.failed
          FROM held h
          WHERE ${sameTenant("s", "h")} AND s.source_id = h.source_id
          RETURNING s.id`);
      },

      /** Removes batches that have run. No row for one that was lost. */
      close: (taken: ReadonlyArray<TakenBatch>) =>
        Effect.orDie(sql<{ readonly batch: number }>`
          DELETE FROM send_batch b USING ${unnested("t", taken, batchColumns)}
          WHERE ${sameTenant("b", "t")} AND b.source_id = t.source_id AND b.batch = t.batch
            AND b.fence = t.fence AND ${isOneOf("b", taken)}
          RETURNING b.batch`),

      /**
       * Ends those sends that have no open batch and an outcome for every delivery. No row for one that does
       * not end.
       */
      finish: (sends: ReadonlyArray<StartedSend>, now: number) =>
        Effect.orDie(sql<FinishedSend>`
          WITH done AS (
            UPDATE send s SET status = 'done', finished_at = ${instant(now)}
            WHERE ${isOneOf("s", sends)}
              AND ${tenantIsIn("s", sends)}
              AND s.status = 'running' AND s.delivered + s.failed = s.targeted
              AND NOT EXISTS (
                SELECT FROM send_batch b
                WHERE ${sameTenant("b", "s")} AND b.source_id = s.source_id OFFSET 0
              )
            RETURNING s.*
          ), ${recordedSendsSql(sql, "done", now)}
          SELECT s.environment, s.id, s.campaign_id AS "campaignId", s.targeted, s.delivered, s.failed,
            (SELECT w.public_id FROM workspace w WHERE w.id = s.workspace_id) AS workspace
          FROM done s`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendBatchesSql, SendBatchesSql.make);
}
