import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestPlatform } from "../TestPlatform.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { box, collection, pointFeature, polygonFeature } from "./Features.ts";

const point = (longitude = 5.1, latitude = 52.1) => ({ type: "Point", coordinates: [longitude, latitude] });
const polygon = (...coordinates: ReadonlyArray<unknown>) => ({ type: "Polygon", coordinates });

/** A circle and a polygon, and a function that changes a location. */
const editWorld = Effect.gen(function* () {
  const tenant = yield* (yield* TestWaypost).tenant();
  const body = collection(
    pointFeature({ external_id: "c", group: "Old" }),
    polygonFeature(box(0, 0, 2, 1)),
    pointFeature({ name: "Neighbour", group: "Old" }),
  );
  const { results } = (yield* tenant.sandbox("/locations/import", { body })).body.data;
  const [circle, area]: ReadonlyArray<string> = results.map(({ id }: any) => id);
  yield* TestClock.adjust("1 minute");
  const read = (id = circle) => Effect.map(tenant.sandbox(`/locations/${id}`), (answer) => answer.body.data);
  const patch = (change: unknown, id = circle, headers: Record<string, string> = {}) =>
    tenant.sandbox(`/locations/${id}`, { method: "PATCH", body: change, headers });
  /** The problems of a change that is refused. */
  const problems = (change: unknown, id = circle) =>
    Effect.map(patch(change, id), ({ body: { error }, status }) => {
      assert.deepStrictEqual(
        [status, error?.code],
        [422, "validation_failed"],
        JSON.stringify(change).slice(0, 99),
      );
      return error.fields as Record<string, ReadonlyArray<string>>;
    });
  return { ...tenant, circle: circle ?? "", area: area ?? "", read, patch, problems };
});

/** The reasons for which an import refuses a feature. */
const reasonsOf = (world: Effect.Success<typeof editWorld>, geometry: unknown, radius: unknown = 100) =>
  Effect.map(
    world.sandbox("/locations/import?dry_run=1", {
      body: collection({ type: "Feature", geometry, properties: { name: "x", radius } }),
    }),
    ({ body }) => body.data.results[0].reasons as ReadonlyArray<string>,
  );

