import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, instant, jsonb, unnested, utc } from "../../src/database/Rows.ts";
import { TestDatabase } from "./TestDatabase.ts";

layer(TestDatabase.layerEmpty)("Rows", (it) => {
  it.effect("utc formats instants to the second, truncated and not rounded (A3)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql`
        SELECT ${utc("at")} AS text FROM unnest(${arrayOf("timestamptz", [
          Date.UTC(2026, 0, 2, 3, 4, 5, 999),
          Date.UTC(2024, 1, 29, 23, 59, 59),
          null,
        ])}) AS given (at)`;
      assert.deepStrictEqual(rows, [
        { text: "2026-01-02T03:04:05+00:00" },
        { text: "2024-02-29T23:59:59+00:00" },
        { text: null },
      ]);
    }),
  );

  it.effect("instants, JSON and counts survive a round trip", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const value = { text: "é\u{1F600}", list: [1, 2.5, null], deep: { "__proto__ ": true } };
      const [row] = yield* sql`
        SELECT ${instant(1_700_000_000_123)} AS at, ${jsonb(value)} AS value,
          ${asNumber("count(*)")} AS count`;
      assert.deepStrictEqual(row, { at: new Date(1_700_000_000_123), value, count: 1 });
    }),
  );

  it.effect("arrayOf accepts nulls, no elements, and integers with fractions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql`
        SELECT * FROM unnest(${arrayOf("float8", [1, 2.5])}, ${arrayOf("text", [null, null])},
          ${arrayOf("jsonb", [{ a: 1 }, [2]])}) AS given (number, text, value)`;
      assert.deepStrictEqual(rows, [
        { number: 1, text: null, value: { a: 1 } },
        { number: 2.5, text: null, value: [2] },
      ]);
      assert.lengthOf(yield* sql`SELECT * FROM unnest(${arrayOf("uuid", [])})`, 0);
    }),
  );

  it.effect("unnested rows keep their order, their nulls and their types", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const given: ReadonlyArray<{
        readonly name: string | null;
        readonly at: number;
        readonly keys: bigint;
      }> = [
        { name: "b", at: 0, keys: 2n ** 53n },
        { name: null, at: 1_700_000_000_123, keys: 1n },
      ];
      const select = (rows: typeof given) => sql`
        SELECT name, at, keys, ord::int AS ord FROM ${unnested("g", rows, {
          name: ["text", (row) => row.name],
          at: ["timestamptz", (row) => row.at],
          keys: ["int8", (row) => row.keys],
        })} ORDER BY ord`;
      assert.deepStrictEqual(yield* select(given), [
        { name: "b", at: new Date(0), keys: 2n ** 53n, ord: 1 },
        { name: null, at: new Date(1_700_000_000_123), keys: 1n, ord: 2 },
      ]);
      assert.lengthOf(yield* select([]), 0);
    }),
  );
});
