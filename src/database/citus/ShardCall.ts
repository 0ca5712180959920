/** Statements that the node of a shard runs whole, on the shards themselves. */
import { PgTypes } from "@effect/sql-pg";
import { Effect } from "effect";
import type { SqlClient, SqlError, Statement } from "effect/sql";
import { arrayOf } from "../Rows.ts";
import { inForm, sequenceOf } from "./StatementParts.ts";

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
 * Runs a statement of one workspace on the node of its shard. `size` is how many new values of a sequence it
 * needs at most. Citus would run a statement whose common table expressions insert rows part by part: the
 * coordinator plans each, and sends it the rows of the one before (docs/decisions/0061).
 */
export const callShard = <Row extends object>(
  sql: SqlClient.SqlClient,
  workspaceId: number,
  statement: Statement.Statement<Row>,
  size: number,
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> => {
  const call = (ids: ReadonlyArray<bigint>) => {
    const tables: Array<string> = [];
    const [text, parameters] = inForm(sql, { workspaceId, tables, ids }, statement).compile();
    const values = sql.join(", ", false)(parameters.map((parameter) => sql`${parameter as never}::text`));
    const rows = sql<{ readonly row: Row }>`
      WITH here AS (DELETE FROM shard_call c WHERE c.workspace_id = ${workspaceId} RETURNING c.workspace_id)
      SELECT r AS row FROM (SELECT count(*) FROM here) AS h,
        run_on_shard(${workspaceId}, ${arrayOf("text", tables)}, ${text},
          ${arrayOf("text", parameters.map(typeOf))}, ARRAY[${values}]::text[]) AS r`;
    return Effect.map(rows, (all) => all.map(({ row }) => row));
  };
  const sequence = sequenceOf(statement);
  if (sequence === null) return call([]);
  const ids = sql<{ readonly id: bigint }>`
    SELECT nextval(${sequence}) AS id FROM generate_series(1, ${size})`;
  return Effect.flatMap(ids, (rows) => call(rows.map(({ id }) => id)));
};
