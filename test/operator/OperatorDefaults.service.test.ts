import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.layer)("Defaults of the operator interface", (it) => {
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
        device_requests_per_minute: 600,
        device_events_per_minute: 6000,
      });
    }),
  );

  it.effect("the usage of a plan has the counts of each environment (operator.usage)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { production, workspace } = yield* tenant();
      const usage = (env: string) => operator(`/workspaces/${workspace.id}/${env}/usage`);
      const none = { campaigns: 0, notifications: 0, locations: 0, media_bytes: 0 };
      assert.deepStrictEqual((yield* usage("production")).body.data, none);
      const feature = (name: string) => ({
        type: "Feature",
        geometry: { type: "Point", coordinates: [4.9, 52.37] },
        properties: { name, radius: 100, group: "Shops" },
      });
      const body = { type: "FeatureCollection", features: ["Dam", "Station"].map(feature) };
      yield* production("/locations/import", { body });
      for (const name of ["One", "Two"])
        yield* production("/campaigns", {
          body: {
            name,
            type: "geo",
            timezone: "UTC",
            starts_at: "2099-01-01",
            location_group_names: ["Shops"],
          },
        });
      assert.deepStrictEqual((yield* usage("production")).body.data, {
        ...none,
        campaigns: 2,
        locations: 2,
      });
      assert.deepStrictEqual((yield* usage("sandbox")).body.data, none);
      assert.strictEqual((yield* usage("elsewhere")).status, 404);
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
