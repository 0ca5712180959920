import { assert, layer } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { readFileSync } from "node:fs";
import type { ApiDocument } from "../../scripts/check/apiChanges.ts";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { SendScheduler } from "../../src/sending/sends/SendScheduler.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "../matrices/MatrixFixture.ts";
import { type TestServices, TestDatabase } from "../database/TestDatabase.ts";
import { machines } from "../machines/Machines.ts";
import { type Endpoint, everyEndpoint } from "../matrices/Endpoints.ts";
import {
  asker,
  operatorAsker,
  testOperatorKey,
  testSecretKey,
  testStart,
  TestWaypost,
} from "../TestWaypost.ts";
import { ownAndNextMigrations, ownMigrations } from "./NextVersion.ts";
import { releaseCommit, releasedProgram, releases } from "./ReleasedProgram.ts";
import { useEverything } from "./ReleaseHistory.ts";

/** Processes take the time from the database. Here it begins at that of the tests. */
const testTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const body = `SELECT pg_catalog.clock_timestamp() + interval '${testStart - Date.now()} milliseconds'`;
  yield* sql`
    CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS ${sql.literal(`$$${body}$$`)}`;
  const [{ name } = { name: "" }] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`;
  yield* sql`ALTER DATABASE ${sql(name)} SET search_path = public, pg_catalog`;
});

/** Abilities that a release does not know are given once all processes are newer. */
const withoutNewAbilities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    CREATE FUNCTION remove_new_abilities() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.abilities := array_remove(NEW.abilities, 'events:write');
      RETURN NEW;
    END $$`;
  yield* sql`
    CREATE TRIGGER without_new_abilities BEFORE INSERT ON api_token
    FOR EACH ROW EXECUTE FUNCTION remove_new_abilities()`;
});

/** Whether a release has an endpoint, by its OpenAPI document. */
const isIn = (version: string) => {
  const read = (api: string) =>
    JSON.parse(readFileSync(`openapi/released/${version}/${api}.json`, "utf8")) as ApiDocument;
  const documents = { platform: read("platform"), device: read("device"), operator: read("operator") };
  return ({ api, method, path }: Endpoint): boolean =>
    documents[api].paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()] !== undefined;
};

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

for (const version of releases) {
  const commit = releaseCommit(version);
  layer(TestDatabase.layerEmpty, { timeout: "3 minutes" })(`The program of ${version}`, (it) => {
    it.effect.skipIf(commit === null)(
      "every request to the program of a release succeeds on the schema of this version (running.upgrade)",
      () =>
        Effect.gen(function* () {
          yield* testTime;
          const { launcher } = yield* releasedProgram(commit ?? "");
          const { start } = yield* machines;
          const { origin } = yield* start("api", launcher, {
            WAYPOST_OPERATOR_KEY: testOperatorKey,
            WAYPOST_SECRET_KEY: testSecretKey,
          });
          yield* TestClock.withLive(Effect.provide(migrate, MigrationFiles.layerFiles(ownMigrations)));
          const database = Layer.succeedContext(yield* Effect.context<TestServices>());
          const call = Effect.gen(function* () {
            const own = yield* TestWaypost;
            const released = TestWaypost.of({
              ...own,
              origin,
              platform: (environment, credential) =>
                asker(`${origin}${environment === "sandbox" ? "/sandbox" : ""}/platform/v1`, credential),
              operator: operatorAsker(origin, testOperatorKey),
              device: (credential) => asker(`${origin}/device/v1`, credential),
            });
            const use = Effect.gen(function* () {
              yield* withoutNewAbilities;
              const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
              yield* useEverything(fixture, everyEndpoint.filter(isIn(version)));
            });
            yield* Effect.provideService(use, TestWaypost, released);
          });
          yield* Effect.provide(call, TestWaypost.layerWith({}, database));
        }).pipe(Effect.scoped),
      180_000,
    );
  });
}
