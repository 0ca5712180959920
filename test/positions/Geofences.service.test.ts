import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { box, pointFeature, polygonFeature } from "../locations/Features.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { dam, northOf, positionWorld } from "./PositionWorld.ts";

const at = (name: string, meters: number, more: object = {}) =>
  pointFeature({ name, ...more }, [...northOf(dam, meters)]);

const here = `lat=${dam[1]}&lng=${dam[0]}`;

layer(TestWaypost.layer)("GET /geofences", (it) => {
  it.effect(
    "GET /geofences lists the nearest targeted locations by distance to the edge (device.geofences)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* positionWorld();
        const square = box(4.85, 52.38, 4.95, 52.4);
        const ids = yield* production.imports(at("Far", 3000), at("Here", 50), polygonFeature(square));
        yield* production.campaign({ location_ids: ids });
        const phone = yield* production.tracked;
        const { body } = yield* phone.ask(`/geofences?${here}`);
        const [first, second, third] = body.data;
        assert.deepStrictEqual(first, {
          location_id: ids[1],
          name: "Here",
          type: "circle",
          center: { latitude: northOf(dam, 50)[1], longitude: 4.9 },
          radius_meters: 100,
          geometry: { type: "Point", coordinates: [...northOf(dam, 50)] },
          distance_meters: 0,
        });
        assert.deepStrictEqual(
          [second.location_id, second.type, second.geometry],
          [ids[2], "polygon", { type: "Polygon", coordinates: [square] }],
        );
        // A hundredth of a degree of latitude.
        assert.strictEqual(second.distance_meters, 1112);
        assert.deepStrictEqual(
          [Math.round(second.center.latitude * 1e3), Math.round(second.center.longitude * 1e3)],
          [52390, 4900],
        );
        assert.isTrue(second.radius_meters > 3500 && second.radius_meters < 3700);
        assert.deepStrictEqual([third.name, third.distance_meters], ["Far", 2900]);
        assert.lengthOf(body.data, 3);
        assert.deepStrictEqual((yield* phone.ask(`/geofences?${here}&limit=1`)).body.data, [first]);
      }),
  );

  it.effect("GET /geofences orders equal distances by id, and returns at most 100 (device.geofences)", () =>
    Effect.gen(function* () {
      const { production } = yield* positionWorld();
      const ids = yield* production.imports(...Array.from({ length: 101 }, (_, n) => at(`Stall ${n}`, 0)));
      yield* production.campaign({ location_ids: ids });
      const phone = yield* production.tracked;
      const listed = (query: string) =>
        Effect.map(phone.ask(`/geofences?${here}${query}`), ({ body }) =>
          body.data.map(({ location_id }: { location_id: string }) => location_id),
        );
      assert.deepStrictEqual(yield* listed("&limit=100"), ids.toSorted().slice(0, 100));
      assert.deepStrictEqual(yield* listed(""), ids.toSorted().slice(0, 20));
    }),
  );

  it.effect(
    "GET /geofences lists locations of active and scheduled campaigns, groups included (device.geofences)",
    () =>
      Effect.gen(function* () {
        const { platform, production, sandbox } = yield* positionWorld();
        const [active, scheduled, paused, ended, none] = yield* production.imports(
          at("Active", 0, { group: "Flagships" }),
          at("Scheduled", 1000),
          at("Paused", 2000),
          at("Ended", 3000),
          at("None", 4000),
        );
        yield* sandbox.imports(at("Sandbox", 0));
        yield* production.campaign({ location_group_names: ["Flagships"] });
        yield* production.campaign({ location_ids: [active, scheduled], starts_at: "2026-12-01" });
        const campaign = yield* production.campaign({ location_ids: [paused] });
        yield* platform.production(`/campaigns/${campaign}/pause`, { method: "POST" });
        const short = { location_ids: [ended], starts_at: "2026-11-21", ends_at: "2026-11-21 18:00" };
        yield* production.campaign(short);
        const phone = yield* production.tracked;
        const names = Effect.map(phone.ask(`/geofences?${here}`), ({ body }) =>
          body.data.map(({ name }: { name: string }) => name),
        );
        assert.deepStrictEqual(yield* names, ["Active", "Scheduled", "Ended"]);
        // A campaign ends by time alone.
        yield* TestClock.setTime(Date.parse("2026-11-21T18:00:01Z"));
        assert.deepStrictEqual(yield* names, ["Active", "Scheduled"]);
        yield* platform.production(`/campaigns/${campaign}/publish`, { method: "POST" });
        assert.deepStrictEqual(yield* names, ["Active", "Scheduled", "Paused"]);
        yield* platform.production(`/locations/${scheduled}`, { method: "DELETE" });
        assert.deepStrictEqual(yield* names, ["Active", "Paused"]);
        assert.isDefined(none);
      }),
  );

  it.effect("GET /geofences answers 304 to a current ETag (device.geofences_etag)", () =>
    Effect.gen(function* () {
      const { platform, production } = yield* positionWorld();
      const [location] = yield* production.imports(at("Shop", 0));
      yield* production.campaign({ location_ids: [location] });
      const phone = yield* production.tracked;
      const ask = (tag?: string) =>
        phone.ask(`/geofences?${here}`, tag === undefined ? {} : { headers: { "if-none-match": tag } });
      const first = yield* ask();
      const tag = first.headers.get("etag") ?? "";
      assert.match(tag, /^"[\w-]{43}"$/);
      for (const names of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const known = yield* ask(names);
        assert.deepStrictEqual([known.status, known.body, known.headers.get("etag")], [304, "", tag]);
      }
      assert.strictEqual((yield* ask('"other"')).status, 200);
      yield* platform.production(`/locations/${location}`, { method: "PATCH", body: { name: "Store" } });
      const renamed = yield* ask(tag);
      assert.deepStrictEqual([renamed.status, renamed.body.data[0].name], [200, "Store"]);
    }),
  );

  it.effect(
    "GET /geofences refuses invalid coordinates with 422 invalid_parameter (device.geofences_bad)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* positionWorld();
        const phone = yield* production.tracked;
        const refused: ReadonlyArray<readonly [query: string, ...fields: ReadonlyArray<string>]> = [
          ["", "lat", "lng"],
          ["?lat=52", "lng"],
          ["?lat=90.001&lng=0", "lat"],
          ["?lat=0&lng=-180.5", "lng"],
          ["?lat=NaN&lng=Infinity", "lat", "lng"],
          ["?lat=&lng=%20", "lat", "lng"],
          ["?lat=0x10&lng=1e999", "lat", "lng"],
          ["?lat=52,37&lng=4.9", "lat"],
          ["?lat=52&lat=53&lng=4.9", "lat"],
          ["?lat=52&lng=4.9&limit=0", "limit"],
          ["?lat=52&lng=4.9&limit=101", "limit"],
        ];
        for (const [query, ...fields] of refused) {
          const { body, status } = yield* phone.ask(`/geofences${query}`);
          assert.deepStrictEqual(
            [status, body.error?.code, Object.keys(body.error?.fields ?? {}).toSorted()],
            [422, "invalid_parameter", fields],
            query,
          );
        }
        const { body } = yield* phone.ask("/geofences?lat=91&lng=east");
        assert.deepStrictEqual(body.error.fields, {
          lat: ["The latitude must be a number of degrees from -90 to 90."],
          lng: ["The longitude must be a number of degrees from -180 to 180."],
        });
        for (const good of ["?lat=90&lng=180", "?lat=-90&lng=-180", "?lat=-.5&lng=1e1", "?lat=+5&lng=0"])
          assert.strictEqual(
            (yield* phone.ask(`/geofences${good}`)).status,
            good.includes("+") ? 422 : 200,
            good,
          );
      }),
  );
});
