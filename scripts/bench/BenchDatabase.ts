import { Effect, Layer, Redacted } from "effect";
import { dirname } from "node:path";
import { Database } from "../../src/database/Database.ts";
import { LongReads } from "../../src/database/LongReads.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { operatorKey, secretKey } from "./ServiceApi.ts";

/** Services on a database with the current schema, for the client around them. */
export const onSchema = <A, E, R>(services: Layer.Layer<A, E, R>, directory = "") =>
  services.pipe(
    Layer.provideMerge(Layer.merge(Layer.effectDiscard(migrate), LongReads.layer)),
    Layer.provide(MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url))),
    Layer.provide(
      Layer.succeed(DataDirectory, {
        path: directory,
        operatorKey: Redacted.make(operatorKey),
        secretKey: Redacted.make(secretKey),
      }),
    ),
    Layer.provideMerge(Database.layerClient),
  );

/** One session of an embedded PostgreSQL in a folder, with additional server settings. */
export const benchClient = (directory: string, settings: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.make({ directory, settings }), ({ database, socketPath, username }) =>
      postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 1 }),
    ),
  );

/** The URL of a database of an embedded PostgreSQL for other processes. */
export const databaseUrl = (
  server: { readonly database: string; readonly socketPath: string; readonly username: string },
  database = server.database,
): string =>
  `postgresql://${server.username}@localhost/${database}` +
  `?host=${encodeURIComponent(dirname(server.socketPath))}`;
