import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { LocationGroups } from "../../src/locations/LocationGroups.ts";
import { Locations } from "../../src/locations/Locations.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { collection, pointFeature } from "./Features.ts";

layer(TestWaypost.layer)("Location groups", (it) => {
  it.effect("imports create and date groups (G5, groups.fields, groups.get, groups.made, import.5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const grow = (external_id: string) =>
        sandbox("/locations/import", { body: collection(pointFeature({ external_id, group: " Shops " })) });
      yield* grow("a");
      yield* TestClock.adjust("1 minute");
      yield* grow("b");
      yield* TestClock.adjust("1 minute");
      yield* grow("b");
      const [group] = (yield* sandbox("/location-groups")).body.data;
      assert.deepStrictEqual(group, {
        id: group.id,
        name: "Shops",
        location_count: 2,
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:01:00+00:00",
      });
      assert.deepStrictEqual((yield* sandbox(`/location-groups/${group.id}`)).body, { data: group });
    }),
  );

  it.effect("the name filter of groups is exact (D1, groups.list, lists.bad, lists.order)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const names = ["north", "North", "Nor", "Überall & 100 %"];
      yield* sandbox("/locations/import", {
        body: collection(...names.map((group) => pointFeature({ group }))),
      });
      const list = (query: string) =>
        Effect.map(sandbox(`/location-groups${query}`), ({ body }) =>
          body.data.map((each: { name: string }) => each.name),
        );
      assert.deepStrictEqual(yield* list(""), names.toReversed());
      for (const name of names) {
        assert.deepStrictEqual(yield* list(`?name=${encodeURIComponent(name)}`), [name]);
      }
      assert.deepStrictEqual(yield* list("?name=no"), []);
      const bad = yield* sandbox("/location-groups?name=%00&limit=101");
      assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
      assert.sameMembers(Object.keys(bad.body.error.fields), ["name", "limit"]);
      const page = (yield* sandbox("/location-groups?limit=1")).body;
      const next = yield* sandbox(`/location-groups?name=Nor&cursor=${page.meta.next_cursor}`);
      assert.deepStrictEqual([next.status, next.body.error.code], [422, "invalid_cursor"]);
    }),
  );

  it.effect(
    "groups of other environments and workspaces, and malformed ids, are not found (A2.1, B2.3)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { production, sandbox } = yield* waypost.tenant();
        const stranger = yield* waypost.tenant();
        yield* sandbox("/locations/import", { body: collection(pointFeature({ group: "G" })) });
        const [{ id }] = (yield* sandbox("/location-groups")).body.data;
        for (const ask of [production, stranger.sandbox]) {
          assert.strictEqual((yield* ask(`/location-groups/${id}`)).body.error.code, "not_found");
          assert.deepStrictEqual((yield* ask("/location-groups?name=G")).body.data, []);
        }
        assert.strictEqual((yield* sandbox("/location-groups/G")).body.error.code, "not_found");
        assert.strictEqual((yield* sandbox(`/location-groups/${id}`, { method: "DELETE" })).status, 405);
      }),
  );

  it.effect("existing and idsByName find ids and names of their own environment only", () =>
    Effect.gen(function* () {
      const { sandbox, workspace } = yield* (yield* TestWaypost).tenant();
      const imported = yield* sandbox("/locations/import", {
        body: collection(pointFeature({ group: "G" })),
      });
      const location: string = imported.body.data.results[0].id;
      const group: string = (yield* sandbox("/location-groups")).body.data[0].id;
      const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
      const tenant = { workspaceId, workspace, environment: "sandbox" } as const;
      const elsewhere = { ...tenant, environment: "production" } as const;
      const locations = yield* Locations;
      const groups = yield* LocationGroups;
      assert.deepStrictEqual(
        yield* locations.existing(tenant, [location, group, "no id"]),
        new Set([location]),
      );
      assert.deepStrictEqual(yield* locations.existing(elsewhere, [location]), new Set());
      assert.deepStrictEqual(yield* groups.existing(tenant, [location, group, "\0"]), new Set([group]));
      assert.deepStrictEqual(yield* groups.existing(elsewhere, [group]), new Set());
      assert.deepStrictEqual(yield* groups.idsByName(tenant, ["G", "g", "\0"]), new Map([["G", group]]));
      assert.deepStrictEqual(yield* groups.idsByName(elsewhere, ["G"]), new Map());
    }),
  );
});
