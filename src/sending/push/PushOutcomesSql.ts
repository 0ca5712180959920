import { Effect } from "effect";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import { deliveryDeltasSql } from "../../deltas/DeltasSql.ts";
import { recordedDeliveriesSql } from "../../outbox/RecordedEventsSql.ts";
import { heldPushColumns } from "./PushColumnsSql.ts";
import type { QueuePartition } from "./PushQueueSql.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/**
 * How a taken push is settled. `dropped`: its send was stopped before any attempt, and the delivery is
 * deleted. `returned`: it was not sent, and goes back to the queue as if it had not been taken.
 */
export const verdicts = ["delivered", "failed", "delayed", "dropped", "returned"] as const;
type Verdict = (typeof verdicts)[number];

/** The settlement of a push, as it is stored. */
export interface Settlement {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
  readonly fence: number;
  readonly verdict: Verdict;
  readonly error: string | null;
  /** When a delayed or returned push is due again, in epoch milliseconds. */
  readonly dueAt: number | null;
}

/** A send whose figures have changed. */
export interface CountedSend {
  readonly sourceId: bigint;
  /** Every delivery has an outcome. */
  readonly isComplete: boolean;
}

/** Statements that settle pushes. Bound: 512 pushes. */
export class PushOutcomesSql extends SqlService<PushOutcomesSql>("waypost/sending/PushOutcomesSql")(
  (sql) => ({
    /** Locks the sends of pushes until the transaction ends. The lock order is always send, then queue. */
    lockSends: (partition: QueuePartition, pushes: ReadonlyArray<{ readonly sourceId: bigint }>) => {
      const sourceIds = pushes.map(({ sourceId }) => sourceId);
      return Effect.orDie(sql`
        SELECT FROM send s
        WHERE ${tenantIs("s", partition)} AND s.source_id = ANY (${arrayOf("int8", sourceIds)})
        ORDER BY s.source_id FOR NO KEY UPDATE`);
    },

    /**
     * Settles pushes whose fencing token is still valid, and counts them for their sends. Returns at least
     * one row; each has the number of settled pushes, and one of the sends if there are any.
     */
    settle: (partition: QueuePartition, settlements: ReadonlyArray<Settlement>, now: number) =>
      Effect.orDie(sql<{ readonly settled: number } & (CountedSend | { readonly sourceId: null })>`
        WITH o AS (
          SELECT * FROM ${unnested("o", settlements, {
            ...heldPushColumns,
            verdict: ["text", ({ verdict }) => verdict],
            error: ["text", ({ error }) => error],
            due_at: ["timestamptz", ({ dueAt }) => dueAt],
          })}
        ), ended AS (
          DELETE FROM push_queue q USING o
          WHERE ${tenantIs("q", partition)} AND q.source_id = o.source_id AND q.device_key = o.device_key
            AND q.fence = o.fence AND o.verdict NOT IN ('delayed', 'returned')
          RETURNING o.*, o.verdict AS status, q.held
        ), requeued AS (
          -- A renewal of the lease that is still on its way finds another token, and delays nothing.
          UPDATE push_queue q SET due_at = o.due_at, fence = q.fence + 1,
            permit = CASE WHEN o.verdict = 'returned' THEN q.permit ELSE 0 END,
            attempts = q.attempts - (CASE WHEN o.verdict = 'returned' THEN 1 ELSE 0 END)::smallint,
            first_at = CASE WHEN o.verdict = 'returned' AND q.attempts = 1 THEN NULL ELSE q.first_at END
          FROM o
          WHERE ${tenantIs("q", partition)} AND q.source_id = o.source_id AND q.device_key = o.device_key
            AND q.fence = o.fence AND o.verdict IN ('delayed', 'returned')
          RETURNING o.*
        ), updated AS (
          UPDATE delivery d SET
            last_error = CASE WHEN o.verdict = 'returned' THEN d.last_error ELSE o.error END,
            attempts = d.attempts - (CASE WHEN o.verdict = 'returned' THEN 1 ELSE 0 END)::smallint,
            status = CASE WHEN o.verdict IN ('delayed', 'returned') THEN 'queued' ELSE o.verdict END,
            settled_at = CASE WHEN o.verdict NOT IN ('delayed', 'returned') THEN ${instant(now)} END
          FROM (
            SELECT source_id, device_key, verdict, error, due_at FROM ended WHERE verdict <> 'dropped'
            UNION ALL SELECT source_id, device_key, verdict, error, due_at FROM requeued
          ) AS o
          WHERE ${tenantIs("d", partition)} AND d.source_id = o.source_id AND d.device_key = o.device_key
          RETURNING d.*
        ), ${deliveryDeltasSql(sql, sql`SELECT * FROM updated WHERE NOT test`)}, dropped AS (
          DELETE FROM delivery d USING ended o
          WHERE ${tenantIs("d", partition)} AND d.source_id = o.source_id AND d.device_key = o.device_key
            AND o.verdict = 'dropped'
        ), counted AS (
          UPDATE send s SET delivered = s.delivered + n.delivered, failed = s.failed + n.failed,
            targeted = s.targeted - n.dropped, held = s.held - n.held
          FROM (
            SELECT source_id, count(*) FILTER (WHERE verdict = 'delivered')::int AS delivered,
              count(*) FILTER (WHERE verdict = 'failed')::int AS failed,
              count(*) FILTER (WHERE verdict = 'dropped')::int AS dropped,
              count(*) FILTER (WHERE held)::int AS held
            FROM ended GROUP BY source_id
          ) AS n
          WHERE ${tenantIs("s", partition)} AND s.source_id = n.source_id
          RETURNING s.source_id,
            s.status = 'running' AND s.delivered + s.failed + s.held = s.targeted AS "isComplete"
        ), ${recordedDeliveriesSql(sql, partition, "ended", now)}
        SELECT a.settled, c.source_id AS "sourceId", c."isComplete"
        FROM (
          SELECT (SELECT count(*) FROM ended)::int + (SELECT count(*) FROM requeued)::int AS settled
        ) AS a LEFT JOIN counted c ON true`),

    /** Marks addresses as gone, except for devices that have registered again since (contract L6). */
    markGone: (
      partition: QueuePartition,
      addresses: ReadonlyArray<{ readonly deviceKey: DeviceKey; readonly addressVersion: number }>,
      now: number,
    ) =>
      Effect.orDie(sql`
        UPDATE device v SET address_gone_at = ${instant(now)}
        FROM (
          SELECT h.key FROM device h
          JOIN ${unnested("a", addresses, {
            device_key: ["int4", ({ deviceKey }) => deviceKey],
            address_version: ["int4", ({ addressVersion }) => addressVersion],
          })} ON a.device_key = h.key AND a.address_version = h.address_version
          WHERE ${tenantIs("h", partition)} ORDER BY h.key FOR NO KEY UPDATE OF h
        ) AS held
        WHERE ${tenantIs("v", partition)} AND v.key = held.key AND v.transport = ${partition.transport}`),
  }),
) {}
