import { assert, layer } from "@effect/vitest";
import { Effect, Exit, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { Database } from "../../../src/database/Database.ts";
import { reasonOf } from "../../../src/database/DatabaseFailure.ts";
import { FaultyNetwork } from "../../machines/FaultyNetwork.ts";
import { TestDatabase } from "../TestDatabase.ts";

const overNetwork = Layer.unwrap(
  Effect.map(FaultyNetwork, ({ path }) => TestDatabase.layerThrough(path, "4 seconds")),
).pipe(Layer.provideMerge(FaultyNetwork.layer));

const unbounded = { concurrency: "unbounded" } as const;

/**
 * Lets new connections through again, and waits until one works. An attempt that began before fails the
 * statements that wait for it, also those of the next test.
 */
const restoreNetwork = Effect.gen(function* () {
  (yield* FaultyNetwork).refuse(false);
  const { ready } = yield* Database;
  yield* Effect.repeat(ready, { until: (isReady) => isReady });
});

layer(overNetwork)("Connections that lose every byte", (it) => {
  it.effect("statements on a silent connection fail as unavailable, and the next ones work (B3.3)", () =>
    Effect.gen(function* () {
      const network = yield* FaultyNetwork;
      const sql = yield* SqlClient.SqlClient;
      // Slow statements open several connections.
      yield* Effect.all(
        Array.from({ length: 40 }, () => sql`SELECT pg_sleep(0.05)`),
        unbounded,
      );
      assert.isAbove(network.connections(), 1);
      network.muteOpen();
      const exits = yield* Effect.all(
        Array.from({ length: 40 }, () => Effect.exit(sql`SELECT 1`)),
        unbounded,
      );
      const failures = exits.filter(Exit.isFailure);
      assert.isAbove(failures.length, 0);
      assert.isTrue(failures.every(({ cause }) => Database.isUnavailable(cause)));
      assert.lengthOf(yield* sql`SELECT 1`, 1);
    }),
  );

  it.effect("a transaction on a silent connection fails and its connection is replaced (B3.3)", () =>
    Effect.gen(function* () {
      const network = yield* FaultyNetwork;
      const sql = yield* SqlClient.SqlClient;
      const exit = yield* Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1`;
            network.muteOpen();
            yield* sql`SELECT 2`;
          }),
        ),
      );
      assert.isTrue(Exit.isFailure(exit) && Database.isUnavailable(exit.cause));
      assert.lengthOf(yield* sql.withTransaction(sql`SELECT 1`), 1);
    }),
  );

  it.effect("without any network statements fail, and the database is not ready (running.health)", () =>
    Effect.gen(function* () {
      const network = yield* FaultyNetwork;
      const sql = yield* SqlClient.SqlClient;
      const { ready } = yield* Database;
      assert.isTrue(yield* ready);
      network.muteOpen();
      network.refuse(true);
      const exits = yield* Effect.all(
        Array.from({ length: 200 }, () => Effect.exit(sql`SELECT 1`)),
        unbounded,
      );
      assert.isTrue(exits.every((exit) => Exit.isFailure(exit) && Database.isUnavailable(exit.cause)));
      assert.isFalse(yield* ready);
      yield* restoreNetwork;
      assert.lengthOf(yield* sql`SELECT 1`, 1);
    }),
  );

  it.effect("a statement whose limit has passed is given up, although nobody can ask the server (B3.3)", () =>
    Effect.gen(function* () {
      const network = yield* FaultyNetwork;
      const sql = yield* SqlClient.SqlClient;
      const error = yield* Effect.flip(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SET LOCAL statement_timeout = 100`;
            network.muteOpen();
            network.refuse(true);
            yield* sql`SELECT 1`;
          }),
        ),
      );
      yield* restoreNetwork;
      assert.strictEqual(reasonOf(error), "The server did not respond in time");
    }),
  );

  it.effect("a statement that the server runs for long is not given up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`INSERT INTO device_delta (workspace_id, environment, change) VALUES (1, 'sandbox', 1)`;
      // On Citus the server waits for the node that has the row.
      assert.lengthOf(yield* sql`SELECT pg_sleep(5) FROM device_delta WHERE workspace_id = 1`, 1);
    }),
  );
});
