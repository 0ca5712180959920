import type { PgConnection } from "@effect/sql-pg";
import { Effect, Stream } from "effect";
import type { SqlConnection, SqlError } from "effect/sql";

/** A statement that runs when the effect does. */
export type Query = Effect.Effect<PgConnection.Result, SqlError.SqlError>;

type Rows = ReadonlyArray<PgConnection.Row>;
type Transform = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined;

const positional = ({ fields, rows }: PgConnection.Result): ReadonlyArray<ReadonlyArray<unknown>> =>
  rows.map((row) => fields.map(({ name }) => row[name]));

/** The methods that a statement of Effect's `SqlClient` calls, over one that sends it. */
export abstract class StatementConnection implements SqlConnection.Connection {
  /** Sends a statement and waits for its result. */
  protected abstract run(sql: string, params: ReadonlyArray<unknown>, prepare: boolean): Query;

  execute(
    sql: string,
    params: ReadonlyArray<unknown>,
    transform: Transform,
  ): Effect.Effect<Rows, SqlError.SqlError> {
    return this.#rows(this.run(sql, params, true), transform);
  }

  executeUnprepared(
    sql: string,
    params: ReadonlyArray<unknown>,
    transform: Transform,
  ): Effect.Effect<Rows, SqlError.SqlError> {
    return this.#rows(this.run(sql, params, false), transform);
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>): Query {
    return this.run(sql, params, true);
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return Effect.map(this.run(sql, params, true), positional);
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return Effect.map(this.run(sql, params, false), positional);
  }

  /** Collects all rows before it emits the first one. */
  executeStream(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return Stream.fromIterableEffect(this.#rows(this.run(sql, params, false), transform));
  }

  #rows(query: Query, transform: Transform): Effect.Effect<Rows, SqlError.SqlError> {
    return Effect.map(query, ({ rows }) => (transform === undefined ? rows : transform(rows)));
  }
}
