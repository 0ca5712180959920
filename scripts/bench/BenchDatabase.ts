import { Effect, Layer } from "effect";
import type { SqlClient } from "effect/sql";
import { Database } from "../../src/database/Database.ts";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";

/** Services over a database of today's schema, with the database itself, whatever client there is. */
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

/** One session of an embedded PostgreSQL in a folder; `settings` of the server beside its own. */
export const benchClient = (directory: string, settings: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.make({ directory, settings }), ({ database, socketPath, username }) =>
      postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 1 }),
    ),
  );
