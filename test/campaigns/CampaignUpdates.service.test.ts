import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

layer(TestWaypost.layer)("Campaign updates", (it) => {
  it.effect(
    "an update follows the rules for creating a campaign, and a refused one changes nothing " +
      "(campaigns.invalid, campaigns.w10)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        yield* world.sandbox("/campaigns", { body: push({ name: "Taken" }) });
        const made = yield* world.sandbox("/campaigns", {
          body: geo([location], { starts_at: "2026-12-01" }),
        });
        const path = `/campaigns/${made.body.data.id}`;
        const fields = (body: unknown) =>
          Effect.map(world.sandbox(path, { method: "PATCH", body }), (answer) => {
            assert.deepStrictEqual([answer.status, answer.body.error.code], [422, "validation_failed"]);
            return Object.keys(answer.body.error.fields).sort();
          });
        assert.deepStrictEqual(yield* fields({}), ["name", "starts_at", "timezone", "type"]);
        assert.deepStrictEqual(
          yield* fields({
            ...geo(["no id"]),
            name: "Taken",
            timezone: "Nowhere",
            starts_at: "2026-02-30",
            ends_at: "soon",
            segment_match: "some",
            segmentation_ids: [location],
            location_group_names: ["Nowhere"],
            frequency_cap_count: 0,
          }),
          [
            "ends_at",
            "frequency_cap_count",
            "frequency_cap_period",
            "location_group_names.0",
            "location_ids.0",
            "name",
            "segment_match",
            "segmentation_ids",
            "starts_at",
            "timezone",
          ],
        );
        assert.deepStrictEqual((yield* world.sandbox(path)).body, made.body);
      }),
  );

  it.effect(
    "targeting is shown in responses, and ignored in a body like any unknown field (campaigns.f_targeting)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const [here = "", there = ""] = yield* world.locations(2);
        const body = geo([here], { targeting: { location_ids: [there] } });
        const made = yield* world.sandbox("/campaigns", { body });
        assert.deepStrictEqual(made.body.data.targeting.location_ids, [here]);
        const none = yield* world.sandbox(`/campaigns/${made.body.data.id}`, {
          method: "PATCH",
          body: { ...geo([]), targeting: made.body.data.targeting },
        });
        assert.hasAllKeys(none.body.error.fields, ["location_ids"]);
      }),
  );

  it.effect("a push campaign has ended once its day in its zone is over (E2.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const made = yield* world.sandbox("/campaigns", {
        body: push({ timezone: "America/New_York", starts_at: "2026-11-22" }),
      });
      const statusAt = (instant: string) =>
        Effect.andThen(
          TestClock.setTime(Date.parse(instant)),
          Effect.map(world.sandbox(`/campaigns/${made.body.data.id}`), ({ body }) => body.data.status),
        );
      assert.strictEqual(yield* statusAt("2026-11-22T04:59:59.999Z"), "scheduled");
      assert.strictEqual(yield* statusAt("2026-11-22T05:00:00Z"), "active");
      assert.strictEqual(yield* statusAt("2026-11-23T04:59:59Z"), "active");
      assert.strictEqual(yield* statusAt("2026-11-23T05:00:00Z"), "ended");
    }),
  );

  it.effect("targeting shows only existing targets after a location is deleted (E12.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const [kept = "", lost = ""] = yield* world.locations(2);
      const made = yield* world.sandbox("/campaigns", { body: geo([lost, kept]) });
      yield* world.removeLocation(lost);
      const shown = yield* world.sandbox(`/campaigns/${made.body.data.id}`);
      assert.deepStrictEqual(shown.body.data.targeting.location_ids, [kept]);
    }),
  );
});
