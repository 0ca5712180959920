/** Pieces that every `*Sql` shares: how instants, JSON and arrays travel to and from PostgreSQL. */
import { PgTypes } from "@effect/sql-pg";
import { Effect, Result } from "effect";
import { type SqlClient, type SqlError, Statement } from "effect/sql";

/**
 * A timestamptz column as text, `YYYY-MM-DDTHH:MM:SS+00:00`, fractions cut off; null stays null. Contract A3;
 * in SQL, because formatting a page of instants in JavaScript costs more than the query. The column is
 * trusted text, not a value.
 */
export const utc = (column: string): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')`),
  ]);

/**
 * A column of type bigint, or a `count(*)`, as a JavaScript number: the driver gives bigint for it. Null
 * stays null; good up to 2^53. The expression is trusted text, not a value.
 */
export const asNumber = (expression: string): Statement.Fragment =>
  Statement.fragment([Statement.literal(`(${expression})::float8`)]);

/** A timestamptz expression as milliseconds since 1970; null stays null. The expression is trusted text. */
export const epochMillis = (expression: string): Statement.Fragment =>
  asNumber(`extract(epoch FROM ${expression}) * 1000`);

/** A timestamptz parameter from milliseconds since 1970. */
export const instant = (epochMillis: number | null): PgTypes.Parameter => PgTypes.timestamptz(epochMillis);

/** An instant as `instant` takes it, or one that all others are before or behind (Infinity, -Infinity). */
export const moment = (sql: SqlClient.SqlClient, epochMillis: number): Statement.Fragment =>
  Number.isFinite(epochMillis)
    ? sql`${instant(epochMillis)}`
    : sql.literal(`'${epochMillis > 0 ? "" : "-"}infinity'::timestamptz`);

/** A jsonb parameter; SQL null for null. */
export const jsonb = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value);

/** What the array of each SQL type holds in JavaScript; `timestamptz` milliseconds since 1970. */
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
 * An array parameter for `unnest` and `= ANY`, of one type whatever it holds, nulls and nothing included:
 * left alone the driver guesses by the first element, and refuses an array of nulls or of whole and broken
 * numbers.
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
 * Rows as a table for a `FROM` or a `JOIN`, one array parameter for each column: `unnest(…) WITH ORDINALITY
 * AS alias (…, ord)`. `ord` counts the rows from 1. The alias and the names of the columns are trusted text,
 * not values.
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

/** The row of a statement that always gives one, such as an `INSERT … RETURNING` of one row. */
export const onlyRow = <Row, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError, R>,
): Effect.Effect<Row, never, R> =>
  Effect.orDie(
    Effect.flatMap(statement, ([row]) =>
      row === undefined
        ? Effect.die(new Error("A statement gave no row where it always gives one"))
        : Effect.succeed(row),
    ),
  );