layer(TestPlatform.layer)("The shape of a location", (it) => {
  it.effect("PATCH changes centre, radius and type, and keeps all other fields (CO2.1)", () =>
    Effect.gen(function* () {
      const { circle, patch, read } = yield* editWorld;
      const before = yield* read();
      for (const [change, shape] of [
        [
          { geometry: point(), radius_meters: 75.4 },
          { type: "circle", geometry: point(), radius_meters: 75 },
        ],
        [{ radius_meters: "900" }, { type: "circle", geometry: point(), radius_meters: 900 }],
        [
          { radius_meters: 200, geometry: point() },
          { radius_meters: 200, geometry: point() },
        ],
        [
          { geometry: polygon(box(10, 10, 11, 11).toReversed()), type: "polygon" },
          { type: "polygon", geometry: polygon(box(10, 10, 11, 11)), radius_meters: null },
        ],
        [
          { geometry: { type: "MultiPolygon", coordinates: [[box(1, 1, 2, 2)]] }, radius_meters: 9 },
          { type: "polygon", geometry: polygon(box(1, 1, 2, 2)), radius_meters: null },
        ],
        [
          { geometry: polygon(box(179, 1, 180, 2)) },
          { type: "polygon", geometry: polygon(box(179, 1, 180, 2)) },
        ],
        [
          { geometry: { ...point(-180, 90), crs: "EPSG:4326" }, radius_meters: 50, type: "circle" },
          { type: "circle", geometry: point(-180, 90), radius_meters: 50 },
        ],
      ] as const) {
        yield* TestClock.adjust("1 minute");
        const { body, status } = yield* patch(change);
        assert.strictEqual(status, 200, JSON.stringify(body));
        assert.deepStrictEqual(body.data, yield* read());
        const { updated_at: _, ...kept } = { ...before, ...shape };
        const { updated_at, ...now } = body.data;
        assert.deepStrictEqual(now, { ...kept, type: now.type, radius_meters: now.radius_meters });
        assert.deepInclude(now, shape);
        assert.notStrictEqual(updated_at, before.updated_at);
        assert.strictEqual(now.id, circle);
      }
    }),
  );

  it.effect(
    "an unchanged shape is accepted and stays, with fields beside it (CO2.1, G1.4, locations.update)",
    () =>
      Effect.gen(function* () {
        const { area, circle, patch, read } = yield* editWorld;
        for (const id of [circle, area]) {
          const whole = yield* read(id);
          const { body } = yield* patch({ ...whole, address: "Dam 1", groups: ["New"] }, id);
          const { updated_at: _, ...kept } = whole;
          assert.deepInclude(body.data, { ...kept, address: "Dam 1", groups: ["New"] });
          const again = yield* patch({ geometry: whole.geometry }, id);
          assert.deepInclude(again.body.data, {
            geometry: whole.geometry,
            radius_meters: whole.radius_meters,
          });
        }
      }),
  );

  it.effect("a shape that an import refuses is 422 at its field with the reasons of the import (CO2.2)", () =>
    Effect.gen(function* () {
      const world = yield* editWorld;
      const { area, patch, problems, read } = world;
      const before = yield* read();
      const ring = Array.from({ length: 10_001 }, (_, index) => [index / 1e4, Math.sin(index)]);
      for (const geometry of [
        null,
        "x",
        [],
        {},
        { type: "Point" },
        point(181, 5),
        point(Number.NaN),
        { type: "Point", coordinates: ["4.9", "52"] },
        { type: "LineString", coordinates: box(0, 0, 1, 1) },
        { ...point(), crs: "EPSG:28992" },
        polygon(),
        polygon([
          [0, 0],
          [2, 2],
          [2, 0],
          [0, 2],
          [0, 0],
        ]),
        polygon(box(-100, 0, 100, 1)),
        polygon(box(170, 0, 190, 1)),
        polygon(box(0, 0, 1, 1), box(5, 5, 6, 6)),
        polygon([...ring, ring[0]]),
        { type: "MultiPolygon", coordinates: [[box(0, 0, 1, 1)], [box(2, 2, 3, 3)]] },
      ]) {
        const fields = yield* problems({ geometry, name: "Lost", radius_meters: 100 });
        assert.deepStrictEqual(fields, { geometry: yield* reasonsOf(world, geometry) });
      }
      for (const radius_meters of [49, 1001, "x", "0x40", true, [], {}]) {
        const reasons = yield* reasonsOf(world, point(), radius_meters);
        assert.deepStrictEqual(yield* problems({ geometry: point(), radius_meters }), {
          radius_meters: reasons,
        });
        assert.deepStrictEqual(yield* problems({ radius_meters }), { radius_meters: reasons });
      }
      const needed = ["A Point needs a radius: set radius_meters to a number between 50 and 1000 metres."];
      for (const change of [{ geometry: point() }, { geometry: point(), radius_meters: null }]) {
        assert.deepStrictEqual(yield* problems(change), { radius_meters: needed });
        assert.deepStrictEqual(yield* problems(change, area), { radius_meters: needed });
      }
      assert.deepStrictEqual(Object.keys(yield* problems({ geometry: { type: "Point" } })), ["geometry"]);
      assert.deepStrictEqual(yield* problems({ radius_meters: 100 }, area), {
        radius_meters: ["A polygon has no radius; leave it out, or send a Point."],
      });
      for (const type of ["polygon", "line", null, 5, {}])
        assert.deepStrictEqual(Object.keys(yield* problems({ geometry: point(), radius_meters: 50, type })), [
          "type",
        ]);
      const all = yield* problems({
        name: "",
        geometry: 5,
        radius_meters: 5,
        groups: 5,
        external_id: 5,
        type: 5,
      });
      assert.sameMembers(Object.keys(all), ["name", "geometry", "groups", "external_id"]);
      assert.deepStrictEqual(yield* read(), before);
      const large = yield* patch({ geometry: polygon(Array.from({ length: 200_000 }, () => [0.5, 0.5])) });
      assert.deepStrictEqual([large.status, large.body.error.code], [413, "payload_too_large"]);
      const deep = yield* patch(
        `{"geometry": {"type": "Polygon", "coordinates": ${"[".repeat(99)}${"]".repeat(99)}}}`,
      );
      assert.strictEqual(deep.status, 422);
    }),
  );

  it.effect("a polygon of thousands of positions is changed, also under a key, once (CO2.1, J1)", () =>
    Effect.gen(function* () {
      const { area, patch, problems, read } = yield* editWorld;
      const ring = Array.from({ length: 5_000 }, (_, index) => {
        const angle = (index / 5_000) * 2 * Math.PI;
        return [4 + Math.cos(angle), 52 + Math.sin(angle) / 2];
      });
      const geometry = polygon([...ring, ring[0]]);
      const headers = { "idempotency-key": "once" };
      const first = yield* patch({ geometry }, area, headers);
      assert.deepStrictEqual(first.body.data.geometry, geometry);
      assert.deepStrictEqual((yield* patch({ geometry: 5 }, area, headers)).body, first.body);
      assert.deepStrictEqual((yield* read(area)).geometry, geometry);
      const crossed = yield* problems(
        { geometry: polygon([...ring.with(100, ring[200] ?? []).with(200, ring[100] ?? []), ring[0]]) },
        area,
      );
      assert.deepStrictEqual(Object.keys(crossed), ["geometry"]);
    }),
  );

  it.effect("the activity shows an old and a new shape, shortened, and nothing of none (CO2.4)", () =>
    Effect.gen(function* () {
      const { area, circle, patch, sandbox } = yield* editWorld;
      const latest = (id: string) =>
        Effect.map(sandbox(`/activity?resource=${id}`), ({ body }) => body.data[0]?.changes);
      yield* patch({ geometry: point(5, 6), radius_meters: 60, groups: ["New"] });
      assert.deepStrictEqual(yield* latest(circle), {
        "geometry.coordinates": { old: [4.9, 52.37], new: [5, 6] },
        radius_meters: { old: 100, new: 60 },
        groups: { old: ["Old"], new: ["New"] },
      });
      const many = Array.from({ length: 50 }, (_, index) => [index, (index * index) / 100]);
      yield* patch({ geometry: polygon([...many, many[0]]) }, area);
      const changes = yield* latest(area);
      assert.deepStrictEqual(Object.keys(changes), ["geometry.coordinates"]);
      assert.lengthOf(changes["geometry.coordinates"].new[0], 21);
      const entries = (yield* sandbox(`/activity?resource=${area}`)).body.data.length;
      yield* patch({ geometry: polygon([...many, many[0]]) }, area);
      assert.lengthOf((yield* sandbox(`/activity?resource=${area}`)).body.data, entries);
    }),
  );
});

