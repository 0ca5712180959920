/** A distributed database of its own on the nodes of a cluster. */
import { Effect, Redacted } from "effect";
import { SqlClient } from "effect/sql";
import { distribute } from "../../../src/database/citus/Distribution.ts";
import { migrate, MigrationFiles } from "../../../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../../../src/database/Postgres.ts";
import type { ClusterNode } from "./ClusterNode.ts";

export const urlOf = (user: string, { port }: ClusterNode, database: string): string =>
  `postgresql://${user}@127.0.0.1:${port}/${database}`;

/** Runs an effect in a database of a node, on a connection of its own. */
export const inDatabase = <A, E>(url: string, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.orDie(
    Effect.provide(effect, postgresLayer({ _tag: "url", url: Redacted.make(url) }, { maxConnections: 1 })),
  );

/** Runs a statement in a database of a node. */
const run = (url: string, statement: string) =>
  inDatabase(
    url,
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement).unprepared),
  );

/**
 * Creates the database, with Waypost's schema, distributed. A transaction whose coordinator or worker died is
 * ended within two seconds. It is dropped when the scope closes. The coordinator is the first node.
 */
export const chaosDatabase = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<ClusterNode>,
  user: string,
  name: string,
) {
  const [coordinator, ...workers] = nodes;
  if (coordinator === undefined) return yield* Effect.die(new Error("A cluster needs a coordinator"));
  for (const node of nodes) {
    const maintenance = urlOf(user, node, "postgres");
    yield* run(maintenance, "ALTER SYSTEM SET citus.recover_2pc_interval = '2s'");
    yield* run(maintenance, "SELECT pg_reload_conf()");
    yield* run(maintenance, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    yield* Effect.acquireRelease(run(maintenance, `CREATE DATABASE ${name}`), () =>
      Effect.ignoreCause(run(maintenance, `DROP DATABASE ${name} WITH (FORCE)`)),
    );
    yield* run(urlOf(user, node, name), "CREATE EXTENSION citus");
  }
  const url = urlOf(user, coordinator, name);
  const schema = MigrationFiles.layerFolder(new URL("../../../schema/", import.meta.url));
  yield* inDatabase(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port}::int)`;
      for (const { port } of workers) yield* sql`SELECT citus_add_node('127.0.0.1', ${port}::int)`;
      yield* Effect.provide(migrate, schema);
      yield* distribute;
    }),
  );
  return url;
});

/** The ports of the nodes that have the rows of workspaces. */
export const nodesOf = Effect.fnUntraced(function* (workspaceIds: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient;
  const ports = new Set<number>();
  for (const id of workspaceIds) {
    const [row] = yield* sql<{ readonly port: number }>`
      SELECT nodeport AS port FROM pg_dist_shard_placement
      WHERE shardid = get_shard_id_for_distribution_column('device', ${id}::int)`;
    if (row !== undefined) ports.add(row.port);
  }
  return ports;
});

/** The number of prepared transactions of the database, over the nodes. */
export const preparedTransactions = (nodes: ReadonlyArray<ClusterNode>, user: string, name: string) =>
  Effect.map(
    Effect.forEach(nodes, (node) =>
      inDatabase(
        urlOf(user, node, "postgres"),
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`SELECT gid FROM pg_prepared_xacts WHERE database = ${name}`,
        ),
      ),
    ),
    (all) => all.flat().length,
  );
