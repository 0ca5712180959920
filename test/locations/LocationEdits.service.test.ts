import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
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

layer(TestWaypost.layer)("The shape of a location", (it) => {
  it.effect("PUT …/shape changes centre, radius and type, and keeps all other fields (LO2.1)", () =>
    Effect.gen(function* () {
      const { circle, putShape, read } = yield* editWorld;
      const before = yield* read();
      for (const [change, shape] of [
        [
          { geometry: point(), radius_meters: 75.4 },
          { type: "circle", geometry: point(), radius_meters: 75 },
        ],
        [
          { radius_meters: "900", geometry: point(), type: "line", name: "Lost", groups: ["Lost"] },
          { type: "circle", geometry: point(), radius_meters: 900 },
        ],
        [
          { geometry: polygon(box(10, 10, 11, 11).toReversed()), radius_meters: "no" },
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
        const { body, status } = yield* putShape(change);
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
    "PATCH takes the location's own shape, however it is written, and changes nothing by it " +
      "(LO1.2, OS1, G1.4, locations.update)",
    () =>
      Effect.gen(function* () {
        const { area, circle, patch, read, sandbox } = yield* editWorld;
        const [round, square] = [yield* read(circle), yield* read(area)];
        const [ring] = square.geometry.coordinates;
        const [longitude, latitude] = round.geometry.coordinates;
        const same = [
          [round, { ...round, groups: ["Other"], created_at: "x" }],
          [round, { geometry: round.geometry, type: "circle" }],
          [round, { geometry: { ...round.geometry, coordinates: [longitude, latitude, 7], bbox: [] } }],
          [round, { radius_meters: "100" }],
          [round, { radius_meters: 100.4, groups: 5 }],
          [square, square],
          [square, { geometry: polygon(ring.toReversed()), radius_meters: null }],
          [square, { geometry: polygon([...ring.slice(2), ...ring.slice(1, 3)]) }],
          [
            square,
            {
              geometry: polygon(
                ring.flatMap(([x, y]: any) => [
                  [x, y, 3],
                  [x, y],
                ]),
              ),
            },
          ],
          [square, { geometry: { type: "MultiPolygon", coordinates: [[ring]] }, type: "polygon" }],
        ] as const;
        yield* TestClock.adjust("1 minute");
        for (const [location, change] of same) {
          const { body, status } = yield* patch(change, location.id);
          assert.deepStrictEqual([status, body.data], [200, location], JSON.stringify(change));
          assert.deepStrictEqual(yield* read(location.id), location);
        }
        assert.deepStrictEqual((yield* sandbox("/activity?resource=" + circle)).body.data, []);
        const { data } = (yield* patch({ ...round, address: "Dam 1", groups: ["Other"] })).body;
        const { updated_at, ...fields } = data;
        assert.notStrictEqual(updated_at, round.updated_at);
        assert.deepInclude(round as object, { ...fields, address: null });
      }),
  );

  it.effect("another shape in a PATCH is 422 at its field, beside all other problems (LO1.1, G1.4)", () =>
    Effect.gen(function* () {
      const { area, patch, read, sandbox } = yield* editWorld;
      const [round, square] = [yield* read(), yield* read(area)];
      const sentence = (field: string) => [
        `The ${field} cannot be changed here: use PUT …/shape, or import it again with the same external_id.`,
      ];
      const refused = {
        geometry: sentence("geometry"),
        type: sentence("type"),
        radius_meters: sentence("radius"),
      };
      for (const [field, values] of [
        ["geometry", [null, "x", [], {}, { type: "Point" }, point(), square.geometry]],
        ["type", ["polygon", "Circle", null, 5, {}]],
        ["radius_meters", [null, 99, 101, 1_001, "x", true, [], [100], {}]],
      ] as const)
        for (const value of values)
          assert.deepStrictEqual(yield* patch.problems({ name: "Lost", [field]: value }), {
            [field]: refused[field],
          });
      const { geometry, radius_meters, type } = refused;
      assert.deepStrictEqual(yield* patch.problems({ geometry: polygon(box(0, 0, 2, 2)) }, area), {
        geometry,
      });
      assert.deepStrictEqual(yield* patch.problems({ geometry: point() }, area), { geometry });
      const [ring] = square.geometry.coordinates;
      const corner = polygon([...ring.slice(0, 3), ring[0]]);
      assert.deepStrictEqual(yield* patch.problems({ geometry: corner }, area), { geometry });
      assert.deepStrictEqual(yield* patch.problems({ radius_meters: 100 }, area), { radius_meters });
      assert.deepStrictEqual(yield* patch.problems({ ...round, external_id: null }, area), {
        geometry,
        type,
        radius_meters,
      });
      const all = yield* patch.problems({ name: "", geometry: 5, radius_meters: 5, external_id: 5, type: 5 });
      assert.sameMembers(Object.keys(all), ["name", "geometry", "radius_meters", "external_id", "type"]);
      assert.deepStrictEqual([yield* read(), yield* read(area)], [round, square]);
      assert.deepStrictEqual((yield* sandbox("/activity?resource=" + area)).body.data, []);
    }),
  );

  it.effect(
    "a shape that an import refuses is 422 at its field with the reasons of the import (LO2.2, OS2.3)",
    () =>
      Effect.gen(function* () {
        const world = yield* editWorld;
        const { area, putShape, read } = world;
        const { problems } = putShape;
        const before = yield* read();
        const ring = Array.from({ length: 10_001 }, (_, index) => [index / 1e4, Math.sin(index)]);
        for (const geometry of [
          undefined,
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
        }
        const needed = ["A Point needs a radius: set radius_meters to a number between 50 and 1000 metres."];
        for (const change of [{ geometry: point() }, { geometry: point(), radius_meters: null }]) {
          assert.deepStrictEqual(yield* problems(change), { radius_meters: needed });
          assert.deepStrictEqual(yield* problems(change, area), { radius_meters: needed });
        }
        assert.deepStrictEqual(Object.keys(yield* problems({ radius_meters: 200 })), ["geometry"]);
        assert.deepStrictEqual(Object.keys(yield* problems({ geometry: { type: "Point" } })), [
          "geometry",
          "radius_meters",
        ]);
        assert.deepStrictEqual(yield* read(), before);
        const large = yield* putShape({
          geometry: polygon(Array.from({ length: 200_000 }, () => [0.5, 0.5])),
        });
        assert.deepStrictEqual([large.status, large.body.error.code], [413, "payload_too_large"]);
        const deep = yield* putShape(
          `{"geometry": {"type": "Polygon", "coordinates": ${"[".repeat(99)}${"]".repeat(99)}}}`,
        );
        assert.strictEqual(deep.status, 422);
      }),
  );

  it.effect("a polygon of thousands of positions is changed, also under a key, once (LO2.1, OS2.1, J1)", () =>
    Effect.gen(function* () {
      const { area, patch, putShape, read } = yield* editWorld;
      const ring = Array.from({ length: 5_000 }, (_, index) => {
        const angle = (index / 5_000) * 2 * Math.PI;
        return [4 + Math.cos(angle), 52 + Math.sin(angle) / 2];
      });
      const geometry = polygon([...ring, ring[0]]);
      const headers = { "idempotency-key": "once" };
      const first = yield* putShape({ geometry }, area, headers);
      assert.deepStrictEqual(first.body.data.geometry, geometry);
      assert.deepStrictEqual((yield* putShape({ geometry: 5 }, area, headers)).body, first.body);
      assert.deepStrictEqual((yield* read(area)).geometry, geometry);
      assert.strictEqual((yield* patch({ geometry }, area)).status, 200);
      const crossed = yield* putShape.problems(
        { geometry: polygon([...ring.with(100, ring[200] ?? []).with(200, ring[100] ?? []), ring[0]]) },
        area,
      );
      assert.deepStrictEqual(Object.keys(crossed), ["geometry"]);
    }),
  );

  it.effect("the activity shows an old and a new shape, shortened, and nothing of none (LO2.3)", () =>
    Effect.gen(function* () {
      const { area, circle, putShape, sandbox } = yield* editWorld;
      const latest = (id: string) =>
        Effect.map(sandbox(`/activity?resource=${id}`), ({ body }) => body.data[0]?.changes);
      yield* putShape({ geometry: point(5, 6), radius_meters: 60 });
      assert.deepStrictEqual(yield* latest(circle), {
        "geometry.coordinates": { old: [4.9, 52.37], new: [5, 6] },
        radius_meters: { old: 100, new: 60 },
      });
      const many = Array.from({ length: 50 }, (_, index) => [index, (index * index) / 100]);
      yield* putShape({ geometry: polygon([...many, many[0]]) }, area);
      const changes = yield* latest(area);
      assert.deepStrictEqual(Object.keys(changes), ["geometry.coordinates"]);
      assert.lengthOf(changes["geometry.coordinates"].new[0], 21);
      const entries = (yield* sandbox(`/activity?resource=${area}`)).body.data.length;
      yield* putShape({ geometry: polygon([...many, many[0]]) }, area);
      assert.lengthOf((yield* sandbox(`/activity?resource=${area}`)).body.data, entries);
    }),
  );
});
