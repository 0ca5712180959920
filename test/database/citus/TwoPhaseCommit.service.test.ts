import { assert, layer } from "@effect/vitest";
import { Cause, Effect, Exit, Layer } from "effect";
import { SqlClient, SqlError } from "effect/sql";
import { assumeDistributed } from "../../../src/database/citus/IsDistributed.ts";
import { Connections } from "../../sending/sends/SimulationWorld.ts";
import { TestDatabase } from "../TestDatabase.ts";

// A distributed database is assumed, and the statements that reach it are recorded.
const assumed = Layer.effectDiscard(Effect.map(SqlClient.SqlClient, assumeDistributed)).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(Connections, ({ path }) => TestDatabase.layerThrough(path)))),
  Layer.provideMerge(Connections.layer),
);

const asksForTwoPhases = Effect.map(Connections, ({ statements }) =>
  [...statements].some((statement) => statement.startsWith("DELETE FROM two_phase")),
);

layer(assumed)("Transactions of a distributed database", (it) => {
  it.effect("only a transaction that wrote rows of the coordinator asks for two phases (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql.withTransaction(sql`SELECT name FROM installation`);
      assert.isFalse(yield* asksForTwoPhases);
      yield* sql.withTransaction(sql`INSERT INTO installation (name, value) VALUES ('two', 'phases')`);
      assert.isTrue(yield* asksForTwoPhases);
      assert.lengthOf(yield* sql`SELECT FROM installation WHERE name = 'two'`, 1);
    }),
  );

  it.effect("a transaction that cannot ask for two phases is rolled back (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`ALTER TABLE two_phase RENAME TO elsewhere`.unprepared;
      const exit = yield* Effect.exit(
        sql.withTransaction(sql`INSERT INTO installation (name, value) VALUES ('one', 'phase')`),
      );
      yield* sql`ALTER TABLE elsewhere RENAME TO two_phase`.unprepared;
      const error = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : null;
      assert.strictEqual(SqlError.isSqlError(error) && error.reason._tag, "SqlSyntaxError");
      assert.lengthOf(yield* sql`SELECT FROM installation WHERE name = 'one'`, 0);
    }),
  );
});
