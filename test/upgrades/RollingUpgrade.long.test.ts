import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { SendScheduler } from "../../src/sending/sends/SendScheduler.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "../matrices/MatrixFixture.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { ownAndNextMigrations } from "./NextVersion.ts";
import { useEverything } from "./ReleaseHistory.ts";

layer(TestWaypost.layer, { timeout: "3 minutes" })("A process of the previous version", (it) => {
  it.effect(
    "every request succeeds during and after migrations of every table (running.upgrade)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
        const tables = yield* sql<{ readonly name: string }>`
          SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`;
        const files = ownAndNextMigrations(tables.map(({ name }) => name));
        const during = yield* Effect.forkChild(useEverything(fixture));
        yield* TestClock.withLive(Effect.provide(migrate, MigrationFiles.layerFiles(files)));
        yield* Fiber.join(during);
        yield* useEverything(fixture);
        yield* (yield* SendScheduler).caughtUp;
        const [row] = yield* sql<{ readonly made_up: string }>`SELECT DISTINCT made_up FROM delivery`;
        assert.deepStrictEqual(row, { made_up: "made up" });
      }),
    180_000,
  );
});