layer(TestPlatform.layer)("The groups of a location", (it) => {
  it.effect("PATCH puts a location into exactly the named groups, and makes missing ones (CO2.3)", () =>
    Effect.gen(function* () {
      const { circle, patch, production, read, sandbox } = yield* editWorld;
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
        const { body } = yield* patch({ groups });
        assert.deepStrictEqual(body.data.groups, expected);
        assert.deepStrictEqual((yield* read()).groups, expected);
        assert.deepStrictEqual(yield* groupsNow, counts);
      }
      assert.notStrictEqual(yield* updatedAt("Old"), old);
      assert.strictEqual((yield* sandbox("/location-groups?name=Old")).body.data[0].id, id);
      assert.deepStrictEqual((yield* production("/location-groups")).body.data, []);
      const members = (yield* sandbox("/locations?group=Old")).body.data.map((each: any) => each.id);
      assert.include(members, circle);
      // A group that neither gains nor loses a location is not updated.
      const stayed = yield* updatedAt("Old");
      yield* TestClock.adjust("1 minute");
      yield* patch({ groups: ["Old"], name: "Renamed" });
      yield* patch({ groups: ["Old", "New"] });
      assert.strictEqual(yield* updatedAt("Old"), stayed);
      assert.notStrictEqual(yield* updatedAt("New"), stayed);
    }),
  );

  it.effect("names that an import refuses are 422 at their index, and no group is made (CO2.3)", () =>
    Effect.gen(function* () {
      const { problems, read, sandbox } = yield* editWorld;
      for (const groups of [null, "Old", 5, {}, true, Array.from({ length: 1001 }, () => "x")]) {
        const fields = yield* problems({ groups });
        assert.deepStrictEqual(Object.keys(fields), ["groups"], JSON.stringify(groups).slice(0, 20));
        assert.match(fields["groups"]?.[0] ?? "", /^The groups .+\.$/);
      }
      const bad = ["Fine", "", null, [], "x".repeat(256), "a\0", "\ud800", 1e300, " "];
      const fields = yield* problems({ groups: bad });
      assert.deepStrictEqual(
        Object.keys(fields),
        bad.slice(1).map((_, index) => `groups.${index + 1}`),
      );
      assert.deepStrictEqual((yield* read()).groups, ["Old"]);
      assert.lengthOf((yield* sandbox("/location-groups")).body.data, 1);
    }),
  );

  it.effect("concurrent changes make a group once (CO2.3)", () =>
    Effect.gen(function* () {
      const { area, circle, patch, sandbox } = yield* editWorld;
      const answers = yield* Effect.forEach(
        [circle, area, circle, area],
        (id, index) => patch({ groups: ["Shared", `Own ${index % 2}`] }, id),
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
