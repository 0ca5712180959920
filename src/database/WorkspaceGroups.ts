/**
 * Statements over items of several workspaces. On one PostgreSQL they are one statement, whose rows say which
 * workspace they are of. On a database of several nodes they are one for each workspace, which it names
 * (docs/decisions/0061). The text of a statement is written once, for one PostgreSQL: what a statement of one
 * workspace has otherwise are the parts that `SeveralNodes.ts` gives.
 */
import { Effect, type Scope } from "effect";
import { SqlClient, type SqlError, type Statement } from "effect/sql";
import { batched, batchedByKey, type BatchOptions } from "./Batched.ts";
import { callShard, ifDistributed, inForm } from "./SeveralNodes.ts";

export {
  inWorkspace,
  lockedSql,
  nextOf,
  ofBatch,
  ofOneWorkspace,
  table,
  workspaceIs,
} from "./SeveralNodes.ts";

interface OfWorkspace {
  readonly workspaceId: number;
}

/** The workspace of all items of a statement; null if the items say it. */
export type OneWorkspace = number | null;

type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>;

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

/** A row with the number of its item among all. */
const renumbered = <Row extends object>(row: Row, indexes: ReadonlyArray<number>): Row =>
  "ord" in row && typeof row.ord === "number" ? { ...row, ord: (indexes[row.ord - 1] ?? 0) + 1 } : row;

const eachWorkspace = <Item extends OfWorkspace, Row extends object>(
  items: ReadonlyArray<Item>,
  run: (workspaceId: number, items: ReadonlyArray<Item>) => Rows<Row>,
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.forEach(groupsOf(items), ([workspaceId, indexes]) =>
    Effect.map(
      run(
        workspaceId,
        indexes.flatMap((index) => items[index] ?? []),
      ),
      (rows) => rows.map((row) => renumbered(row, indexes)),
    ),
  ).pipe(
    Effect.map((all) => all.flat()),
    Effect.orDie,
  );

/** The ways to run a statement of workspaces. */
export const workspaceStatements = (sql: SqlClient.SqlClient) => {
  /** A statement of one workspace: `workspaceIs` and `inWorkspace` name it. As it is for null. */
  const ofWorkspace =
    (workspaceId: OneWorkspace) =>
    <Row extends object>(statement: Statement.Statement<Row>): Statement.Statement<Row> =>
      workspaceId === null ? statement : inForm(sql, { workspaceId, tables: null, ids: [] }, statement);

  return {
    ofWorkspace,

    /**
     * Runs a statement for items and gives its rows: for all at once, or for those of each workspace, always
     * in the same order. `ord` of a row is the number of its item among all items, from 1; in the statement
     * it is that among its own. `run` can send the statement in another way, such as unprepared.
     */
    byWorkspace:
      <Item extends OfWorkspace>(items: ReadonlyArray<Item>) =>
      <Row extends object>(
        statement: (items: ReadonlyArray<Item>) => Statement.Statement<Row>,
        run: (statement: Statement.Statement<Row>) => Rows<Row> = (whole) => whole,
      ): Effect.Effect<ReadonlyArray<Row>> =>
        ifDistributed(
          sql,
          () => eachWorkspace(items, (id, own) => run(ofWorkspace(id)(statement(own)))),
          () => Effect.orDie(run(statement(items))),
        ),

    /**
     * As `byWorkspace`, for a statement that inserts rows in several tables: it runs whole on the node that
     * has the workspace. It can only have the tables of `table`. There a bigint of a row is a number, and an
     * instant is a text.
     */
    onShard:
      <Item extends OfWorkspace>(items: ReadonlyArray<Item>) =>
      <Row extends object>(
        statement: (items: ReadonlyArray<Item>) => Statement.Statement<Row>,
      ): Effect.Effect<ReadonlyArray<Row>> =>
        ifDistributed(
          sql,
          () => eachWorkspace(items, (id, own) => callShard(sql, id, statement(own), own.length)),
          () => Effect.orDie(statement(items)),
        ),
  };
};

/** Whether the database has several nodes. */
export const isOnNodes = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  ifDistributed(
    sql,
    () => Effect.succeed(true),
    () => Effect.succeed(false),
  );

/** Runs a statement over all workspaces: `one`, or on a database of several nodes `several`. */
export const overWorkspaces = <Row>(
  sql: SqlClient.SqlClient,
  one: () => Rows<Row>,
  several: () => Rows<Row>,
): Effect.Effect<ReadonlyArray<Row>> => Effect.orDie(ifDistributed(sql, several, one));

/**
 * As `batched`. On several nodes the calls of each workspace have batches of their own, which run at the same
 * time: a transaction then stays on one node, and no node waits for another one.
 */
export const batchedByWorkspace = <Item, Answer, E, R>(
  options: BatchOptions<Item, Answer, E, R>,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const together = yield* batched(options);
    const apart = yield* batchedByKey(options);
    return (item) =>
      ifDistributed(
        sql,
        () => apart(item),
        () => together(item),
      );
  });

/** The workspaces that a job has work for: all at once (null), or those that a statement finds. */
export const workspacesWithWork = <E, R>(
  sql: SqlClient.SqlClient,
  find: Effect.Effect<ReadonlyArray<number>, E, R>,
): Effect.Effect<ReadonlyArray<OneWorkspace>, E, R> =>
  ifDistributed<ReadonlyArray<OneWorkspace>, E, R, never>(
    sql,
    () => find,
    () => Effect.succeed([null]),
  );
