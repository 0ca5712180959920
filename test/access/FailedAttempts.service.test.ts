import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { makeCredential } from "../../src/access/Credential.ts";
import { pruneAttempts } from "../../src/access/FailedAttemptPruning.ts";
import { FailedAttemptsSql } from "../../src/access/FailedAttemptsSql.ts";
import { Settings } from "../../src/config/Settings.ts";
import { TestWaypost } from "../TestWaypost.ts";

const trustedProxies = Settings.fromRecord({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1, ::1" }).pipe(
  Effect.map((config) => config.trustedProxies),
  Effect.runSync,
);

layer(TestWaypost.layerWith({ trustedProxies }))("Failed attempts", (it) => {
  it.effect(
    "from the 21st unknown token in a minute on an address gets 429, and its valid tokens work " +
      "(I2.1, I2.3, auth.10, errors.too_many_failed_attempts)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant();
        const from = { headers: { "x-forwarded-for": "203.0.113.7" } };
        const guess = (prefix: string) => waypost.platform("sandbox", makeCredential(prefix))("/me", from);
        for (let i = 0; i < 10; i++) assert.strictEqual((yield* guess("wps_")).status, 401);
        for (let i = 0; i < 10; i++) {
          assert.strictEqual((yield* waypost.platform("sandbox", `rubbish${i}`)("/me", from)).status, 401);
        }
        yield* TestClock.adjust("20 seconds");
        const shut = yield* guess("wps_");
        assert.strictEqual(shut.status, 429);
        assert.strictEqual(shut.body.error.code, "too_many_failed_attempts");
        assert.strictEqual(shut.headers.get("retry-after"), "40");
        assert.strictEqual((yield* sandbox("/me", from)).status, 200);
        const elsewhere = yield* waypost.platform("sandbox", makeCredential("wps_"))("/me", {
          headers: { "x-forwarded-for": "203.0.113.7, 203.0.113.8" },
        });
        assert.strictEqual(elsewhere.status, 401);
        yield* TestClock.adjust("40 seconds");
        assert.strictEqual((yield* guess("wpp_")).status, 401);
      }),
  );

  it.effect("unknown tokens of one /64 and of hops that are no address count together (I2.3, I2.4)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      yield* TestClock.adjust("1 minute");
      const guess = (forwardedFor: string) =>
        Effect.map(
          waypost.platform("sandbox", makeCredential("wps_"))("/me", {
            headers: { "x-forwarded-for": forwardedFor },
          }),
          ({ status }) => status,
        );
      for (let index = 1; index <= 20; index++) {
        assert.strictEqual(yield* guess(`2001:db8:7:7:${index}::${index}`), 401);
        assert.strictEqual(yield* guess(`203.0.113.${index}, ${String(index).repeat(4000 / 2)}`), 401);
      }
      assert.strictEqual(yield* guess("2001:db8:7:7::"), 429);
      assert.strictEqual(yield* guess("2001:db8:7:8::"), 401);
      assert.strictEqual(yield* guess("a".repeat(4000)), 429);
      assert.strictEqual(yield* guess("203.0.113.99"), 401);
    }),
  );

  it.effect("failed attempts are pruned with their window, however many addresses they came from", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const sql = yield* SqlClient.SqlClient;
      yield* TestClock.adjust("1 minute");
      const now = yield* Clock.currentTimeMillis;
      yield* sql`
        INSERT INTO failed_attempt (address, window_opened, attempts)
        SELECT 'address ' || n, ${new Date(now - 60_000)}, 3 FROM generate_series(1, 2500) AS n`;
      const from = { headers: { "x-forwarded-for": "203.0.113.9" } };
      assert.strictEqual((yield* waypost.platform("sandbox", "rubbish")("/me", from)).status, 401);
      const pruned = yield* pruneAttempts.pipe(Effect.provide(FailedAttemptsSql.layer));
      assert.isAtLeast(pruned, 2500);
      assert.deepStrictEqual(yield* sql`SELECT address FROM failed_attempt`, [{ address: "203.0.113.9" }]);
    }),
  );
});
