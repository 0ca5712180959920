/** Conversions of instants, JSON, numbers and arrays between JavaScript and PostgreSQL. */
import { PgTypes } from "@effect/sql-pg";
import { Effect, Result } from "effect";
import { type SqlClient, type SqlError, Statement } from "effect/sql";

/**
 * A timestamptz column (trusted SQL) as `YYYY-MM-DDTHH:MM:SS+00:00`, without fractions; null stays null
 * (contract A3). Formatting a page of instants in JavaScript costs more than the query.
 */
export const utc = (column: string): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')`),
  ]);

/** A bigint expression (trusted SQL), such as `count(*)`, as a JavaScript number up to 2^53, or null. */
export const asNumber = (expression: string): Statement.Fragment =>
  Statement.fragment([Statement.literal(`(${expression})::float8`)]);

/** A timestamptz expression as milliseconds since 1970; null stays null. The expression is trusted text. */
export const epochMillis = (expression: string): Statement.Fragment =>
  asNumber(`extract(epoch FROM ${expression}) * 1000`);

/** A timestamptz parameter from milliseconds since 1970. */
export const instant = (epochMillis: number | null): PgTypes.Parameter => PgTypes.timestamptz(epochMillis);

/** As `instant`, and also `infinity` and `-infinity` for Infinity and -Infinity. */
export const moment = (sql: SqlClient.SqlClient, epochMillis: number): Statement.Fragment =>
  Number.isFinite(epochMillis)
    ? sql`${instant(epochMillis)}`
    : sql.literal(`'${epochMillis > 0 ? "" : "-"}infinity'::timestamptz`);

/** A jsonb parameter; SQL null for null. */
export const jsonb = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value);

/** The JavaScript type of an array's elements by SQL type. A `timestamptz` is in milliseconds since 1970. */
interface Elements {
  readonly text: string;
  readonly uuid: string;
  readonly int4: number;
  readonly int8: bigint;
  readonly float8: number;
  readonly bool: boolean;
  readonly jsonb: unknown;
  readonly timestamptz: number;
  readonly bytea: Uint8Array;
}

/**
 * An array parameter with an explicit type, for `unnest` and `= ANY`. Without a type the driver guesses from
 * the first element, and fails for an array of nulls, or of integers and fractions.
 */
export const arrayOf = <T extends keyof Elements>(
  type: T,
  values: ReadonlyArray<Elements[T] | null>,
): PgTypes.Parameter => Result.getOrThrow(PgTypes.array(values, PgTypes.OID[type]));

/** A column of `unnested`: its SQL type, and its value in a row. */
type Column<Row> = {
  readonly [T in keyof Elements]: readonly [type: T, value: (row: Row) => Elements[T] | null];
}[keyof Elements];

/**
 * Rows as a table for `FROM` or `JOIN`, with one array parameter per column: `unnest(…) WITH ORDINALITY AS
 * alias (…, ord)`. `ord` counts the rows from 1. Alias and column names are trusted SQL.
 */
export const unnested = <Row>(
  alias: string,
  rows: ReadonlyArray<Row>,
  columns: Readonly<Record<string, Column<Row>>>,
): Statement.Fragment => {
  // Segments, not nested templates: a statement of the hot path is built for each batch.
  const segments: Array<Statement.Segment> = [];
  for (const [type, value] of Object.values(columns)) {
    segments.push(Statement.literal(segments.length === 0 ? "unnest(" : ", "));
    segments.push(Statement.parameter(arrayOf(type, rows.map(value) as never)));
  }
  const names = Object.keys(columns).join(", ");
  segments.push(Statement.literal(`) WITH ORDINALITY AS ${alias} (${names}, ord)`));
  return Statement.fragment(segments);
};

/** The row of a statement that always returns one, such as `INSERT … RETURNING`. */
export const onlyRow = <Row, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError, R>,
): Effect.Effect<Row, never, R> =>
  Effect.orDie(
    Effect.flatMap(statement, ([row]) =>
      row === undefined ? Effect.die(new Error("A statement returned no row")) : Effect.succeed(row),
    ),
  );
