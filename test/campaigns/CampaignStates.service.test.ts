import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

layer(TestWaypost.layer)("Campaign states", (it) => {
  it.effect(
    "the status follows the clock, pausing and publishing in every response " +
      "(campaigns.list, campaigns.s_ended, campaigns.s_pause, campaigns.s_same)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        const made = yield* world.sandbox("/campaigns", {
          body: geo([location], {
            timezone: "UTC",
            starts_at: "2026-11-21 12:01",
            ends_at: "2026-11-21 12:03",
          }),
        });
        const path = `/campaigns/${made.body.data.id}`;
        const statuses = Effect.gen(function* () {
          const one = yield* world.sandbox(path);
          const list = yield* world.sandbox("/campaigns");
          assert.deepStrictEqual(list.body.data, [one.body.data]);
          return one.body.data.status;
        });
        assert.strictEqual(yield* statuses, "scheduled");
        yield* TestClock.adjust("1 minute");
        assert.strictEqual(yield* statuses, "active");
        yield* world.sandbox(`${path}/pause`, { method: "POST" });
        assert.strictEqual(yield* statuses, "paused");
        yield* TestClock.adjust("2 minutes");
        assert.strictEqual(yield* statuses, "paused");
        yield* TestClock.adjust("1 second");
        assert.strictEqual(yield* statuses, "ended");
        const published = yield* world.sandbox(`${path}/publish`, { method: "POST" });
        assert.strictEqual(published.body.data.status, "ended");
        assert.isFalse(published.body.data.paused);
      }),
  );

  it.effect(
    "pause and publish give the campaign, and repeating them changes nothing " +
      "(A4.2, campaigns.publish, campaigns.s_pause, campaigns.s_publish)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const made = yield* world.sandbox("/campaigns", { body: push() });
        const path = `/campaigns/${made.body.data.id}`;
        const post = (action: string, body?: unknown) =>
          Effect.andThen(
            TestClock.adjust("1 second"),
            world.sandbox(`${path}/${action}`, { method: "POST", body }),
          );
        const idle = yield* post("publish");
        assert.deepStrictEqual([idle.status, idle.body], [200, made.body]);
        const paused = yield* post("pause");
        assert.strictEqual(paused.status, 200);
        assert.deepStrictEqual([paused.body.data.paused, paused.body.data.status], [true, "paused"]);
        assert.notStrictEqual(paused.body.data.updated_at, made.body.data.updated_at);
        assert.deepStrictEqual((yield* post("pause", "not even JSON")).body, paused.body);
        const published = yield* post("publish", { ignored: true });
        assert.deepStrictEqual(
          [published.body.data.paused, published.body.data.status],
          [false, "scheduled"],
        );
        assert.deepStrictEqual((yield* post("publish")).body, published.body);
      }),
  );
});
