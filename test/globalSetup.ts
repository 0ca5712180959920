import { Effect, Exit, Layer, References, Scope } from "effect";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { EmbeddedPostgres } from "../src/database/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../src/database/Migrations.ts";
import { postgresLayer } from "../src/database/Postgres.ts";
import { createTemplate, type TestServer } from "./database/TestServer.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this test run; `problem` says why there is no database to copy. */
    readonly testServer: TestServer;
  }
}

/** One PostgreSQL for the whole run, with one database that is migrated once and copied for every test file. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = await mkdtemp(join(tmpdir(), "waypost-test-"));
  const scope = Scope.makeUnsafe();
  const close = async (): Promise<void> => {
    await Effect.runPromise(Scope.close(scope, Exit.void));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const server = await Effect.runPromise(
      EmbeddedPostgres.make({
        directory,
        isDurable: false,
        settings: { max_connections: "120", shared_buffers: "128MB", autovacuum: "off" },
      }).pipe(Scope.provide(scope)),
    );
    // A schema that does not apply fails the tests that need it, and leaves the others alone.
    const problem = await Effect.runPromise(
      makeTemplate(server).pipe(
        Effect.as(""),
        Effect.provideService(References.MinimumLogLevel, "Warn"),
        Effect.catch((error) => Effect.succeed(error.message)),
      ),
    );
    project.provide("testServer", { socketPath: server.socketPath, username: server.username, problem });
    return close;
  } catch (error) {
    await close();
    throw error;
  }
};

const makeTemplate = (server: EmbeddedPostgres["Service"]) => {
  const { socketPath, username, database } = server;
  const target = { _tag: "socket", path: socketPath, username } as const;
  const schema = MigrationFiles.layerFolder(new URL("../schema/", import.meta.url));
  return createTemplate.pipe(
    Effect.provide(postgresLayer({ ...target, database })),
    Effect.flatMap((template) =>
      Effect.provide(
        migrate,
        Layer.merge(schema, postgresLayer({ ...target, database: template }, { maxConnections: 1 })),
      ),
    ),
  );
};
