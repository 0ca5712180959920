import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { makeCredential } from "../../src/access/Credential.ts";
import { Config } from "../../src/Config.ts";
import { TestWaypost } from "../TestWaypost.ts";

const trustedProxies = Config.fromRecord({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1, ::1" }).pipe(
  Effect.map((config) => config.trustedProxies),
  Effect.runSync,
);

layer(TestWaypost.layerWith({ trustedProxies }))("Failed attempts", (it) => {
  it.effect(
    "from the 21st unknown token of an address within a minute on it gets 429, good tokens go on working (I2)",
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
});
