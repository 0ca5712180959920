/**
 * The service tests on a Citus cluster that is there: `WAYPOST_TEST_CITUS` has the ports of its nodes on
 * loopback, the coordinator first. Its account is `waypost`, without a password.
 */
import { Effect, Redacted } from "effect";
import { SqlClient } from "effect/sql";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { distribute } from "../../src/database/citus/Distribution.ts";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";

/** A cluster with a distributed database that is copied for every test file. Nothing connects to it. */
export interface CitusCluster {
  readonly ports: ReadonlyArray<number>;
  readonly template: string;
}

/** The ports of the setting; none without it. */
export const citusPorts: ReadonlyArray<number> = (process.env["WAYPOST_TEST_CITUS"] ?? "")
  .split(",")
  .filter((port) => port.trim() !== "")
  .map(Number);

/** A database of a node. */
export const onNode = (port: number | undefined, database: string, maxConnections: number) =>
  postgresLayer(
    { _tag: "url", url: Redacted.make(`postgresql://waypost@127.0.0.1:${port}/${database}`) },
    { maxConnections, connectTimeout: "Infinity" },
  );

const inDatabase = <A, E>(
  port: number | undefined,
  database: string,
  effect: Effect.Effect<A, E, SqlClient.SqlClient>,
) => Effect.orDie(Effect.provide(effect, onNode(port, database, 1)));

/** Runs a statement on each node, in its database `postgres`. */
const onEachNode = (
  ports: ReadonlyArray<number>,
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>,
) =>
  Effect.forEach(
    ports,
    (port) => inDatabase(port, "postgres", Effect.flatMap(SqlClient.SqlClient, statement)),
    { discard: true },
  );

/** Drops a database of all nodes. A daemon of Citus that is just starting can outlive the 5 s of DROP. */
export const dropOnNodes = (ports: ReadonlyArray<number>, name: string) =>
  onEachNode(ports, (sql) =>
    Effect.retry(sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`.unprepared, { times: 3 }),
  );

/** Creates a database without tables on each node: a cluster of its own, of these nodes. */
export const createCitusDatabase = Effect.fnUntraced(function* (ports: ReadonlyArray<number>, name: string) {
  const [coordinator, ...workers] = ports;
  yield* onEachNode(ports, (sql) => sql`CREATE DATABASE ${sql(name)}`.unprepared);
  const extension = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE EXTENSION citus`.unprepared);
  for (const port of ports) yield* inDatabase(port, name, extension);
  const join = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    yield* sql`SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator})`;
    for (const port of workers) yield* sql`SELECT citus_add_node('127.0.0.1', ${port})`;
  });
  yield* inDatabase(coordinator, name, join);
});

/** Creates the template. */
export const createCitusTemplate = Effect.fnUntraced(function* (ports: ReadonlyArray<number>) {
  const template = `template_${randomBytes(4).toString("hex")}`;
  yield* createCitusDatabase(ports, template);
  const schema = MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url));
  yield* inDatabase(ports[0], template, Effect.andThen(Effect.provide(migrate, schema), distribute));
  yield* onEachNode(ports, (sql) =>
    Effect.andThen(
      sql`ALTER DATABASE ${sql(template)} ALLOW_CONNECTIONS false`.unprepared,
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${template}`,
    ),
  );
  return { ports, template } satisfies CitusCluster;
});

/** An empty database of the cluster, which is dropped when the scope closes; gives its name. */
export const emptyCitusDatabase = ({ ports }: CitusCluster) => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  return Effect.as(
    Effect.acquireRelease(createCitusDatabase(ports, name), () => dropOnNodes(ports, name)),
    name,
  );
};

/** A Unix socket of a node, which listens on TCP only: tests with faults of their own need the former. */
export const relayTo = async (port: number | undefined, path: string) => {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const node = createConnection({ host: "127.0.0.1", port: port ?? 0, noDelay: true });
    for (const [from, to] of [
      [client, node],
      [node, client],
    ] as const) {
      open.add(from);
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }).listen(path);
  await once(server, "listening");
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { path, close };
};

/** A copy of the template on all nodes, which is dropped when the scope closes; gives its name. */
export const copyCitusTemplate = ({ ports, template }: CitusCluster) => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  return Effect.as(
    Effect.acquireRelease(
      onEachNode(
        ports,
        (sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY FILE_COPY`.unprepared,
      ),
      () => dropOnNodes(ports, name),
    ),
    name,
  );
};
