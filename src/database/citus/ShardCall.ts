/** Statements that the node of a shard runs whole, on the shards themselves. */
import { PgTypes } from "@effect/sql-pg";
import { Effect } from "effect";
import type { SqlClient, SqlError, Statement } from "effect/sql";
import { arrayOf } from "../Rows.ts";
import { distributedTables } from "./DistributedTables.ts";
import { isDistributed } from "./IsDistributed.ts";

/** A sign of `format`, or a keyword with the distributed table that follows it. */
const parts = new RegExp(
  `%|\\b(FROM|JOIN|INTO|UPDATE|USING)\\s+"?(${distributedTables.join("|")})"?(?![\\w.])`,
  "g",
);

/** The tables of a statement, and its text with `%1$s` and so on for them. */
export const shardText = (text: string) => {
  const tables: Array<string> = [];
  const statement = text.replace(parts, (sign, keyword?: string, table?: string) => {
    if (table === undefined) return `${sign}${sign}`;
    if (!tables.includes(table)) tables.push(table);
    return `${keyword} %${tables.indexOf(table) + 1}$s`;
  });
  return { tables, statement };
};

/** The names of SQL types by their OIDs. */
const typeNames = new Map<number, string>(
  Object.entries(PgTypes.OID).map(([name, oid]) => [oid, name.replace(/Array$/, "[]")]),
);

/** The type of a parameter, as the driver tells it to PostgreSQL; unknown for a string and for null. */
const typeOf = (parameter: unknown): string => {
  switch (typeof parameter) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int8";
    case "number":
      return Number.isInteger(parameter) ? (Math.abs(parameter) < 2 ** 31 ? "int4" : "int8") : "float8";
    case "object":
      if (parameter === null) return "unknown";
      if (parameter instanceof Uint8Array) return "bytea";
      return ("oid" in parameter ? typeNames.get(Number(parameter.oid)) : undefined) ?? "unknown";
    default:
      return "unknown";
  }
};

/**
 * Runs a statement of one workspace on the node of its shard; with null for the workspace as it is. On Citus
 * a statement whose common table expressions insert rows runs part by part: the coordinator plans each, and
 * sends it the rows of the one before (docs/decisions/0061).
 *
 * Each table must be a distributed one, and follow FROM, JOIN, INTO, UPDATE or USING. An identity needs its
 * value: shards have no such defaults. Rows are read from JSON: a bigint is a number, an instant is a text.
 */
export const onShard = <Row extends object>(
  sql: SqlClient.SqlClient,
  workspaceId: number | null,
  whole: Statement.Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> => {
  if (workspaceId === null) return whole;
  const [text, parameters] = whole.compile();
  const { statement, tables } = shardText(text);
  const values = sql.join(", ", false)(parameters.map((parameter) => sql`${parameter as never}::text`));
  const call = sql<{ readonly row: Row }>`
    WITH here AS (DELETE FROM shard_call c WHERE c.workspace_id = ${workspaceId} RETURNING c.workspace_id)
    SELECT r AS row FROM (SELECT count(*) FROM here) AS h,
      run_on_shard(${workspaceId}, ${arrayOf("text", tables)}, ${statement},
        ${arrayOf("text", parameters.map(typeOf))}, ARRAY[${values}]::text[]) AS r`;
  return Effect.map(call, (rows) => rows.map(({ row }) => row));
};

/** As `onShard`, for a statement that says by `shardOf` whether it is for a shard. */
export const inShard = <Row extends object>(
  sql: SqlClient.SqlClient,
  workspaceId: number,
  whole: (shardOf: number | null) => Statement.Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.flatMap(isDistributed(sql), (isSpread) => {
    const shardOf = isSpread ? workspaceId : null;
    return onShard(sql, shardOf, whole(shardOf));
  });
