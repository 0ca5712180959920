import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { editWorld } from "./EditWorld.ts";

layer(TestWaypost.layer)("The groups of a location", (it) => {
  it.effect(
    "PUT …/groups puts a location into exactly the named groups, and makes missing ones (LO3.1, OS2.4)",
    () =>
      Effect.gen(function* () {
        const { circle, patch, production, putGroups, read, sandbox } = yield* editWorld;
        const groupsNow = Effect.map(sandbox("/location-groups"), ({ body }) =>
          Object.fromEntries(body.data.map((each: any) => [each.name, each.location_count])),
        );
        const updatedAt = (name: string) =>
          Effect.map(sandbox(`/location-groups?name=${name}`), ({ body }) => body.data[0].updated_at);
        const old = yield* updatedAt("Old");
        const id = (yield* sandbox("/location-groups?name=Old")).body.data[0].id;
        for (const [groups, expected, counts] of [
          [[" New ", "Old", "New", 7], ["7", "New", "Old"], { 7: 1, New: 1, Old: 2 }],
          [["New"], ["New"], { 7: 0, New: 1, Old: 1 }],
          [[], [], { 7: 0, New: 0, Old: 1 }],
          [["Old"], ["Old"], { 7: 0, New: 0, Old: 2 }],
        ] as const) {
          const { body, status } = yield* putGroups({ groups });
          assert.deepStrictEqual([status, body.data.groups], [200, expected]);
          assert.deepStrictEqual((yield* read()).groups, expected);
          assert.deepStrictEqual(yield* groupsNow, counts);
        }
        assert.notStrictEqual(yield* updatedAt("Old"), old);
        assert.strictEqual((yield* sandbox("/location-groups?name=Old")).body.data[0].id, id);
        assert.deepStrictEqual((yield* production("/location-groups")).body.data, []);
        const members = (yield* sandbox("/locations?group=Old")).body.data.map((each: any) => each.id);
        assert.include(members, circle);
        // A group that neither gains nor loses a location is not updated.
        const unchanged = yield* updatedAt("Old");
        yield* TestClock.adjust("1 minute");
        yield* patch({ name: "Renamed" });
        yield* putGroups({ groups: ["Old", "New"] });
        assert.strictEqual(yield* updatedAt("Old"), unchanged);
        assert.notStrictEqual(yield* updatedAt("New"), unchanged);
      }),
  );

  it.effect("names that an import refuses are 422 at their index, and no group is made (LO3.1, OS2.4)", () =>
    Effect.gen(function* () {
      const { putGroups, read, sandbox } = yield* editWorld;
      const names = (count: number) => Array.from({ length: count }, (_, index) => `Group ${index}`);
      const lists = [null, "Old", 5, {}, true, undefined, names(101), names(1_001).fill("x")];
      for (const groups of lists) {
        const fields = yield* putGroups.problems({ groups });
        assert.deepStrictEqual(Object.keys(fields), ["groups"], JSON.stringify(groups)?.slice(0, 20));
        assert.match(fields["groups"]?.[0] ?? "", /^The groups .+\.$/);
      }
      const bad = ["Fine", "", null, [], "x".repeat(256), "a\0", "\ud800", 1e300, " "];
      const fields = yield* putGroups.problems({ groups: bad });
      assert.deepStrictEqual(
        Object.keys(fields),
        bad.slice(1).map((_, index) => `groups.${index + 1}`),
      );
      assert.deepStrictEqual((yield* read()).groups, ["Old"]);
      assert.lengthOf((yield* sandbox("/location-groups")).body.data, 1);
      const most = [...names(100), ...names(100).map((name) => ` ${name} `)];
      assert.lengthOf((yield* putGroups({ groups: most })).body.data.groups, 100);
    }),
  );

  it.effect(
    "other groups are one entry of the activity and one change under a key, the same ones none (LO3.3)",
    () =>
      Effect.gen(function* () {
        const { circle, putGroups, read, sandbox } = yield* editWorld;
        const entries = Effect.map(sandbox(`/activity?resource=${circle}`), ({ body }) => body.data);
        const before = yield* read();
        const same = (yield* putGroups({ groups: ["Old", " Old "] })).body.data;
        assert.deepStrictEqual({ ...same, updated_at: before.updated_at }, before);
        assert.deepStrictEqual(yield* entries, []);
        const headers = { "idempotency-key": "once" };
        const first = yield* putGroups({ groups: ["New"] }, circle, headers);
        assert.notStrictEqual(first.body.data.updated_at, before.updated_at);
        assert.deepStrictEqual((yield* putGroups({ groups: [] }, circle, headers)).body, first.body);
        const [entry, ...older] = yield* entries;
        assert.deepStrictEqual([entry.changes, older], [{ groups: { old: ["Old"], new: ["New"] } }, []]);
      }),
  );

  it.effect("concurrent changes make a group once (LO3.1)", () =>
    Effect.gen(function* () {
      const { area, circle, putGroups, sandbox } = yield* editWorld;
      const answers = yield* Effect.forEach(
        [circle, area, circle, area],
        (id, index) => putGroups({ groups: ["Shared", `Own ${index % 2}`] }, id),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const { data } = (yield* sandbox("/location-groups?name=Shared")).body;
      assert.deepStrictEqual(
        data.map((each: any) => each.location_count),
        [2],
      );
    }),
  );
});
