/** Statements over items of several workspaces, one for each: a distributed table is written by workspace. */
import { Effect } from "effect";
import type { SqlClient, Statement } from "effect/sql";

interface OfWorkspace {
  readonly workspaceId: number;
}

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
 * Runs a statement for the items of each workspace, always in the same order, and gives the rows of all. `ord`
 * of a row is the number of its item among all items, from 1; in the statement it is that among its own.
 */
export const byWorkspace = <Item extends OfWorkspace, Row extends { readonly ord: number }, E, R>(
  items: ReadonlyArray<Item>,
  run: (workspaceId: number, items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Row>, E, R>,
): Effect.Effect<ReadonlyArray<Row>, E, R> => {
  const [first] = items;
  if (first === undefined) return Effect.succeed([]);
  const groups = groupsOf(items);
  // Nearly always.
  if (groups.length === 1) return run(first.workspaceId, items);
  return Effect.map(
    Effect.forEach(groups, ([workspaceId, indexes]) =>
      Effect.map(
        run(
          workspaceId,
          indexes.flatMap((index) => items[index] ?? []),
        ),
        (rows) => rows.map((row) => ({ ...row, ord: (indexes[row.ord - 1] ?? 0) + 1 })),
      ),
    ),
    (all) => all.flat(),
  );
};

/** Runs a statement for the items of each workspace, always in the same order, and gives the rows of all. */
export const rowsByWorkspace = <Item extends OfWorkspace, Row, E, R>(
  items: ReadonlyArray<Item>,
  run: (workspaceId: number, items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Row>, E, R>,
): Effect.Effect<ReadonlyArray<Row>, E, R> =>
  Effect.map(
    Effect.forEach(groupsOf(items), ([workspaceId, indexes]) =>
      run(
        workspaceId,
        indexes.flatMap((index) => items[index] ?? []),
      ),
    ),
    (all) => all.flat(),
  );

/**
 * A query that locks rows, for a common table expression that others read. Citus 13 reads the result of one
 * that locks at its top level in the wrong format, if it also joins something that is no table.
 */
export const lockedSql = (sql: SqlClient.SqlClient, query: Statement.Fragment): Statement.Fragment =>
  sql`SELECT * FROM (${query}) AS locked`;
