/**
 * Statements over items of several workspaces. On one PostgreSQL they are one statement, whose rows say which
 * workspace they are of. On Citus they are one for each workspace, which it names (docs/decisions/0061).
 */
import { Effect, type Scope } from "effect";
import { SqlClient, Statement } from "effect/sql";
import { batched, batchedByKey } from "./Batched.ts";
import { isDistributed } from "./citus/IsDistributed.ts";
import { onShard } from "./citus/ShardCall.ts";

interface OfWorkspace {
  readonly workspaceId: number;
}

/** The workspace of all items of a statement; null if the items say it. */
export type OneWorkspace = number | null;

/** Condition: a row is of the workspace, or of that of the row of another alias. Aliases are trusted text. */
export const workspaceIs = (alias: string, workspaceId: OneWorkspace, other: string): Statement.Fragment =>
  Statement.fragment(
    workspaceId === null
      ? [Statement.literal(`${alias}.workspace_id = ${other}.workspace_id`)]
      : [Statement.literal(`${alias}.workspace_id = `), Statement.parameter(workspaceId)],
  );

/** Condition: a row is of the workspace, if there is one. */
export const inWorkspace = (alias: string, workspaceId: OneWorkspace): Statement.Fragment =>
  Statement.fragment(
    workspaceId === null
      ? [Statement.literal("true")]
      : [Statement.literal(`${alias}.workspace_id = `), Statement.parameter(workspaceId)],
  );

/** The items of each workspace with their indexes, in the order of the workspaces. */
const groupsOf = (items: ReadonlyArray<OfWorkspace>): ReadonlyArray<readonly [number, Array<number>]> => {
  const groups = new Map<number, Array<number>>();
  for (const [index, { workspaceId }] of items.entries()) {
    const group = groups.get(workspaceId);
    if (group === undefined) groups.set(workspaceId, [index]);
    else group.push(index);
  }
  return [...groups].sort(([one], [other]) => one - other);
};

/**
 * Runs a statement for items and gives its rows: for all at once, or for those of each workspace, always in
 * the same order. `ord` of a row is the number of its item among all items, from 1; in the statement it is
 * that among its own.
 */
export const byWorkspace = <Item extends OfWorkspace, Row, E, R>(
  sql: SqlClient.SqlClient,
  items: ReadonlyArray<Item>,
  run: (workspaceId: OneWorkspace, items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Row>, E, R>,
): Effect.Effect<ReadonlyArray<Row>, E, R> =>
  Effect.flatMap(isDistributed(sql), (isSpread) => {
    if (!isSpread) return run(null, items);
    const [first] = items;
    const groups = groupsOf(items);
    if (first !== undefined && groups.length === 1) return run(first.workspaceId, items);
    return Effect.map(
      Effect.forEach(groups, ([workspaceId, indexes]) =>
        Effect.map(
          run(
            workspaceId,
            indexes.flatMap((index) => items[index] ?? []),
          ),
          (rows) =>
            rows.map((row) =>
              typeof row === "object" && row !== null && "ord" in row && typeof row.ord === "number"
                ? { ...row, ord: (indexes[row.ord - 1] ?? 0) + 1 }
                : row,
            ),
        ),
      ),
      (all) => all.flat(),
    );
  });

/** As `byWorkspace`, for a statement that inserts rows in several tables: on Citus it runs `onShard`. */
export const byShard = <Item extends OfWorkspace, Row extends object>(
  sql: SqlClient.SqlClient,
  items: ReadonlyArray<Item>,
  statement: (workspaceId: OneWorkspace, items: ReadonlyArray<Item>) => Statement.Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.orDie(
    byWorkspace(sql, items, (workspaceId, own) => onShard(sql, workspaceId, statement(workspaceId, own))),
  );

/**
 * As `batched`. On Citus the calls of each workspace have batches of their own, which run at the same time: a
 * transaction then stays on one node, and no node waits for another one.
 */
export const batchedByWorkspace = <Item, Answer, E, R>(
  maxBatch: number,
  workspaceOf: (item: Item) => number,
  run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, E, R>,
  pause = 0,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const together = yield* batched(maxBatch, run, pause);
    const apart = yield* batchedByKey(maxBatch, (item: Item) => String(workspaceOf(item)), run);
    return (item) =>
      Effect.flatMap(isDistributed(sql), (isSpread) => (isSpread ? apart(item) : together(item)));
  });

/** The workspaces that a job has work for: all at once (null), or those that a statement finds. */
export const workspacesWithWork = <E, R>(
  sql: SqlClient.SqlClient,
  find: Effect.Effect<ReadonlyArray<number>, E, R>,
): Effect.Effect<ReadonlyArray<OneWorkspace>, E, R> =>
  Effect.flatMap(isDistributed(sql), (isSpread): Effect.Effect<ReadonlyArray<OneWorkspace>, E, R> =>
    isSpread ? find : Effect.succeed([null]),
  );

/**
 * A query that locks rows, for a common table expression that others read. Citus 13 reads the result of one
 * that locks at its top level in the wrong format, if it also joins something that is no table.
 */
export const lockedSql = (sql: SqlClient.SqlClient, query: Statement.Fragment): Statement.Fragment =>
  sql`SELECT * FROM (${query}) AS locked`;
