import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { readdirSync, readFileSync } from "node:fs";
import { migrate, type MigrationFile, MigrationFiles } from "../../src/database/Migrations.ts";
import { SendScheduler } from "../../src/sending/SendScheduler.ts";
import { everyEndpoint } from "../matrices/Endpoints.ts";
import { exampleOf, send, told } from "../matrices/Examples.ts";
import { type Ground, makeGround, roomyWorkspace } from "../matrices/Ground.ts";
import { TestWaypost } from "../TestWaypost.ts";

const folder = new URL("../../schema/", import.meta.url);
const released: ReadonlyArray<MigrationFile> = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(new URL(name, folder), "utf8"),
}));

/** What a next version might bring: for each table columns with and without a default, a rule and an index; and a table of its own. */
const next = (tables: ReadonlyArray<string>): ReadonlyArray<MigrationFile> =>
  [
    ...tables.map(
      (table) => `
        ALTER TABLE ${table} ADD COLUMN made_up text NOT NULL DEFAULT 'made up' CHECK (made_up <> ''), ADD COLUMN made_up_at timestamptz;
        CREATE INDEX ${table}_made_up ON ${table} (made_up_at) WHERE made_up_at IS NOT NULL;`,
    ),
    `CREATE TABLE made_up (
      workspace_id integer NOT NULL, environment text NOT NULL, PRIMARY KEY (workspace_id, environment),
      FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
    );`,
  ].map((text, index) => ({
    name: `${String(released.length + 1 + index).padStart(4, "0")}_made_up.sql`,
    text,
  }));

const useEverything = Effect.fnUntraced(function* (ground: Ground) {
  for (const endpoint of everyEndpoint) {
    const answer = yield* send(ground, endpoint, yield* exampleOf(endpoint).request(ground));
    assert.isBelow(answer.status, 300, `${endpoint.name}: ${told(answer)}`);
  }
});

layer(TestWaypost.layer, { timeout: "3 minutes" })("A process of the version before", (it) => {
  it.effect(
    "answers every request while a newer one adds to every table, and afterwards, also on connections of before",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
        yield* useEverything(ground);
        const tables = yield* sql<{ readonly name: string }>`
          SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migration'`;
        const files = [...released, ...next(tables.map(({ name }) => name))];
        const during = yield* Effect.forkChild(useEverything(ground));
        yield* TestClock.withLive(Effect.provide(migrate, MigrationFiles.layerFiles(files)));
        yield* Fiber.join(during);
        yield* useEverything(ground);
        yield* (yield* SendScheduler).caughtUp;
        const [row] = yield* sql<{ readonly made_up: string }>`SELECT DISTINCT made_up FROM delivery`;
        assert.deepStrictEqual(row, { made_up: "made up" });
      }),
    180_000,
  );
});
