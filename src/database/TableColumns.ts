/** The columns of a noun, declared once: its INSERT, UPDATE and SELECT are built from the declaration. */
import { PgTypes } from "@effect/sql-pg";
import { Statement } from "effect/sql";
import { arrayOf } from "./Rows.ts";

type ColumnType = "text" | "text[]" | "uuid" | "int4" | "float8" | "bool" | "jsonb" | "timestamptz";

/** A column: its SQL type, and its name where the field has another one. */
type Column = ColumnType | readonly [name: string, type: ColumnType];

/**
 * The columns of values, by their field. A `timestamptz` is in epoch milliseconds. Names are trusted SQL.
 */
export type Columns<Values> = { readonly [Field in keyof Values]: Column };

const nameAndType = (field: string, column: Column): readonly [name: string, type: ColumnType] =>
  typeof column === "string" ? [field, column] : column;

/** The values of an object in the order of its columns. */
const each = <Values extends object, A>(
  columns: Columns<Values>,
  of: (name: string, type: ColumnType, field: keyof Values & string) => A,
): ReadonlyArray<A> =>
  (Object.entries(columns) as Array<[keyof Values & string, Column]>).map(([field, column]) =>
    of(...nameAndType(field, column), field),
  );

const parameter = (type: ColumnType, value: unknown): ReadonlyArray<Statement.Segment> => {
  const typed =
    type === "timestamptz"
      ? PgTypes.timestamptz(value as number | null)
      : type === "jsonb"
        ? PgTypes.jsonb(value)
        : type === "text[]"
          ? arrayOf("text", value as ReadonlyArray<string>)
          : value;
  return [Statement.parameter(typed), Statement.literal(`::${type}`)];
};

const list = (parts: ReadonlyArray<ReadonlyArray<Statement.Segment>>): Statement.Fragment =>
  Statement.fragment(
    parts.flatMap((part, index) => (index === 0 ? part : [Statement.literal(", "), ...part])),
  );

/** `name, type, …`: the columns of an `INSERT`. */
export const columnNames = <Values extends object>(columns: Columns<Values>): Statement.Fragment =>
  list(each(columns, (name) => [Statement.literal(name)]));

/** `c.name, c.type, …`: the columns of a row of an alias as they are stored. */
export const columnsOfRow = <Values extends object>(
  columns: Columns<Values>,
  alias: string,
): Statement.Fragment => list(each(columns, (name) => [Statement.literal(`${alias}.${name}`)]));

/** `$1::text, …`: values in the order of `columnNames`. */
export const columnParameters = <Values extends object>(
  columns: Columns<Values>,
  values: NoInfer<Values>,
): Statement.Fragment => list(each(columns, (_, type, field) => parameter(type, values[field])));

/** `name = $1::text, …`: the `SET` of an `UPDATE`. */
export const columnAssignments = <Values extends object>(
  columns: Columns<Values>,
  values: NoInfer<Values>,
): Statement.Fragment =>
  list(
    each(columns, (name, type, field) => [
      Statement.literal(`${name} = `),
      ...parameter(type, values[field]),
    ]),
  );

/** `c.name, …`: the values of a row of an alias, each under the name of its field. */
export const selectedColumns = <Values extends object>(
  columns: Columns<Values>,
  alias: string,
): Statement.Fragment =>
  list(
    each(columns, (name, type, field) => {
      const column = `${alias}.${name}`;
      const value =
        type === "timestamptz"
          ? `(extract(epoch FROM ${column}) * 1000)::float8`
          : type === "float8"
            ? `${column}::float8`
            : column;
      return [Statement.literal(value === column && name === field ? column : `${value} AS "${field}"`)];
    }),
  );
