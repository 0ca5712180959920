import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { callShard } from "../../../src/database/citus/ShardCall.ts";
import { table } from "../../../src/database/citus/StatementParts.ts";
import { arrayOf, instant, jsonb } from "../../../src/database/Rows.ts";
import { TestDatabase } from "../TestDatabase.ts";

const workspace = 7;
const keptPlans = 100;

// One connection is one session of the node.
layer(TestDatabase.layerWith(1))("A statement that the node of a shard runs", (it) => {
  it.effect("its parameters arrive as they were given (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const text = `it's "%1$s" 5% \\n $1 {a,b}`;
      const [row] = yield* callShard(
        sql,
        workspace,
        sql<Record<string, unknown>>`
          SELECT (SELECT count(*) FROM ${table.device} d WHERE d.workspace_id = ${workspace}) AS devices,
            ${text}::text AS text, ${null}::text AS missing, ${jsonb({ a: [text] })} AS json,
            ${arrayOf("text", [text, null, "NULL", ""])} AS texts, ${1.5}::float8 AS fraction,
            ${arrayOf("int8", [2n ** 40n])} AS numbers, ${true} AS truth,
            extract(epoch FROM ${instant(1_790_000_000_123)}) * 1000 AS at,
            encode(${new Uint8Array([0, 92, 39, 255])}, 'hex') AS bytes`,
        0,
      );
      assert.deepStrictEqual(row, {
        devices: 0,
        text,
        missing: null,
        json: { a: [text] },
        texts: [text, null, "NULL", ""],
        fraction: 1.5,
        numbers: [2 ** 40],
        truth: true,
        at: 1_790_000_000_123,
        bytes: "005c27ff",
      });
    }),
  );

  const touch = (sql: SqlClient.SqlClient, unsubscribed: string) =>
    callShard(
      sql,
      workspace,
      sql<{ readonly found: number }>`
        WITH gone AS (
          DELETE FROM ${table.push_queue} q WHERE q.workspace_id = ${workspace} RETURNING q.source_id
        ), added AS (
          INSERT INTO ${table.push_queue} (workspace_id, environment, source_id, device_key, transport,
            due_at)
          VALUES (${workspace}, 'sandbox', 1, 1, ${unsubscribed}, ${instant(0)})
        )
        SELECT count(*)::int AS found FROM gone`,
      0,
    );

  it.effect("it is part of its transaction, and runs again after a rollback (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const undone = yield* touch(sql, "fcm").pipe(
        Effect.andThen(Effect.fail("undone" as const)),
        sql.withTransaction,
        Effect.flip,
      );
      assert.strictEqual(undone, "undone");
      assert.deepStrictEqual(yield* touch(sql, "fcm"), [{ found: 0 }]);
      assert.deepStrictEqual(yield* sql.withTransaction(touch(sql, "apns")), [{ found: 1 }]);
    }),
  );

  it.effect("an error keeps its code, and the session stays usable (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { cause } = yield* Effect.flip(touch(sql, "pigeon"));
      assert.include(JSON.stringify(cause), "23514");
      assert.deepStrictEqual(yield* touch(sql, "fcm"), [{ found: 1 }]);
    }),
  );

  it.effect("a session keeps a bounded number of plans, and runs further statements (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const plans = (number: number) =>
        callShard(
          sql,
          workspace,
          sql<{ readonly plans: number }>`
            SELECT count(*)::int AS plans, ${sql.literal(String(number))} AS number
            FROM pg_prepared_statements p LEFT JOIN ${table.device} d ON d.workspace_id = ${workspace}
            WHERE p.name LIKE 'shard_%'`,
          0,
        );
      for (let number = 0; number < keptPlans; number++) yield* plans(number);
      const further = yield* plans(keptPlans);
      assert.isAtMost(further[0]?.plans ?? 0, keptPlans + 2);
      assert.deepStrictEqual(yield* plans(keptPlans), further);
    }),
  );
});
