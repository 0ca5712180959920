/**
 * Parts of statements that have another form on Citus. On one PostgreSQL each is a literal, and costs nothing
 * else. A statement of one workspace is made of the same segments by `inForm`.
 */
import { type SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../Rows.ts";
import { type DistributedTable, distributedTables } from "./DistributedTables.ts";

/** A statement on Citus. */
export interface StatementForm {
  readonly workspaceId: number;
  /** The tables of a statement that runs on shards, in the order of their numbers; null if Citus plans it. */
  readonly tables: Array<string> | null;
  /** New values of the sequence that the statement uses. */
  readonly ids: ReadonlyArray<bigint>;
}

type Segments = ReadonlyArray<Statement.Segment>;

interface Part extends Statement.Literal {
  readonly onCitus: (form: StatementForm) => Segments;
  readonly sequence: string | null;
}

const part = (
  value: string,
  onCitus: (form: StatementForm) => Segments,
  sequence: string | null = null,
): Statement.Fragment => {
  const segment: Part = { ...Statement.literal(value), onCitus, sequence };
  return Statement.fragment([segment]);
};

const isPart = (segment: Statement.Segment): segment is Part => "onCitus" in segment;

const isOfWorkspace =
  (alias: string) =>
  ({ workspaceId }: StatementForm): Segments => [
    Statement.literal(`${alias}.workspace_id = `),
    Statement.parameter(workspaceId),
  ];

/** Condition: a row is of the workspace of the row of another alias. Aliases are trusted text. */
export const workspaceIs = (alias: string, other: string): Statement.Fragment =>
  part(`${alias}.workspace_id = ${other}.workspace_id`, isOfWorkspace(alias));

/** Condition: a row is of the workspace of the statement, if it has one. */
export const inWorkspace = (alias: string): Statement.Fragment => part("true", isOfWorkspace(alias));

const hidden = [part("(SELECT ", () => []), part(")", () => [])] as const;

/**
 * The rows of a batch (`unnested`) for a statement that is planned once, however many rows a batch has. The
 * planner sees the length of an array, and would plan a statement of less than ten rows at each execution,
 * which takes longer than the execution. It does not see the length of a subquery's array.
 */
export const ofBatch = ({ segments }: Statement.Fragment): Statement.Fragment =>
  Statement.fragment(
    segments.flatMap((segment) =>
      segment._tag === "Parameter" ? [...hidden[0].segments, segment, ...hidden[1].segments] : [segment],
    ),
  );

/** An expression (trusted SQL) that only a statement of one workspace needs; `otherwise` for others. */
export const ofOneWorkspace = (expression: string, otherwise: string): Statement.Fragment =>
  part(otherwise, () => [Statement.literal(expression)]);

/**
 * A new value of a plain sequence for the item with the number `ord` (from 1). The node of a shard has no
 * such sequence: it gets the values.
 */
export const nextOf = (sequence: string, ord: string): Statement.Fragment =>
  part(
    `nextval('${sequence}')`,
    ({ ids }) => [
      Statement.literal("("),
      Statement.parameter(arrayOf("int8", ids)),
      Statement.literal(`)[${ord}]`),
    ],
    sequence,
  );

const tableOf = (name: string) =>
  part(name, ({ tables }) => {
    if (tables === null) return [Statement.literal(name)];
    if (!tables.includes(name)) tables.push(name);
    return [Statement.literal(`%${tables.indexOf(name) + 1}$s`)];
  });

/** The tables that a statement `onShard` can name. */
export const table = Object.fromEntries(distributedTables.map((name) => [name, tableOf(name)])) as {
  readonly [name in DistributedTable]: Statement.Fragment;
};

/** The plain sequence whose values a statement needs; null for none. */
export const sequenceOf = ({ segments }: Statement.Fragment): string | null =>
  segments.find((segment): segment is Part => isPart(segment) && segment.sequence !== null)?.sequence ?? null;

/** A statement in its form on Citus. Text for `format` has each of its signs twice. */
export const inForm = <Row extends object>(
  sql: SqlClient.SqlClient,
  form: StatementForm,
  { segments }: Statement.Statement<Row>,
): Statement.Statement<Row> => {
  const formed = segments.flatMap((segment): Segments => {
    if (isPart(segment)) return segment.onCitus(form);
    if (form.tables === null || segment._tag !== "Literal") return [segment];
    return [Statement.literal(segment.value.replaceAll("%", "%%"), segment.params)];
  });
  return sql<Row>`${Statement.fragment(formed)}`;
};

/**
 * A query that locks rows, for a common table expression that others read. Citus 13 reads the result of one
 * that locks at its top level in the wrong format, if it also joins something that is no table.
 */
export const lockedSql = (sql: SqlClient.SqlClient, query: Statement.Fragment): Statement.Fragment =>
  sql`SELECT * FROM (${query}) AS locked`;
