import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { push } from "../campaigns/CampaignWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { ok } from "../given/Given.ts";
import { circle, copyWorld, counts, fullGeoCampaign, fullPushCampaign } from "./CopyWorld.ts";

layer(TestWaypost.layer)("What a copy uses because it is there", (it) => {
  it.effect("a second copy matches what the first one made (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const geo = yield* fullGeoCampaign(world);
      const push = yield* fullPushCampaign(world);
      const first = ok(yield* world.copy(geo.campaign));
      const again = (yield* world.copy(geo.campaign, { name: "Once more" })).body;
      assert.deepStrictEqual(again.made, counts({ notifications: 3, media: 1 }));
      assert.deepStrictEqual(again.matched, counts({ locations: 2, location_groups: 1 }));
      assert.deepStrictEqual(again.data.targeting, first.targeting);
      assert.deepStrictEqual(
        (yield* world.copy(push.campaign)).body.made,
        counts({ notifications: 2, segments: 2 }),
      );
      const pushed = (yield* world.copy(push.campaign, { name: "Once more, too" })).body;
      assert.deepStrictEqual(
        [pushed.made, pushed.matched],
        [counts({ notifications: 2 }), counts({ segments: 2 })],
      );
    }),
  );

  it.effect("a location matches by its external id, else by its name and equal shape (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const ids = yield* world.features(
        "sandbox",
        circle("By id", { external_id: "a" }),
        circle("By shape"),
        circle("Another shape"),
        circle("Another name"),
        circle("Unknown id, same shape", { external_id: "b" }),
      );
      const [byId, byShape, , , sameShape] = yield* world.features(
        "production",
        circle("Moved and renamed", { external_id: "a" }, [5, 51]),
        circle("By shape"),
        circle("Another shape", { radius: 101 }),
        circle("Any other name"),
        circle("Unknown id, same shape"),
      );
      const { data, made, matched } = (yield* world.copy(yield* world.geoCampaign(ids))).body;
      assert.deepStrictEqual([made, matched], [counts({ locations: 2 }), counts({ locations: 3 })]);
      const [first, second, third, fourth, fifth] = data.targeting.location_ids;
      assert.deepStrictEqual([first, second, fifth], [byId, byShape, sameShape]);
      assert.strictEqual(ok(yield* world.production(`/locations/${third}`)).radius_meters, 100);
      assert.strictEqual(ok(yield* world.production(`/locations/${fourth}`)).name, "Another name");
      // What is there is not changed.
      assert.strictEqual(ok(yield* world.production(`/locations/${byId}`)).name, "Moved and renamed");
      assert.isNull(ok(yield* world.production(`/locations/${sameShape}`)).external_id);
    }),
  );

  it.effect("two locations with one counterpart are one target of the copy (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const same = yield* world.features("sandbox", circle("Same"), circle("Same"));
      const [there] = yield* world.features("production", circle("Same"));
      const { data } = (yield* world.copy(yield* world.geoCampaign(same))).body;
      assert.deepStrictEqual(data.targeting.location_ids, [there]);
    }),
  );

  it.effect(
    "of two locations with one name and shape, one with an external id, both are copied (CO4.3)",
    () =>
      Effect.gen(function* () {
        const world = yield* copyWorld();
        const two = [circle("Same", { external_id: "a", group: "Same" }), circle("Same")];
        const ids = yield* world.features("sandbox", ...two, circle("Same", { external_id: "b" }));
        const id = yield* world.geoCampaign(ids);
        const targets = (body: object = {}) =>
          Effect.map(world.copy(id, body), ({ body: { data, made, matched } }) => {
            assert.lengthOf(data.targeting.location_ids, 3);
            return { made: made.locations, matched: matched.locations, ids: data.targeting.location_ids };
          });
        const first = yield* targets();
        assert.deepStrictEqual([first.made, first.matched], [3, 0]);
        const again = yield* targets({ name: "Again" });
        assert.deepStrictEqual(again, { ...first, made: 0, matched: 3 });
        const here = yield* targets({ environment: "sandbox" });
        assert.deepStrictEqual(here, { ids, made: 0, matched: 3 });
        const group = (yield* world.groupNamed("Same")).id;
        const grouped = yield* world.geoCampaign(ids.slice(1), {
          location_group_ids: [group],
          name: "Grouped",
        });
        yield* world.copy(grouped);
        assert.strictEqual((yield* world.groupNamed("Same", "production")).location_count, 1);
      }),
  );

  it.effect("a location that has a counterpart by its external id is nobody else's (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const ids = yield* world.features("sandbox", circle("Same", { external_id: "a" }), circle("Same"));
      const [known] = yield* world.features("production", circle("Same", { external_id: "a" }));
      const { data, made, matched } = (yield* world.copy(yield* world.geoCampaign(ids))).body;
      assert.deepStrictEqual([made.locations, matched.locations], [1, 1]);
      assert.strictEqual(data.targeting.location_ids[0], known);
      // The one without an external id has the one without, whichever comes first.
      const others = yield* world.features("sandbox", circle("Other", { external_id: "b" }), circle("Other"));
      const [other] = yield* world.features("production", circle("Other"));
      const next = (yield* world.copy(yield* world.geoCampaign(others, { name: "Others" }))).body;
      assert.deepStrictEqual([next.made.locations, next.matched.locations], [1, 1]);
      assert.strictEqual(next.data.targeting.location_ids[1], other);
    }),
  );

  it.effect("a segment that takes the numbered name of another one with its rule is that one (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const segments = [yield* world.segment("Gold"), yield* world.segment("Gold (2)")];
      const rule = { match: "all", conditions: [{ attribute: "locale", op: "eq", value: "nl" }] };
      ok(yield* world.operator("production", "/segments", { body: { name: "Gold", rule } }));
      const id: string = yield* world.campaign(push({ segmentation_ids: segments }));
      const first = (yield* world.copy(id)).body;
      assert.deepStrictEqual([first.made.segments, first.matched.segments], [1, 1]);
      const [made] = first.data.targeting.segmentation_ids;
      assert.deepStrictEqual(first.data.targeting.segmentation_ids, [made]);
      assert.strictEqual(ok(yield* world.operator("production", `/segments/${made}`)).name, "Gold (2)");
      const again = (yield* world.copy(id, { name: "Again" })).body;
      assert.deepStrictEqual(again.data.targeting, first.data.targeting);
    }),
  );

  it.effect("a group that is there keeps its locations; an empty one is made empty (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      yield* world.features("sandbox", circle("Here", { group: "Shops" }));
      yield* world.features("production", circle("There", { group: "Shops" }));
      const empty = yield* world.group("Empty");
      const shops = yield* world.groupNamed("Shops");
      const id = yield* world.geoCampaign([], { location_group_ids: [shops.id, empty] });
      const { made, matched } = (yield* world.copy(id)).body;
      assert.deepStrictEqual(
        [made, matched],
        [counts({ location_groups: 1 }), counts({ location_groups: 1 })],
      );
      assert.strictEqual((yield* world.groupNamed("Shops", "production")).location_count, 1);
      assert.strictEqual((yield* world.groupNamed("Empty", "production")).location_count, 0);
    }),
  );

  it.effect("a segment whose name has another rule there is made under a numbered name, once (CO4.3)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullPushCampaign(world);
      const rule = { match: "all", conditions: [{ attribute: "locale", op: "eq", value: "nl" }] };
      ok(yield* world.operator("production", "/segments", { body: { name: "Gold", rule } }));
      const first = (yield* world.copy(campaign)).body;
      assert.deepStrictEqual(first.made, counts({ notifications: 2, segments: 2 }));
      const names = yield* Effect.forEach(first.data.targeting.segmentation_ids, (id) =>
        Effect.map(world.operator("production", `/segments/${String(id)}`), (answer) => ok(answer).name),
      );
      assert.deepStrictEqual(names, ["Gold (2)", "Silver"]);
      const second = (yield* world.copy(campaign, { name: "Again" })).body;
      assert.deepStrictEqual(second.matched, counts({ segments: 2 }));
    }),
  );
});
