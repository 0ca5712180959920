import { assert, layer } from "@effect/vitest";
import { Effect, Stream } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../../src/database/RowCursor.ts";
import { TestDatabase } from "./TestDatabase.ts";

layer(TestDatabase.layer)("Row cursors", (it) => {
  it.effect("a cursor gives all rows in order, with the JavaScript types of other statements", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const query = sql`
        SELECT number::bigint AS large, number::int AS small, number::text AS text, true AS flag
        FROM generate_series(1, 5000) AS number`;
      const rows = (yield* Stream.runCollect(yield* rowCursor<object>(query))).flat();
      const expected = Array.from({ length: 5000 }, (_, index) => ({
        large: BigInt(index + 1),
        small: index + 1,
        text: String(index + 1),
        flag: true,
      }));
      assert.deepStrictEqual(rows, expected);
    }),
  );

  it.effect("a cursor gives slices of at most 100 rows, and ends behind the last row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      for (const [count, slices] of [
        [0, []],
        [100, [100]],
        [350, [100, 100, 100, 50]],
        [360, [100, 100, 100, 50, 10]],
      ] as const) {
        const query = sql`SELECT number FROM generate_series(1, ${count}::int) AS number`;
        const rows = yield* Effect.scoped(Effect.flatMap(rowCursor<object>(query), Stream.runCollect));
        assert.deepStrictEqual(
          rows.map(({ length }) => length),
          [...slices],
        );
      }
    }),
  );
});
