import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestPlatform } from "../TestPlatform.ts";
import { editWorld } from "./EditWorld.ts";
import { box, collection } from "./Features.ts";

const point = (longitude = 5.1, latitude = 52.1) => ({ type: "Point", coordinates: [longitude, latitude] });
const polygon = (...coordinates: ReadonlyArray<unknown>) => ({ type: "Polygon", coordinates });

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
        assert.deepInclude(now as object, shape);
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
          assert.deepInclude(body.data as object, { ...kept, address: "Dam 1", groups: ["New"] });
          const again = yield* patch({ geometry: whole.geometry }, id);
          assert.deepInclude(again.body.data as object, {
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
