/**
 * A whole process with nothing but its database, for tests that kill it: says "ready" on its output, then waits.
 * A line on its input makes it fail in the way it names.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { Config } from "../../src/Config.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { Database } from "../../src/database/Database.ts";
import { MigrationFiles } from "../../src/database/Migrations.ts";

process.stdin.on("data", () => {
  throw new Error("an uncaught error, on purpose");
});

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const database = yield* Database;
    const isReady = yield* database.ready;
    yield* Effect.sync(() => process.stdout.write(isReady ? "ready\n" : "not ready\n"));
  }),
);

announce.pipe(
  Layer.provide(Database.layer),
  Layer.provide(DataDirectory.layer),
  Layer.provide(MigrationFiles.layerFiles([])),
  Layer.provide(Config.layer(process.env)),
  Layer.launch,
  NodeRuntime.runMain,
);
