import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { analyzeGrownTables } from "../../src/database/TableStatistics.ts";
import { estimatedRows } from "./OnCitus.ts";
import { TestDatabase } from "./TestDatabase.ts";

layer(TestDatabase.layer)("analyzeGrownTables", (it) => {
  it.effect("a table whose first rows are not committed is not analyzed, as it would count none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const estimate = Effect.map(
        sql<{ readonly rows: number }>`SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'sdk_key'`,
        ([row]) => row?.rows,
      );
      const insert = sql`
        WITH made AS (
          INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
          VALUES (gen_random_uuid(), 'Acme', 'UTC', '2026-11-21Z', '2026-11-21Z') RETURNING id
        )
        INSERT INTO sdk_key (id, workspace_id, environment, name, digest, created_at)
        SELECT gen_random_uuid(), made.id, 'sandbox', 'App', sha256(n::text::bytea), '2026-11-21Z'
        FROM made, generate_series(1, 2000) AS n`;
      const [written, checked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
      const writing = yield* Effect.forkChild(
        sql.withTransaction(
          insert.pipe(
            Effect.andThen(Deferred.succeed(written, undefined)),
            Effect.andThen(Deferred.await(checked)),
          ),
        ),
      );
      yield* Deferred.await(written);
      assert.notInclude(yield* analyzeGrownTables, "sdk_key");
      assert.strictEqual(yield* estimate, -1);
      yield* Deferred.succeed(checked, undefined);
      yield* Fiber.join(writing);
      assert.include(yield* analyzeGrownTables, "sdk_key");
      assert.strictEqual(yield* estimate, 2000);
    }),
  );

  it.effect("a table that has doubled is analyzed once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const estimate = estimatedRows("delivery");
      const send = (sourceId: number, count: number) => sql`
        INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
          notification_key, content_key, content_type, trigger_type, transport, status, created_at)
        SELECT 1, 'production', ${sourceId}, n, 1, 1, 1, 'message', 'fixed_time', 'fcm', 'queued',
          '2026-11-21Z'
        FROM generate_series(1, ${count}::int) AS n`;
      yield* send(1, 100);
      assert.deepStrictEqual(yield* analyzeGrownTables, []);
      yield* send(2, 29_900);
      assert.deepStrictEqual(yield* analyzeGrownTables, ["delivery"]);
      assert.strictEqual(yield* estimate, 30_000);
      yield* send(3, 5_000);
      assert.deepStrictEqual(yield* analyzeGrownTables, []);
      yield* send(4, 45_000);
      assert.deepStrictEqual(yield* analyzeGrownTables, ["delivery"]);
      assert.strictEqual(yield* estimate, 80_000);
    }),
  );
});
