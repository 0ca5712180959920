import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant, unnested } from "../database/Rows.ts";
import type { Transport } from "../devices/PushAddress.ts";
import type { Audience } from "../devices/SegmentRule.ts";
import { audienceSql } from "../devices/SegmentRuleSql.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import { recordedDeliveriesSql, recordedSendsSql } from "../outbox/RecordedEventsSql.ts";
import type { DeliveryStatus, InitialStatus } from "./Delivery.ts";
import { usedCapSql } from "./FrequencyCapSql.ts";
import type { StartedSend } from "./Send.ts";

/** A leased batch. The fencing token `fence` grows with every lease. */
export interface TakenBatch extends StartedSend {
  readonly batch: number;
  readonly fence: number;
  /** Whether its devices are listed one by one; otherwise they are a range of device keys. */
  readonly listed: boolean;
  /** Batch 0 only: the audience to split into batches. */
  readonly audience: Audience | null;
}

/** How many deliveries of a batch were created with a transport and a status. */
export interface CreatedDeliveries {
  readonly transport: Transport;
  readonly status: DeliveryStatus;
  readonly count: number;
}

/** A send that is done, with the public id of its workspace. */
export interface FinishedSend {
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

    const isOf = tenantIs(sql);
    const sendIs = (send: StartedSend) => sql`${isOf("s", send)} AND s.source_id = ${send.sourceId}`;
    const batchIs = (taken: TakenBatch) =>
      sql`${isOf("b", taken)} AND b.source_id = ${taken.sourceId} AND b.batch = ${taken.batch}
        AND b.fence = ${taken.fence}`;
    // Devices that were registered when the send started, and whose address is not gone (contract L2, L6).
    const reachable = sql`d.registered_at <= s.started_at
      AND (d.unregistered_at IS NULL OR d.unregistered_at > s.started_at) AND d.address_gone_at IS NULL`;

