import { Effect, Exit, Layer, References, Scope } from "effect";
import { appendFile, chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { EmbeddedPostgres } from "../src/database/embedded/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../src/database/Postgres.ts";
import { keep, keptDatabase, takeKept } from "./database/embedded/KeptDatabase.ts";
import { copyDatabase } from "./database/embedded/PreparedData.ts";
import { citusPorts, createCitusTemplate, dropOnNodes, relayTo } from "./database/CitusCluster.ts";
import { createTemplate, type TestServer } from "./database/TestServer.ts";
import { databaseParent } from "./TestFolder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this test run, or the coordinator of its Citus cluster. */
    readonly testServer: TestServer;
  }
}

type ServerOfTheRun = { readonly server: TestServer; readonly close: () => Promise<void> };

declare global {
  var waypostTestServer: { readonly started: Promise<ServerOfTheRun>; users: number } | undefined;
}

/** Provides the one PostgreSQL of the run to a project. The last project to end stops it. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  // Vitest loads this module once for each project, so the server is kept outside of it.
  const shared = (globalThis.waypostTestServer ??= { started: startServer(), users: 0 });
  shared.users++;
  const { close, server } = await shared.started;
  project.provide("testServer", server);
  return async () => {
    if (--shared.users === 0) await close();
  };
};

/**
 * Starts PostgreSQL. Its database is migrated once for all runs with the same schema, and copied for every
 * test file. A prepared data directory is copied for processes with their own database.
 */
const startServer = async (): Promise<ServerOfTheRun> => {
  const directory = await mkdtemp(join(databaseParent, "waypost-test-"));
  // As root, databases run as another account, which must reach the folder.
  await chmod(directory, 0o711);
  const scope = Scope.makeUnsafe();
  const close = async (): Promise<void> => {
    await Effect.runPromise(Scope.close(scope, Exit.void));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const prepared = join(directory, "prepared");
    const statements = join(directory, "statements");
    await mkdir(statements);
    await mkdir(prepared);
    const kept = await Effect.runPromise(keptDatabase);
    let problem = "";
    if (!(await takeKept(kept, prepared))) {
      problem = await Effect.runPromise(prepare(prepared));
      if (problem === "") await keep(prepared, kept);
    }
    if (citusPorts.length > 0) {
      const citus = await Effect.runPromise(createCitusTemplate(citusPorts));
      const relay = await relayTo(citusPorts[0], join(directory, ".s.PGSQL.5432"));
      return {
        server: { socketPath: relay.path, username: "waypost", problem, prepared, statements, citus },
        close: async () => {
          relay.close();
          await Effect.runPromise(dropOnNodes(citus.ports, citus.template));
          await close();
        },
      };
    }
    const home = join(directory, "server");
    await mkdir(home);
    await copyDatabase(prepared, home);
    const server = await Effect.runPromise(
      EmbeddedPostgres.make({
        directory: home,
        isDurable: false,
        settings: {
          max_connections: "120",
          shared_buffers: "128MB",
          autovacuum: "off",
          wal_compression: "off",
          wal_level: "minimal",
          checkpoint_timeout: "1h",
        },
      }).pipe(Scope.provide(scope)),
    );
    await Effect.runPromise(Effect.provide(createTemplate, databaseOf(server)));
    const { socketPath, username } = server;
    return { server: { socketPath, username, problem, prepared, statements, citus: null }, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const databaseOf = ({ database, socketPath, username }: EmbeddedPostgres["Service"]) =>
  postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 1 });

/** Creates the database in a data directory. Returns the error of the migrations, or an empty text. */
const prepare = (directory: string): Effect.Effect<string> =>
  Effect.gen(function* () {
    const server = yield* EmbeddedPostgres.make({ directory, isDurable: false });
    const schema = MigrationFiles.layerFolder(new URL("../schema/", import.meta.url));
    return yield* migrate.pipe(
      Effect.provide(Layer.merge(schema, databaseOf(server))),
      Effect.as(""),
      Effect.provideService(References.MinimumLogLevel, "Warn"),
      // A wrong schema fails only the tests that need it.
      Effect.catch((error) => Effect.succeed(error.message)),
    );
  }).pipe(
    Effect.scoped,
    // Tests kill processes, not machines, so the kernel keeps what was not synced.
    Effect.tap(() =>
      Effect.promise(() => appendFile(join(directory, "postgres/postgresql.conf"), "\nfsync = off\n")),
    ),
    Effect.orDie,
  );
