/**
 * A process with only a database, for tests that kill it. Each start inserts a row, prints "ready" with the
 * number of rows, and waits. A line on its input makes it fail with an uncaught error.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { Settings } from "../../../src/config/Settings.ts";
import { Database } from "../../../src/database/Database.ts";
import { DataDirectory } from "../../../src/database/DataDirectory.ts";
import { MigrationFiles } from "../../../src/database/migrations/Migrations.ts";

process.stdin.once("data", () => {
  throw new Error("an uncaught error, on purpose");
});

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    yield* sql`CREATE TABLE IF NOT EXISTS start ()`;
    yield* sql`INSERT INTO start DEFAULT VALUES`;
    const rows = yield* sql`SELECT 1 FROM start`;
    yield* Effect.sync(() => process.stdout.write(`ready ${rows.length}\n`));
  }),
);

announce.pipe(
  Layer.provide(Database.layer),
  Layer.provide(DataDirectory.layer),
  Layer.provide(MigrationFiles.layerFolder(new URL("../../../schema/", import.meta.url))),
  Layer.provide(Settings.layer(process.env)),
  Layer.launch,
  NodeRuntime.runMain,
);
