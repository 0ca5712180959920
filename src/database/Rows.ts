/** Pieces that every `*Sql` shares: how instants, JSON and arrays travel to and from PostgreSQL. */
import { PgTypes } from "@effect/sql-pg";
import { Result, Schema } from "effect";
import { Statement } from "effect/sql";

/** An instant as {@link utc} gives it. */
export const UtcText = Schema.String.annotate({
  description: "UTC to the second: YYYY-MM-DDTHH:MM:SS+00:00",
});

/**
 * A timestamptz column as text, `YYYY-MM-DDTHH:MM:SS+00:00`, fractions cut off; null stays null. Contract A3; in SQL,
 * because formatting a page of instants in JavaScript costs more than the query. The column is trusted text, not a value.
 */
export const utc = (column: string): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')`),
  ]);

/**
 * A column of type bigint, or a `count(*)`, as a JavaScript number: the driver gives bigint for it. Null stays null; good
 * up to 2^53. The expression is trusted text, not a value.
 */
export const asNumber = (expression: string): Statement.Fragment =>
  Statement.fragment([Statement.literal(`(${expression})::float8`)]);

/** A timestamptz parameter from milliseconds since 1970. */
export const instant = (epochMillis: number | null): PgTypes.Parameter => PgTypes.timestamptz(epochMillis);

/** A jsonb parameter; SQL null for null. */
export const jsonb = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value);

const array =
  <A>(oid: number) =>
  (values: ReadonlyArray<A | null>): PgTypes.Parameter =>
    Result.getOrThrow(PgTypes.array(values, oid));

/** Array parameters for `unnest` and `= ANY`, of one type whatever they hold: the driver alone guesses by the first element. */
export const texts = array<string>(PgTypes.OID.text);
export const uuids = array<string>(PgTypes.OID.uuid);
export const integers = array<number>(PgTypes.OID.int4);
export const bigints = array<bigint>(PgTypes.OID.int8);
export const floats = array<number>(PgTypes.OID.float8);
export const booleans = array<boolean>(PgTypes.OID.bool);
export const jsonbs = array<unknown>(PgTypes.OID.jsonb);
/** Of milliseconds since 1970. */
export const instants = array<number>(PgTypes.OID.timestamptz);
