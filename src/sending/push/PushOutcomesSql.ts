import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../../database/Rows.ts";
import type { QueuePartition } from "./PushQueueSql.ts";
import { pushColumns } from "./PushColumnsSql.ts";

/**
 * What became of a taken push. `dropped` was never handed over and leaves no trace: its send was stopped. `returned` was not handed over
 * either, and goes back to the queue as if it had not been taken.
 */
export const verdicts = ["delivered", "failed", "delayed", "dropped", "returned"] as const;
type Verdict = (typeof verdicts)[number];

/** An outcome as it is written down. */
export interface Settlement {
  readonly sourceId: bigint;
  readonly deviceKey: number;
  readonly fence: number;
  readonly verdict: Verdict;
  readonly error: string | null;
  /** When a delayed one is due again, in epoch milliseconds. */
  readonly dueAt: number | null;
}

/** A send whose figures grew. */
export interface CountedSend {
  readonly sourceId: bigint;
  /** Every device that it was made for has an outcome. */
  readonly isComplete: boolean;
}

/** Every statement on what became of pushes. */
export class PushOutcomesSql extends Context.Service<PushOutcomesSql>()("waypost/sending/PushOutcomesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const { deviceKeys, fences, sourceIds, tenantIs } = pushColumns(sql);

    return {
      /** Holds the sends of these pushes until the end of the transaction: sends come before what is queued of them, everywhere. */
      holdSends: (partition: QueuePartition, pushes: ReadonlyArray<{ readonly sourceId: bigint }>) =>
        Effect.orDie(sql`
          SELECT FROM send s WHERE ${tenantIs("s", partition)} AND s.source_id = ANY (${sourceIds(pushes)})
          ORDER BY s.source_id FOR NO KEY UPDATE`),

      /**
       * Writes down what became of taken pushes, but for those that another has taken since, and counts it for their sends. Gives how many
       * it wrote down, in each of at least one row, and the sends.
       */
      settle: (partition: QueuePartition, settlements: ReadonlyArray<Settlement>, now: number) =>
        Effect.orDie(sql<{ readonly settled: number } & (CountedSend | { readonly sourceId: null })>`
          WITH o AS (
            SELECT * FROM unnest(${sourceIds(settlements)}, ${deviceKeys(settlements)}, ${fences(settlements)}, ${arrayOf(
              "text",
              settlements.map(({ verdict }) => verdict),
            )}, ${arrayOf(
              "text",
              settlements.map(({ error }) => error),
            )}, ${arrayOf(
              "timestamptz",
              settlements.map(({ dueAt }) => dueAt),
            )}) AS o (source_id, device_key, fence, verdict, error, due_at)
          ), gone AS (
            DELETE FROM push_queue q USING o
            WHERE ${tenantIs("q", partition)} AND q.source_id = o.source_id AND q.device_key = o.device_key AND q.fence = o.fence
              AND o.verdict NOT IN ('delayed', 'returned')
            RETURNING o.*
          ), later AS (
            UPDATE push_queue q SET due_at = o.due_at,
              attempts = q.attempts - (CASE WHEN o.verdict = 'returned' THEN 1 ELSE 0 END)::smallint,
              first_at = CASE WHEN o.verdict = 'returned' AND q.attempts = 1 THEN NULL ELSE q.first_at END
            FROM o
            WHERE ${tenantIs("q", partition)} AND q.source_id = o.source_id AND q.device_key = o.device_key AND q.fence = o.fence
              AND o.verdict IN ('delayed', 'returned')
            RETURNING o.*
          ), written AS (
            UPDATE delivery d SET last_error = CASE WHEN o.verdict = 'returned' THEN d.last_error ELSE o.error END,
              attempts = d.attempts - (CASE WHEN o.verdict = 'returned' THEN 1 ELSE 0 END)::smallint,
              status = CASE WHEN o.verdict IN ('delayed', 'returned') THEN 'queued' ELSE o.verdict END,
              settled_at = CASE WHEN o.verdict NOT IN ('delayed', 'returned') THEN ${instant(now)} END
            FROM (SELECT * FROM gone WHERE verdict <> 'dropped' UNION ALL SELECT * FROM later) AS o
            WHERE ${tenantIs("d", partition)} AND d.source_id = o.source_id AND d.device_key = o.device_key
          ), dropped AS (
            DELETE FROM delivery d USING gone o
            WHERE ${tenantIs("d", partition)} AND d.source_id = o.source_id AND d.device_key = o.device_key AND o.verdict = 'dropped'
          ), counted AS (
          UPDATE send s SET delivered = s.delivered + n.delivered, failed = s.failed + n.failed, targeted = s.targeted - n.dropped
          FROM (
            SELECT source_id, count(*) FILTER (WHERE verdict = 'delivered')::int AS delivered,
              count(*) FILTER (WHERE verdict = 'failed')::int AS failed, count(*) FILTER (WHERE verdict = 'dropped')::int AS dropped
            FROM gone GROUP BY source_id
          ) AS n
          WHERE ${tenantIs("s", partition)} AND s.source_id = n.source_id
          RETURNING s.source_id, s.status = 'running' AND s.delivered + s.failed = s.targeted AS "isComplete"
          )
          SELECT a.settled, c.source_id AS "sourceId", c."isComplete"
          FROM (SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM later)::int AS settled) AS a LEFT JOIN counted c ON true`),

      /** Marks addresses as gone, but for those that were registered anew since (contract L6). */
      markGone: (
        partition: QueuePartition,
        addresses: ReadonlyArray<{ readonly deviceKey: number; readonly addressVersion: number }>,
        now: number,
      ) =>
        Effect.orDie(sql`
          UPDATE device v SET address_gone_at = ${instant(now)}
          FROM (
            SELECT h.key FROM device h
            JOIN unnest(${deviceKeys(addresses)}, ${arrayOf(
              "int4",
              addresses.map(({ addressVersion }) => addressVersion),
            )}) AS a (device_key, address_version) ON a.device_key = h.key AND a.address_version = h.address_version
            WHERE ${tenantIs("h", partition)} ORDER BY h.key FOR NO KEY UPDATE OF h
          ) AS held
          WHERE ${tenantIs("v", partition)} AND v.key = held.key AND v.transport = ${partition.transport}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushOutcomesSql, PushOutcomesSql.make);
}
