import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestPlatform } from "../TestPlatform.ts";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestPlatform.layer)("Defaults of the operator interface", (it) => {
  it.effect("a plan has these keys with these defaults (operator.plan)", () =>
    Effect.gen(function* () {
      const { operator } = yield* TestWaypost;
      const { plan } = (yield* operator("/workspaces", { body: { name: "Acme" } })).body.data;
      assert.deepStrictEqual(plan, {
        max_campaigns: 100,
        max_notifications: 1000,
        max_notifications_per_campaign: 20,
        max_locations: 10_000,
        max_media_bytes: null,
        surveys: true,
        media_kinds: ["image", "video", "audio"],
        sandbox_requests_per_minute: 30,
        sandbox_writes_per_minute: 10,
        sandbox_requests_per_day: 1000,
        production_requests_per_minute: 600,
        production_writes_per_minute: 120,
        production_requests_per_day: null,
      });
    }),
  );

  it.effect(
    "the operator interface has no rate limits and ignores Idempotency-Key (operator.unlimited)",
    () =>
      Effect.gen(function* () {
        const { operator } = yield* TestWaypost;
        const ids = new Set<string>();
        for (let time = 0; time < 60; time++) {
          const headers = { "idempotency-key": "again" };
          const {
            body,
            headers: answered,
            status,
          } = yield* operator("/workspaces", { body: { name: "Acme" }, headers });
          assert.strictEqual(status, 201);
          assert.isFalse(answered.has("x-ratelimit-limit") || answered.has("idempotent-replayed"));
          ids.add(body.data.id);
        }
        assert.strictEqual(ids.size, 60);
      }),
  );
});