    return {
      /**
       * Leases one open batch. The first batches of all sends go before the second ones, so that a small send
       * does not wait for a large one. Only one send of a capped campaign runs at a time.
       */
      take: (now: number, leaseMillis: number) =>
        Effect.orDie(sql<TakenBatch>`
          WITH next AS (
            SELECT b.workspace_id, b.environment, b.source_id, b.batch FROM send_batch b
            WHERE (b.leased_until IS NULL OR b.leased_until <= ${instant(now)})
              AND NOT (b.capped AND EXISTS (
                SELECT FROM send_batch e
                WHERE ${sameTenant("e", "b")} AND e.campaign_key = b.campaign_key
                  AND e.source_id < b.source_id
              ))
            ORDER BY b.batch, b.source_id LIMIT 1
            FOR UPDATE OF b SKIP LOCKED
          )
          UPDATE send_batch b SET leased_until = ${instant(now + leaseMillis)}, fence = b.fence + 1
          FROM next n
          WHERE ${sameTenant("b", "n")} AND b.source_id = n.source_id AND b.batch = n.batch
          RETURNING b.workspace_id AS "workspaceId", b.environment, b.source_id AS "sourceId", b.batch,
            b.fence, b.devices IS NOT NULL AS listed, b.audience`),

      /** Extends the lease of a batch; does nothing if the batch was lost. */
      renew: (taken: TakenBatch, now: number, leaseMillis: number) =>
        Effect.orDie(
          sql`UPDATE send_batch b SET leased_until = ${instant(now + leaseMillis)} WHERE ${batchIs(taken)}`,
        ),

      /** Finds the devices of an audience and lists them in batches. A large audience may take minutes. */
      splitAudience: (taken: TakenBatch, audience: Audience, size: number) => {
        const timeout = sql`SET LOCAL statement_timeout = 300000`;
        const split = sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, devices)
          SELECT m.workspace_id, m.environment, m.source_id, m.batch, m.campaign_key, m.capped,
            array_agg(m.key ORDER BY m.key)
          FROM (
            SELECT s.workspace_id, s.environment, s.source_id, s.campaign_key,
              s.cap_count IS NOT NULL AS capped, d.key,
              (1 + (row_number() OVER (ORDER BY d.key) - 1) / ${size}::int)::int AS batch
            FROM send s
            JOIN device d ON ${sameTenant("d", "s")}
            WHERE ${sendIs(taken)} AND ${isOf("d", taken)} AND ${reachable}
              AND (d.approved OR s.environment = 'production')
              AND (${audienceSql(sql, audience, "d")})
          ) AS m
          GROUP BY m.workspace_id, m.environment, m.source_id, m.batch, m.campaign_key, m.capped`;
        return Effect.orDie(Effect.andThen(timeout, split));
      },

      /** Creates the deliveries of a batch, except for devices at their cap. */
      deliver: (
        taken: TakenBatch,
        statuses: ReadonlyArray<InitialStatus & { readonly transport: Transport }>,
        now: number,
      ) =>
        Effect.orDie(sql<CreatedDeliveries>`
          WITH due AS (
            SELECT s.workspace_id, s.environment, s.source_id, d.key AS device_key, d.transport,
              s.campaign_key, s.notification_key, s.content_key, s.content_type, s.cap_count, s.cap_since
            FROM send s
            JOIN send_batch b ON ${sameTenant("b", "s")} AND b.source_id = s.source_id
            ${
              taken.listed
                ? sql`CROSS JOIN LATERAL unnest(b.devices) AS a (key)
                  JOIN device d ON ${sameTenant("d", "s")} AND d.key = a.key`
                : sql`JOIN device d ON ${sameTenant("d", "s")}
                  AND d.key BETWEEN b.first_key AND b.last_key AND ${reachable}`
            }
            WHERE ${sendIs(taken)} AND ${batchIs(taken)} AND ${isOf("d", taken)}
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
              transport: ["text", ({ transport }) => transport],
              status: ["text", ({ status }) => status],
              last_error: ["text", ({ lastError }) => lastError],
            })} ON g.transport = due.transport
            WHERE due.cap_count IS NULL OR ${usedCapSql(sql, "due")} < due.cap_count
            RETURNING workspace_id, environment, source_id, device_key, transport, status
          ), queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
            SELECT workspace_id, environment, source_id, device_key, transport, ${instant(now)}
            FROM created WHERE status = 'queued'
          ), ${recordedDeliveriesSql(sql, taken, "created", now)}
          SELECT transport, status, count(*)::int AS count FROM created GROUP BY 1, 2`),

      /** Adds to a send's figures and locks it until the end of the transaction. No row if it was stopped. */
      count: (
        send: StartedSend,
        added: { readonly targeted: number; readonly delivered: number; readonly failed: number },
      ) =>
        Effect.orDie(sql<{ readonly id: string }>`
          UPDATE send s SET targeted = s.targeted + ${added.targeted}::int,
            delivered = s.delivered + ${added.delivered}::int, failed = s.failed + ${added.failed}::int
          WHERE ${sendIs(send)} AND s.status = 'running' RETURNING s.id`),

      /** Removes a batch that has run. No row if it was lost. */
      close: (taken: TakenBatch) =>
        Effect.orDie(sql<{ readonly batch: number }>`
          DELETE FROM send_batch b WHERE ${batchIs(taken)} RETURNING b.batch`),

      /** Ends a send that has no open batch and an outcome for every delivery. No row if it does not end. */
      finish: (send: StartedSend, now: number) =>
        Effect.orDie(sql<FinishedSend>`
          WITH done AS (
            UPDATE send s SET status = 'done', finished_at = ${instant(now)}
            WHERE ${sendIs(send)} AND s.status = 'running' AND s.delivered + s.failed = s.targeted
              AND NOT EXISTS (
                SELECT FROM send_batch b WHERE ${sameTenant("b", "s")} AND b.source_id = s.source_id
              )
            RETURNING s.*
          ), ${recordedSendsSql(sql, "done", now)}
          SELECT s.id, s.campaign_id AS "campaignId", s.targeted, s.delivered, s.failed,
            (SELECT w.public_id FROM workspace w WHERE w.id = s.workspace_id) AS workspace
          FROM done s`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendBatchesSql, SendBatchesSql.make);
}
