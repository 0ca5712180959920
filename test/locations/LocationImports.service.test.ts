import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { box, collection, pointFeature, polygonFeature } from "./Features.ts";

layer(TestWaypost.layer)("POST /locations/import", (it) => {
  it.effect(
    "a Point becomes a circle, a Polygon a polygon (G2, import.6, import.answer, locations.type)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const body = collection(
          pointFeature({ name: " Dam ", radius: 99.6, external_id: 7, group: "Amsterdam" }, [4.9, 52.37, 3]),
          // Clockwise and with altitudes: both are corrected.
          polygonFeature(
            box(0, 0, 2, 1)
              .map(([x, y]) => [x, y, 5])
              .toReversed(),
          ),
        );
        const imported = yield* sandbox("/locations/import", { body });
        assert.strictEqual(imported.status, 200);
        const { dry_run, results, summary } = imported.body.data;
        assert.isFalse(dry_run);
        assert.deepStrictEqual(summary, { created: 2, updated: 0, skipped: 0, failed: 0 });
        assert.deepStrictEqual(results, [
          { index: 0, status: "created", name: "Dam", id: results[0].id, reasons: null },
          { index: 1, status: "created", name: "Area", id: results[1].id, reasons: null },
        ]);
        const circle = yield* sandbox(`/locations/${results[0].id}`);
        assert.deepStrictEqual(circle.body.data, {
          id: results[0].id,
          name: "Dam",
          external_id: "7",
          address: null,
          type: "circle",
          geometry: { type: "Point", coordinates: [4.9, 52.37] },
          radius_meters: 100,
          groups: ["Amsterdam"],
          created_at: "2026-11-21T12:00:00+00:00",
          updated_at: "2026-11-21T12:00:00+00:00",
        });
        const polygon = yield* sandbox(`/locations/${results[1].id}`);
        assert.strictEqual(polygon.body.data.type, "polygon");
        assert.isNull(polygon.body.data.radius_meters);
        assert.strictEqual(polygon.body.data.geometry.type, "Polygon");
        const [ring, ...holes] = polygon.body.data.geometry.coordinates;
        assert.deepStrictEqual(holes, []);
        assert.sameDeepMembers(ring.slice(1), box(0, 0, 2, 1).slice(1));
      }),
  );

  it.effect(
    "an invalid feature fails alone, with its name and every reason (G3.9, import.6a, import.no_error)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const body = collection(
          pointFeature({ radius: 20, external_id: {} }),
          null,
          pointFeature({ name: "Good" }),
          {
            type: "Feature",
            geometry: { type: "LineString", coordinates: [] },
            properties: { name: "Line" },
          },
          pointFeature({ name: "a\0b" }),
        );
        const { data } = (yield* sandbox("/locations/import", { body })).body;
        assert.deepStrictEqual(data.summary, { created: 1, updated: 0, skipped: 0, failed: 4 });
        assert.deepStrictEqual(
          data.results.map((each: { status: string; name: string | null }) => [each.status, each.name]),
          [
            ["failed", "Dam"],
            ["failed", null],
            ["created", "Good"],
            ["failed", "Line"],
            ["failed", null],
          ],
        );
        assert.strictEqual(data.results[0].reasons.length, 2);
        assert.notProperty(data.results[0], "id");
        assert.strictEqual((yield* sandbox("/locations")).body.data.length, 1);
      }),
  );

  it.effect(
    "a re-import changes name and shape, not the address (G5, import.4, import.5, locations.groups)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const first = yield* sandbox("/locations/import", {
          body: collection(pointFeature({ external_id: "x", group: "B" })),
        });
        const { id } = first.body.data.results[0];
        yield* sandbox(`/locations/${id}`, { method: "PATCH", body: { address: "Dam 1" } });
        yield* TestClock.adjust("1 minute");
        const area = {
          ...polygonFeature(box(0, 0, 1, 1)),
          properties: { name: "New", external_id: "x", group: "A" },
        };
        const second = yield* sandbox("/locations/import", { body: collection(area) });
        assert.deepStrictEqual(second.body.data.results, [
          { index: 0, status: "updated", name: "New", id, reasons: null },
        ]);
        const { data } = (yield* sandbox(`/locations/${id}`)).body;
        assert.deepStrictEqual(
          [data.name, data.type, data.address, data.groups, data.radius_meters],
          ["New", "polygon", "Dam 1", ["A", "B"], null],
        );
        assert.notStrictEqual(data.updated_at, data.created_at);
        // A third import, of a circle without a group, keeps both groups.
        yield* sandbox("/locations/import", { body: collection(pointFeature({ external_id: "x" })) });
        const back = (yield* sandbox(`/locations/${id}`)).body.data;
        assert.deepStrictEqual([back.type, back.radius_meters, back.groups], ["circle", 100, ["A", "B"]]);
      }),
  );

  it.effect(
    "the second of two features with one external id updates the first (G4.4, locations.groups)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const { data } = (yield* sandbox("/locations/import", {
          body: collection(
            pointFeature({ name: "First", external_id: "x", group: "A" }),
            pointFeature({ name: "Second", external_id: " x ", group: "B" }, [1, 2]),
          ),
        })).body;
        const [first, second] = data.results;
        assert.deepStrictEqual([first.status, second.status], ["created", "updated"]);
        assert.strictEqual(first.id, second.id);
        const list = (yield* sandbox("/locations")).body.data;
        assert.strictEqual(list.length, 1);
        assert.deepStrictEqual([list[0].name, list[0].groups], ["Second", ["A", "B"]]);
        assert.deepStrictEqual(list[0].geometry.coordinates, [1, 2]);
      }),
  );

  it.effect(
    "creations over max_locations are skipped with a reason, updates never (G6, import.6, limits.locations)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant({ plan: { max_locations: 2 } });
        yield* sandbox("/locations/import", { body: collection(pointFeature({ external_id: "old" })) });
        const { data } = (yield* sandbox("/locations/import", {
          body: collection(
            pointFeature({ external_id: "a" }),
            pointFeature({ name: "Over", external_id: "b", group: "Never made" }),
            pointFeature({ external_id: "b" }),
            pointFeature({ name: "bad", radius: 1 }),
            pointFeature({ external_id: "old" }),
            pointFeature({ external_id: "a" }),
          ),
        })).body;
        assert.deepStrictEqual(
          data.results.map((each: { status: string }) => each.status),
          ["created", "skipped", "skipped", "failed", "updated", "updated"],
        );
        assert.deepStrictEqual(data.summary, { created: 1, updated: 2, skipped: 2, failed: 1 });
        const [, skipped] = data.results;
        assert.strictEqual(skipped.name, "Over");
        assert.notProperty(skipped, "id");
        assert.match(skipped.reasons[0], /max_locations/);
        assert.match(skipped.reasons[0], /allows 2 locations/);
        assert.deepStrictEqual((yield* sandbox("/location-groups")).body.data, []);
      }),
  );

  it.effect("a dry run of an import gives the same results and writes nothing (import.7, import.room)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant({ plan: { max_locations: 2 } });
      yield* sandbox("/locations/import", { body: collection(pointFeature({ external_id: "old" })) });
      const before = (yield* sandbox("/locations")).body;
      const body = collection(
        pointFeature({ external_id: "old", name: "Changed" }),
        pointFeature({ external_id: "new", group: "G" }),
        pointFeature({ external_id: "new" }),
        pointFeature(),
        pointFeature({ radius: 1 }),
      );
      const dry = yield* sandbox("/locations/import?dry_run=1", { body });
      assert.strictEqual(dry.status, 200);
      assert.isTrue(dry.body.data.dry_run);
      assert.strictEqual(dry.body.data.room, 0);
      assert.deepStrictEqual((yield* sandbox("/locations")).body, before);
      assert.deepStrictEqual((yield* sandbox("/location-groups")).body.data, []);
      assert.strictEqual(dry.body.data.results[0].id, before.data[0].id);
      assert.notProperty(dry.body.data.results[1], "id");
      assert.notProperty(dry.body.data.results[2], "id");
      const wet = yield* sandbox("/locations/import?dry_run=0", { body });
      const bare = (results: ReadonlyArray<{ id?: string }>) =>
        results.map((each) => ({ ...each, id: null }));
      assert.deepStrictEqual(bare(wet.body.data.results), bare(dry.body.data.results));
      assert.deepStrictEqual(wet.body.data.summary, dry.body.data.summary);
      assert.notProperty(wet.body.data, "room");
    }),
  );

  it.effect(
    "an import or dry run is not repeated by a retry under its Idempotency-Key (J1, idempotency.2, import.8)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const ask = { body: collection(pointFeature()), headers: { "idempotency-key": "import-1" } };
        const first = yield* sandbox("/locations/import", ask);
        const second = yield* sandbox("/locations/import", ask);
        assert.isNull(first.headers.get("idempotent-replayed"));
        assert.strictEqual(second.headers.get("idempotent-replayed"), "true");
        assert.deepStrictEqual(second.body, first.body);
        assert.strictEqual((yield* sandbox("/locations")).body.data.length, 1);
        const dry = { body: ask.body, headers: { "idempotency-key": "import-2" } };
        const dried = yield* sandbox("/locations/import?dry_run=1", dry);
        const again = yield* sandbox("/locations/import?dry_run=1", dry);
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true");
        assert.deepStrictEqual(again.body, dried.body);
        assert.strictEqual((yield* sandbox("/locations")).body.data.length, 1);
      }),
  );

  it.effect(
    "an import accepts application/geo+json and an empty list of features (G4.1, G4.3, import.answer)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const headers = { "content-type": "application/geo+json; charset=utf-8" };
        const answer = yield* sandbox("/locations/import", { body: collection(), headers });
        assert.strictEqual(answer.status, 200);
        assert.deepStrictEqual(answer.body.data, {
          dry_run: false,
          results: [],
          summary: { created: 0, updated: 0, skipped: 0, failed: 0 },
        });
        const other = yield* sandbox("/locations/import", {
          body: "x",
          headers: { "content-type": "text/csv" },
        });
        assert.strictEqual(other.status, 415);
      }),
  );

  it.effect(
    "a body that is no FeatureCollection is 422 at type and features at once (B4, G4, import.1)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        for (const body of [{}, { type: "Feature", features: {} }, { type: null, features: null }]) {
          const answer = yield* sandbox("/locations/import", { body });
          assert.strictEqual(answer.status, 422);
          assert.strictEqual(answer.body.error.code, "validation_failed");
          assert.sameMembers(Object.keys(answer.body.error.fields), ["type", "features"]);
        }
        for (const body of ["[]", "{", '"x"', "\ufeff"]) {
          const answer = yield* sandbox("/locations/import", { body });
          assert.deepStrictEqual(
            [answer.status, Object.keys(answer.body.error.fields)],
            [422, ["body"]],
            body,
          );
        }
        const flag = yield* sandbox("/locations/import?dry_run=yes", { body: collection() });
        assert.deepStrictEqual([flag.status, flag.body.error.code], [422, "invalid_parameter"]);
        assert.property(flag.body.error.fields, "dry_run");
      }),
  );

  it.effect("an import has at most 10,000 features and 20 MiB (B3.4, G4.2, errors.payload_too_large)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const many = collection(...Array.from({ length: 10_001 }, () => null));
      const tooMany = yield* sandbox("/locations/import", { body: many });
      assert.deepStrictEqual([tooMany.status, Object.keys(tooMany.body.error.fields)], [422, ["features"]]);
      const maximum = yield* sandbox("/locations/import", {
        body: collection(...Array.from({ length: 10_000 }, () => null)),
      });
      assert.deepStrictEqual([maximum.status, maximum.body.data.summary.failed], [200, 10_000]);
      const limit = 20 * 1_048_576;
      const empty = '{"type":"FeatureCollection","features":[]}';
      const full = yield* sandbox("/locations/import", { body: empty.padEnd(limit) });
      assert.strictEqual(full.status, 200);
      const over = yield* sandbox("/locations/import", { body: empty.padEnd(limit + 1) });
      assert.deepStrictEqual([over.status, over.body.error.code], [413, "payload_too_large"]);
    }),
  );

  it.effect("/locations/import has only POST; other methods are 404 for a location named import (B2.4)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const answer = yield* sandbox("/locations/import", {
          method,
          ...(method === "PATCH" ? { body: {} } : {}),
        });
        assert.deepStrictEqual([answer.status, answer.body.error.code], [404, "not_found"], method);
      }
    }),
  );
});
