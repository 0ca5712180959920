/** Spreads the tables of devices over the nodes of a Citus cluster. */
import { Data, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../Rows.ts";
import { distributedFunctions, distributedTables, distributionColumn } from "./DistributedTables.ts";

/** A statement of `distribute`, and what it does, for people. */
export interface DistributionStep {
  readonly what: string;
  readonly statement: string;
}

/** The tables cannot be distributed. `message` says why and what to do. */
export class DistributionRefused extends Data.TaggedError("DistributionRefused")<{
  readonly message: string;
}> {}

/** A refusal for this reason. */
export const refused = (message: string): DistributionRefused => new DistributionRefused({ message });

/** The state of the distribution in the catalogs of Citus. */
export interface DistributionState {
  readonly version: string;
  /** Nodes that may hold shards. */
  readonly nodes: ReadonlyArray<{ readonly name: string; readonly port: number; readonly active: boolean }>;
  /** How often Citus commits what a node prepared before it was lost, in seconds. */
  readonly recoverySeconds: number;
  /** Whether the coordinator is known to the other nodes. */
  readonly hasCoordinator: boolean;
  /** The distributed tables of Waypost with their group of colocation. */
  readonly tables: ReadonlyArray<{
    readonly name: string;
    readonly column: string | null;
    readonly colocation: number;
    readonly shards: number;
  }>;
}

/** The state of the distribution; null on a database without Citus. */
export const distributionState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [extension] = yield* sql<{ readonly version: string; readonly recoverySeconds: number }>`
    SELECT extversion AS version, (
      SELECT setting::float8 / 1000 FROM pg_settings WHERE name = 'citus.recover_2pc_interval'
    ) AS "recoverySeconds"
    FROM pg_extension WHERE extname = 'citus'`;
  if (extension === undefined) return null;
  const nodes = yield* sql<DistributionState["nodes"][number]>`
    SELECT nodename AS name, nodeport AS port, isactive AS active FROM pg_dist_node
    WHERE noderole = 'primary' AND shouldhaveshards ORDER BY nodename, nodeport`;
  const coordinators = yield* sql`SELECT 1 FROM pg_dist_node WHERE groupid = 0`;
  const tables = yield* sql<DistributionState["tables"][number]>`
    SELECT c.relname AS name, column_to_column_name(p.logicalrelid, p.partkey) AS column,
      p.colocationid AS colocation,
      (SELECT count(*)::int FROM pg_dist_shard s WHERE s.logicalrelid = p.logicalrelid) AS shards
    FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
    WHERE p.partmethod = 'h' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
  const state: DistributionState = {
    version: extension.version,
    recoverySeconds: extension.recoverySeconds,
    nodes,
    hasCoordinator: coordinators.length > 0,
    tables,
  };
  return state;
}).pipe(Effect.orDie);

/** The steps that are left to distribute the tables, in order; none if they are distributed. */
export const distributionSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const state = yield* distributionState;
  if (state === null)
    return yield* refused(
      "This database has no extension citus. Connect to the coordinator of a Citus cluster; " +
        "install Citus and run CREATE EXTENSION citus on each of its nodes before.",
    );
  if (!state.hasCoordinator)
    return yield* refused(
      "The workers do not know the coordinator: SELECT citus_set_coordinator_host(name, port).",
    );
  if (state.nodes.length === 0)
    return yield* refused("The cluster has no worker: SELECT citus_add_node(name, port) for each.");
  const done = new Set(state.tables.map(({ name }) => name));
  const names = arrayOf("text", [...distributedTables]);
  const found = yield* Effect.orDie(sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname = ANY (${names})`);
  const missing = distributedTables.filter((name) => !found.some((each) => each.name === name));
  if (missing.length > 0)
    return yield* refused(
      `The schema lacks ${missing.join(", ")}. Start this version of Waypost once, and stop it.`,
    );
  const keys = yield* Effect.orDie(sql<{ readonly table: string; readonly name: string }>`
    SELECT t.relname AS table, k.conname AS name FROM pg_constraint k
    JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
    WHERE k.contype = 'f' AND t.relnamespace = 'public'::regnamespace AND t.relname = ANY (${names})
      AND f.relname <> ALL (${names}) ORDER BY 1, 2`);
  const triggers = yield* Effect.orDie(sql<{ readonly table: string; readonly name: string }>`
    SELECT t.relname AS table, g.tgname AS name FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
    WHERE NOT g.tgisinternal AND t.relnamespace = 'public'::regnamespace AND t.relname = ANY (${names})
    ORDER BY 1, 2`);
  const functions = yield* Effect.orDie(sql<{ readonly name: string }>`
    SELECT f.name FROM unnest(${arrayOf("text", [...distributedFunctions])}) AS f (name)
    WHERE NOT EXISTS (SELECT FROM pg_dist_object o
      WHERE o.classid = 'pg_proc'::regclass AND o.objid = f.name::regprocedure)`);
  // Citus copies the rows of a table to its shards, and leaves them on the coordinator, unseen.
  const filled = yield* Effect.orDie(sql<{ readonly name: string }>`
    SELECT name FROM unnest(${names}) WITH ORDINALITY AS t (name, ord)
    WHERE pg_relation_size(name::regclass) > 0 ORDER BY ord`);
  const managed = yield* Effect.orDie(sql`
    SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('two_phase')`);
  const [first] = distributedTables;
  const steps: ReadonlyArray<DistributionStep> = [
    ...keys
      .filter(({ table }) => !done.has(table))
      .map(({ name, table }) => ({
        what: `Drop the foreign key ${name}: a distributed table cannot refer to a plain one`,
        statement: `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
      })),
    ...triggers
      .filter(({ table }) => !done.has(table))
      .map(({ name, table }) => ({
        what: `Drop the trigger ${name}: it would write a plain table from a shard`,
        statement: `DROP TRIGGER ${name} ON ${table}`,
      })),
    ...functions.map(({ name }) => ({
      what: `Create the function ${name} on each node`,
      statement: `SELECT create_distributed_function('${name}')`,
    })),
    ...distributedTables
      .filter((name) => !done.has(name))
      .map((name) => ({
        what: `Distribute ${name} by workspace`,
        statement:
          name === first
            ? `SELECT create_distributed_table('${name}', '${distributionColumn}')`
            : `SELECT create_distributed_table('${name}', '${distributionColumn}', ` +
              `colocate_with => '${first}')`,
      })),
    ...filled.map(({ name }) => ({
      what: `Remove the rows of ${name} from the coordinator, after they were copied`,
      statement: `SELECT truncate_local_data_after_distributing_table('${name}')`,
    })),
    ...(managed.length > 0
      ? []
      : [
          {
            what: "Let Citus manage two_phase: a statement on it makes a transaction commit in two phases",
            statement: "SELECT citus_add_local_table_to_metadata('two_phase')",
          },
        ]),
  ];
  return steps;
});

/**
 * Distributes the tables, with their rows, in one transaction. Gives the steps that it took; none if there
 * was nothing left. No Waypost may run meanwhile: the tables are locked.
 */
export const distribute = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // Rows are copied to their shards.
      yield* sql`SET LOCAL statement_timeout = 0`;
      yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`;
      const steps = yield* distributionSteps;
      for (const { statement } of steps) yield* sql.unsafe(statement).unprepared;
      return steps;
    }),
  );
}).pipe(Effect.catchTag("SqlError", (error) => Effect.die(error)));
