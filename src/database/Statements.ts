/** Parts that statements share. */
import { Effect } from "effect";
import type { SqlError } from "effect/sql";
import { onlyRow } from "./Rows.ts";

type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>;

/** The first row of a statement; null if it gives none. */
export const firstRow = <Row>(statement: Rows<Row>): Effect.Effect<Row | null> =>
  Effect.orDie(Effect.map(statement, ([row]) => row ?? null));

/** Whether a statement gives any row, such as an `UPDATE … RETURNING`. */
export const anyRow = (statement: Rows<unknown>): Effect.Effect<boolean> =>
  Effect.orDie(Effect.map(statement, (rows) => rows.length > 0));

/** How many rows a statement gives, such as a `DELETE … RETURNING`. */
export const rowCount = (statement: Rows<unknown>): Effect.Effect<number> =>
  Effect.orDie(Effect.map(statement, (rows) => rows.length));

/** The rows of a statement, each as `toValue` converts it. */
export const mapRows = <Row, Value>(
  statement: Rows<Row>,
  toValue: (row: Row) => Value,
): Effect.Effect<ReadonlyArray<Value>> =>
  Effect.orDie(Effect.map(statement, (rows) => rows.map((row) => toValue(row))));

/** The one value of each row. */
export const columnValues = <Row extends object>(
  statement: Rows<Row>,
): Effect.Effect<ReadonlyArray<Row[keyof Row]>> => mapRows(statement, valueOf);

/** The one value of each row, each once. */
export const valueSet = <Row extends object>(
  statement: Rows<Row>,
): Effect.Effect<ReadonlySet<Row[keyof Row]>> =>
  Effect.map(columnValues(statement), (values) => new Set(values));

/** The one value of the only row. */
export const onlyValue = <Row extends object>(statement: Rows<Row>): Effect.Effect<Row[keyof Row]> =>
  Effect.map(onlyRow(statement), valueOf);

/** The one value of the first row; null if there is no row. */
export const firstValue = <Row extends object>(statement: Rows<Row>): Effect.Effect<Row[keyof Row] | null> =>
  Effect.map(firstRow(statement), (row) => row && valueOf(row));

const valueOf = <Row extends object>(row: Row): Row[keyof Row] => Object.values(row)[0] as Row[keyof Row];

/** The count of a `SELECT count(*)::integer AS count`. */
export const onlyCount = (statement: Rows<{ readonly count: number }>): Effect.Effect<number> =>
  onlyValue(statement);

/** Runs a statement for its effect. */
export const run = (statement: Rows<unknown>): Effect.Effect<void> => Effect.orDie(Effect.asVoid(statement));
