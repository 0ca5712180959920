import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { inject, vi } from "vitest";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { TestWaypost } from "../TestWaypost.ts";

/** A client of the server that does not use the database of the test. */
const administer = <A>(statement: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) => {
  const { socketPath, username } = inject("testServer");
  const server = { _tag: "socket", path: socketPath, username, database: "postgres" } as const;
  return Effect.flatMap(SqlClient.SqlClient, statement).pipe(
    Effect.provide(Layer.fresh(postgresLayer(server, { maxConnections: 1 }))),
    Effect.orDie,
  );
};

const feature = {
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.9, 52.37] },
  properties: { name: "Dam", radius: 100, group: "Amsterdam" },
};
const collection = { type: "FeatureCollection", features: [feature, feature] };

layer(TestWaypost.layer)("Faults", (it) => {
  it.effect(
    "an internal error is 500 with the request id and no internal details (B3.2, errors.internal_error)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const sql = yield* SqlClient.SqlClient;
        yield* Effect.orDie(sql`ALTER TABLE campaign RENAME TO campaign_elsewhere`.unprepared);
        const answer = yield* sandbox("/campaigns", { headers: { "x-request-id": "fault-1" } });
        yield* Effect.orDie(sql`ALTER TABLE campaign_elsewhere RENAME TO campaign`.unprepared);
        assert.strictEqual(answer.status, 500);
        assert.hasAllKeys(answer.body, ["error"]);
        assert.hasAllKeys(answer.body.error, ["code", "message"]);
        assert.strictEqual(answer.body.error.code, "internal_error");
        assert.include(answer.body.error.message, "fault-1");
        assert.notMatch(JSON.stringify(answer.body), /campaign|select|relation|sql| at /i);
        assert.strictEqual((yield* sandbox("/campaigns")).status, 200);
      }),
  );

  it.effect("an import that fails midway leaves nothing, and its key is free (G4.5, J3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const sql = yield* SqlClient.SqlClient;
      const ask = { body: collection, headers: { "idempotency-key": "import" } };
      // An import writes the members of groups last.
      yield* Effect.orDie(
        sql`ALTER TABLE location_group_member ADD CONSTRAINT broken CHECK (false) NOT VALID`.unprepared,
      );
      assert.strictEqual((yield* sandbox("/locations/import", ask)).status, 500);
      assert.deepStrictEqual((yield* sandbox("/locations")).body.data, []);
      assert.deepStrictEqual((yield* sandbox("/location-groups")).body.data, []);
      yield* Effect.orDie(sql`ALTER TABLE location_group_member DROP CONSTRAINT broken`.unprepared);
      const again = yield* sandbox("/locations/import", ask);
      assert.isNull(again.headers.get("idempotent-replayed"));
      assert.strictEqual(again.body.data.summary.created, 2);
    }),
  );

  it.effect(
    "without a database requests get 503 with Retry-After, and work once it is back " +
      "(B3.3, errors.service_unavailable, running.away, running.health)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant();
        const sql = yield* SqlClient.SqlClient;
        const [row] = yield* Effect.orDie(sql<{ name: string }>`SELECT current_database() AS name`);
        const name = row?.name ?? "";
        const authenticate = (whether: boolean) =>
          administer(
            (admin) =>
              admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS ${admin.literal(String(whether))}`
                .unprepared,
          );
        assert.strictEqual((yield* sandbox("/campaigns")).status, 200);
        yield* authenticate(false);
        yield* administer(
          (admin) => admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`,
        );
        for (const ask of [{}, { body: { name: "x" } }]) {
          const answer = yield* sandbox("/campaigns", ask);
          assert.deepStrictEqual([answer.status, answer.body.error.code], [503, "service_unavailable"]);
          assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
        }
        assert.strictEqual(
          (yield* Effect.promise(() => fetch(`${waypost.origin}/health/ready`))).status,
          503,
        );
        assert.strictEqual((yield* Effect.promise(() => fetch(`${waypost.origin}/health/live`))).status, 200);
        yield* authenticate(true);
        yield* Effect.promise(() =>
          vi.waitFor(
            async () => assert.strictEqual((await Effect.runPromise(sandbox("/campaigns"))).status, 200),
            { timeout: 100_000, interval: 20 },
          ),
        );
      }),
  );
});
