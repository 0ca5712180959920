import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import type { Transport } from "../devices/PushAddress.ts";
import type { Audience } from "../devices/SegmentRule.ts";
import { audienceSql } from "../devices/SegmentRuleSql.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { Beginning, DeliveryStatus } from "./Delivery.ts";
import { countedSql } from "./FrequencyCapSql.ts";
import type { StartedSend } from "./Send.ts";

/** A batch that was taken; the fence tells this taking from every other. */
export interface TakenBatch {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly sourceId: bigint;
  readonly batch: number;
  readonly fence: number;
  /** Its devices are listed one by one, else they are a range. */
  readonly listed: boolean;
  /** Of batch 0: whose devices it is to find. */
  readonly audience: Audience | null;
}

/** How many deliveries of a batch began in the same way. */
export interface MadeDeliveries {
  readonly transport: Transport;
  readonly status: DeliveryStatus;
  readonly count: number;
}

/** A send that came to its end, with the workspace's id as people know it. */
export interface FinishedSend {
  readonly workspace: string;
  readonly id: string;
  readonly campaignId: string;
  readonly targeted: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Every statement that carries out what has started. */
export class SendBatchesSql extends Context.Service<SendBatchesSql>()("waypost/sending/SendBatchesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const sendIs = ({ environment, sourceId, workspaceId }: StartedSend) =>
      sql`s.workspace_id = ${workspaceId} AND s.environment = ${environment} AND s.source_id = ${sourceId}`;
    const batchIs = ({ batch, environment, fence, sourceId, workspaceId }: TakenBatch) =>
      sql`b.workspace_id = ${workspaceId} AND b.environment = ${environment} AND b.source_id = ${sourceId}
        AND b.batch = ${batch} AND b.fence = ${fence}`;
    // Whom a send can reach at all: who was registered at that moment, and has an address that is not gone (contract L2, L6).
    const reachable = sql`d.registered_at <= s.started_at AND (d.unregistered_at IS NULL OR d.unregistered_at > s.started_at)
      AND d.address_gone_at IS NULL`;

    return {
      /**
       * Takes one open batch that nobody holds: the first ones of all sends before the second ones, so that a small send
       * does not wait for a large one. A campaign with a cap has one send in work at a time.
       */
      take: (now: number, leaseMillis: number) =>
        Effect.orDie(sql<TakenBatch>`
          WITH next AS (
            SELECT b.workspace_id, b.environment, b.source_id, b.batch FROM send_batch b
            WHERE (b.leased_until IS NULL OR b.leased_until <= ${instant(now)})
              AND NOT (b.capped AND EXISTS (SELECT FROM send_batch e WHERE e.workspace_id = b.workspace_id
                AND e.environment = b.environment AND e.campaign_key = b.campaign_key AND e.source_id < b.source_id))
            ORDER BY b.batch, b.source_id LIMIT 1
            FOR UPDATE OF b SKIP LOCKED
          )
          UPDATE send_batch b SET leased_until = ${instant(now + leaseMillis)}, fence = b.fence + 1
          FROM next n
          WHERE b.workspace_id = n.workspace_id AND b.environment = n.environment AND b.source_id = n.source_id AND b.batch = n.batch
          RETURNING b.workspace_id AS "workspaceId", b.environment, b.source_id AS "sourceId", b.batch, b.fence,
            b.devices IS NOT NULL AS listed, b.audience`),

      /** Holds a taken batch for longer; nothing if it was lost. */
      renew: (taken: TakenBatch, now: number, leaseMillis: number) =>
        Effect.orDie(
          sql`UPDATE send_batch b SET leased_until = ${instant(now + leaseMillis)} WHERE ${batchIs(taken)}`,
        ),

      /** Finds the devices of an audience in one look, and makes batches of them; a large one may take minutes. */
      find: (taken: TakenBatch, audience: Audience, size: number) => {
        const patience = sql`SET LOCAL statement_timeout = 300000`;
        const cut = sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, devices)
          SELECT m.workspace_id, m.environment, m.source_id, m.batch, m.campaign_key, m.capped, array_agg(m.key ORDER BY m.key)
          FROM (
            SELECT s.workspace_id, s.environment, s.source_id, s.campaign_key, s.cap_count IS NOT NULL AS capped, d.key,
              (1 + (row_number() OVER (ORDER BY d.key) - 1) / ${size}::int)::int AS batch
            FROM send s
            JOIN device d ON d.workspace_id = s.workspace_id AND d.environment = s.environment
            WHERE ${sendIs(taken)} AND d.workspace_id = ${taken.workspaceId} AND d.environment = ${taken.environment}
              AND ${reachable} AND (d.approved OR s.environment = 'production')
              AND (${audienceSql(sql, audience, "d")})
          ) AS m
          GROUP BY m.workspace_id, m.environment, m.source_id, m.batch, m.campaign_key, m.capped`;
        return Effect.orDie(Effect.andThen(patience, cut));
      },

      /** Makes the deliveries of a batch, but for devices that the cap keeps back. */
      deliver: (
        taken: TakenBatch,
        beginnings: ReadonlyArray<Beginning & { readonly transport: Transport }>,
        now: number,
      ) =>
        Effect.orDie(sql<MadeDeliveries>`
          WITH due AS (
            SELECT s.workspace_id, s.environment, s.source_id, d.key AS device_key, d.transport, s.campaign_key, s.notification_key,
              s.content_key, s.content_type, s.cap_count, s.cap_since
            FROM send s
            JOIN send_batch b ON b.workspace_id = s.workspace_id AND b.environment = s.environment AND b.source_id = s.source_id
            ${
              taken.listed
                ? sql`CROSS JOIN LATERAL unnest(b.devices) AS a (key)
                  JOIN device d ON d.workspace_id = s.workspace_id AND d.environment = s.environment AND d.key = a.key`
                : sql`JOIN device d ON d.workspace_id = s.workspace_id AND d.environment = s.environment
                  AND d.key BETWEEN b.first_key AND b.last_key AND ${reachable}`
            }
            WHERE ${sendIs(taken)} AND ${batchIs(taken)}
              AND d.workspace_id = ${taken.workspaceId} AND d.environment = ${taken.environment}
          ), made AS (
            INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key, content_key,
              content_type, trigger_type, location_key, transport, status, last_error, created_at, settled_at)
            SELECT due.workspace_id, due.environment, due.source_id, due.device_key, due.campaign_key, due.notification_key,
              due.content_key, due.content_type, 'fixed_time', NULL, due.transport, g.status, g.last_error, ${instant(now)},
              CASE WHEN g.status IN ('delivered', 'failed') THEN ${instant(now)} END
            FROM due
            JOIN unnest(${arrayOf(
              "text",
              beginnings.map(({ transport }) => transport),
            )}, ${arrayOf(
              "text",
              beginnings.map(({ status }) => status),
            )}, ${arrayOf(
              "text",
              beginnings.map(({ lastError }) => lastError),
            )}) AS g (transport, status, last_error) ON g.transport = due.transport
            WHERE due.cap_count IS NULL OR ${countedSql(sql, "due")} < due.cap_count
            RETURNING workspace_id, environment, source_id, device_key, transport, status
          ), queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
            SELECT workspace_id, environment, source_id, device_key, transport, ${instant(now)} FROM made WHERE status = 'queued'
          )
          SELECT transport, status, count(*)::int AS count FROM made GROUP BY 1, 2`),

      /** Adds to the figures of a send and holds it until the end of the transaction; no row if it was stopped. */
      count: (
        send: StartedSend,
        more: { readonly targeted: number; readonly delivered: number; readonly failed: number },
      ) =>
        Effect.orDie(sql<{ readonly id: string }>`
          UPDATE send s SET targeted = s.targeted + ${more.targeted}::int, delivered = s.delivered + ${more.delivered}::int,
            failed = s.failed + ${more.failed}::int
          WHERE ${sendIs(send)} AND s.status = 'running' RETURNING s.id`),

      /** Takes a batch off the work that is open; no row if it was lost. */
      close: (taken: TakenBatch) =>
        Effect.orDie(sql<{ readonly batch: number }>`
          DELETE FROM send_batch b WHERE ${batchIs(taken)} RETURNING b.batch`),

      /** Ends a send that has no open batch and knows what became of every delivery; a row if it did. */
      finish: (send: StartedSend, now: number) =>
        Effect.orDie(sql<FinishedSend>`
          UPDATE send s SET status = 'done', finished_at = ${instant(now)}
          WHERE ${sendIs(send)} AND s.status = 'running' AND s.delivered + s.failed = s.targeted
            AND NOT EXISTS (SELECT FROM send_batch b WHERE b.workspace_id = s.workspace_id
              AND b.environment = s.environment AND b.source_id = s.source_id)
          RETURNING s.id, s.campaign_id AS "campaignId", s.targeted, s.delivered, s.failed,
            (SELECT w.public_id FROM workspace w WHERE w.id = s.workspace_id) AS workspace`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendBatchesSql, SendBatchesSql.make);
}
