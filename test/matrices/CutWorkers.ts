import { assert } from "@effect/vitest";
import { Effect, Exit } from "effect";
import { SqlClient } from "effect/sql";
import { transactionsEnd } from "../database/OnCitus.ts";
import type { Dice } from "../sending/Dice.ts";
import { anyCut, Connections } from "../sending/sends/SimulationWorld.ts";
import type { Cut } from "./CutConnections.ts";
import { whileTimeMoves } from "./MovingTime.ts";

/** A worker of pages, each in a transaction. */
export interface PagedWorker<E, R> {
  /** Runs all pages that are due. */
  readonly run: Effect.Effect<void, E, R>;
  readonly pageSize: number;
  /** The number of rows that are due. */
  readonly due: Effect.Effect<number, never, SqlClient.SqlClient>;
}

/** Runs a worker so many times at once, with one connection cut. Returns whether it was, and the failures. */
export const runCut = Effect.fnUntraced(function* <E, R>(
  { run }: Pick<PagedWorker<E, R>, "run">,
  processes: number,
  cut: Cut,
) {
  const connections = yield* Connections;
  // The server may still be noting when a device was last seen.
  yield* transactionsEnd;
  const { isDone } = connections.arm(cut);
  const exits = yield* whileTimeMoves(
    Effect.all(
      Array.from({ length: processes }, () => Effect.exit(run)),
      { concurrency: processes },
    ),
  );
  const wasCut = isDone();
  connections.disarm();
  yield* transactionsEnd;
  return { wasCut, failures: exits.filter(Exit.isFailure).length };
});

/** Cuts the connection of a worker before its first statement, its second and so on, until it ends uncut. */
export const cutAtStatements = Effect.fnUntraced(function* <E, R>(worker: PagedWorker<E, R>) {
  assert.isAbove(yield* worker.due, worker.pageSize);
  let number = 1;
  while ((yield* runCut(worker, 1, { at: "statement", number })).wasCut) number++;
  assert.isAbove(number, 6);
  assert.strictEqual(yield* worker.due, 0);
});

/** Cuts the connection of a worker before and after the COMMIT of each page, until no row is due. */
export const cutAroundCommits = Effect.fnUntraced(function* <E, R>(worker: PagedWorker<E, R>) {
  const { due, pageSize } = worker;
  assert.isAbove(yield* due, pageSize);
  let isAfter = false;
  while (true) {
    const before = yield* due;
    if (before === 0) return;
    const { failures } = yield* runCut(worker, 1, { at: isAfter ? "after commit" : "before commit" });
    assert.strictEqual(failures, 1);
    assert.strictEqual(yield* due, isAfter ? Math.max(0, before - pageSize) : before);
    isAfter = !isAfter;
  }
});

/**
 * Runs three workers at once with a random cut, until no row is due, but at most so many times. Two of them
 * share what the cut one leaves.
 */
export const cutAnywhere = Effect.fnUntraced(function* <E, R>(
  worker: PagedWorker<E, R>,
  dice: Dice,
  rounds: number,
) {
  for (let round = 0; round < rounds && (yield* worker.due) > 0; round++)
    assert.isTrue((yield* runCut(worker, 3, anyCut(dice))).wasCut);
});

/** Runs two workers at once, uncut, until no row is due. */
export const runUncut = Effect.fnUntraced(function* <E, R>({ due, run }: PagedWorker<E, R>) {
  yield* whileTimeMoves(Effect.all([run, run], { concurrency: 2 }));
  assert.strictEqual(yield* due, 0);
});

/**
 * Asserts that each settled delivery of a workspace has one row in the ledger of reports, and one event for
 * the webhook that listens to all. Returns how many have each status.
 */
export const settledOnce = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const statuses = yield* sql<{ readonly status: string; readonly count: number }>`
    SELECT status, count(*)::int AS count FROM delivery WHERE workspace_id = ${workspaceId}
    GROUP BY 1 ORDER BY 1`;
  const counted = yield* sql`
    SELECT status, sum(cardinality(device_keys))::int AS count FROM delivery_delta
    WHERE workspace_id = ${workspaceId} GROUP BY 1 ORDER BY 1`;
  const recorded = yield* sql`
    SELECT d.status, count(*)::int AS count, count(DISTINCT (d.source_id, d.device_key))::int AS different
    FROM webhook_event e
    CROSS JOIN LATERAL generate_subscripts(e.device_keys, 1) AS n
    JOIN delivery d ON d.workspace_id = e.workspace_id AND d.environment = e.environment
      AND d.device_key = e.device_keys[n] AND e.type = 'message.' || d.status
      AND d.source_id = CASE cardinality(e.source_ids) WHEN 1 THEN e.source_ids[1] ELSE e.source_ids[n] END
    WHERE e.workspace_id = ${workspaceId} GROUP BY 1 ORDER BY 1`;
  const settled = statuses.filter(({ status }) => status === "delivered" || status === "failed");
  assert.deepStrictEqual(counted, settled);
  assert.deepStrictEqual(
    recorded,
    settled.map((each) => ({ ...each, different: each.count })),
  );
  return Object.fromEntries(statuses.map(({ count, status }) => [status, count]));
});
