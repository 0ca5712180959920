import { Effect, Layer, Redacted } from "effect";
import type { SqlClient } from "effect/sql";
import { dirname } from "node:path";
import { Database } from "../../src/database/Database.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";

/** Services on a database with the current schema, for any client. */
export const onSchema = <A, E, R, E2, R2>(
  services: Layer.Layer<A, E, R>,
  client: Layer.Layer<SqlClient.SqlClient, E2, R2>,
) =>
  services.pipe(
    Layer.provideMerge(Layer.effectDiscard(migrate)),
    Layer.provide(MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url))),
    Layer.provideMerge(Database.layerClient),
    Layer.provideMerge(client),
  );

/** One session of an embedded PostgreSQL in a folder, with additional server settings. */
export const benchClient = (directory: string, settings: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.make({ directory, settings }), ({ database, socketPath, username }) =>
      postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 1 }),
    ),
  );

/** A data directory of services that are not started as a process. */
export const benchDirectory = (path: string) =>
  Layer.succeed(DataDirectory, {
    path,
    operatorKey: Redacted.make("operator-key-of-the-benchmark-0123456789"),
    secretKey: Redacted.make("secret-key-of-the-benchmark-0123456789"),
  });

/** The URL of an embedded PostgreSQL for other processes. */
export const databaseUrl = ({
  database,
  socketPath,
  username,
}: {
  readonly database: string;
  readonly socketPath: string;
  readonly username: string;
}): string =>
  `postgresql://${username}@localhost/${database}?host=${encodeURIComponent(dirname(socketPath))}`;
