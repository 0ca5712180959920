import type { PgClient } from "@effect/sql-pg";
import { Clock, Context, Data, type Duration, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { Database } from "../../src/database/Database.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { copyCitusTemplate, emptyCitusDatabase, onNode } from "./CitusCluster.ts";
import { templateName } from "./TestServer.ts";

/** The migrations in schema/ failed when the test run began. */
class SchemaDoesNotApply extends Data.TaggedError("SchemaDoesNotApply")<{ readonly message: string }> {}

const liveClock = Context.get(Context.empty(), Clock.Clock);

const to = (
  database: string,
  maxConnections: number,
  path = inject("testServer").socketPath,
  // On a slow machine it may take long to open a connection.
  connectTimeout: Duration.Input = "Infinity",
) => {
  const { username } = inject("testServer");
  return postgresLayer({ _tag: "socket", path, username, database }, { maxConnections, connectTimeout });
};

const administer = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(to("postgres", 1)), (context) =>
      statement(Context.get(context, SqlClient.SqlClient)),
    ),
  ).pipe(Effect.orDie);

/** A new database, which is dropped when the scope closes. */
const fresh = (template: string, maxConnections: number, path?: string, connectTimeout?: Duration.Input) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { citus, problem } = inject("testServer");
      if (template === templateName && problem !== "") {
        return yield* new SchemaDoesNotApply({ message: problem });
      }
      if (citus !== null && template === templateName) {
        const copy = yield* copyCitusTemplate(citus);
        const client =
          path === undefined
            ? onNode(citus.ports[0], copy, maxConnections)
            : to(copy, maxConnections, path, connectTimeout);
        return Layer.provideMerge(Database.layerClient, client);
      }
      const name = `test_${randomBytes(8).toString("hex")}`;
      yield* Effect.acquireRelease(
        // The default strategy writes each block to the log, which takes ten times as long.
        administer(
          (sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY FILE_COPY`.unprepared,
        ),
        () => administer((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`.unprepared),
      );
      return Layer.provideMerge(Database.layerClient, to(name, maxConnections, path, connectTimeout));
    }),
  ).pipe(
    Layer.orDie,
    // Pools and health checks wait in real time, also under a test clock.
    Layer.provide(Layer.succeed(Clock.Clock, liveClock)),
  );

/** The services of a database of a test. */
export type TestServices = Database | SqlClient.SqlClient | PgClient.PgClient;

/** A new database for each build of the layer, usually one per test file. */
export const TestDatabase: {
  /** With the schema and no rows. */
  readonly layer: Layer.Layer<TestServices>;
  /** With this number of connections instead of ten. */
  readonly layerWith: (maxConnections: number) => Layer.Layer<TestServices>;
  /** Through another socket than the server's own, with a limit for opening a connection. */
  readonly layerThrough: (path: string, connectTimeout?: Duration.Input) => Layer.Layer<TestServices>;
  /** Without the schema. */
  readonly layerEmpty: Layer.Layer<TestServices>;
  /** Without the schema, on the Citus cluster if the run has one. */
  readonly layerEmptyCluster: Layer.Layer<TestServices>;
} = {
  layer: fresh(templateName, 10),
  layerWith: (maxConnections) => fresh(templateName, maxConnections),
  layerThrough: (path, connectTimeout) => fresh(templateName, 10, path, connectTimeout),
  layerEmpty: fresh("template0", 10),
  layerEmptyCluster: Layer.unwrap(
    Effect.gen(function* () {
      const { citus } = inject("testServer");
      if (citus === null) return fresh("template0", 10);
      const name = yield* emptyCitusDatabase(citus);
      return Layer.provideMerge(Database.layerClient, onNode(citus.ports[0], name, 10));
    }),
  ).pipe(Layer.orDie, Layer.provide(Layer.succeed(Clock.Clock, liveClock))),
};
