import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { box, collection, pointFeature, polygonFeature } from "./Features.ts";

/** An environment with a function that imports features and gives their ids. */
const pointWorld = Effect.gen(function* () {
  const tenant = yield* (yield* TestWaypost).tenant();
  const importAll = (...features: ReadonlyArray<object>) =>
    Effect.map(tenant.sandbox("/locations/import", { body: collection(...features) }), ({ body }) =>
      body.data.results.map(({ id }: any) => id as string),
    );
  const points = (query = "", headers: Record<string, string> = {}) =>
    tenant.sandbox(`/locations/points${query}`, { headers });
  return { ...tenant, importAll, points };
});

layer(TestWaypost.layer)("GET /locations/points", (it) => {
  it.effect("all locations of the environment come at once as tuples, newest first (CO1.1)", () =>
    Effect.gen(function* () {
      const { importAll, points, production } = yield* pointWorld;
      assert.deepStrictEqual((yield* points()).body, { data: [], meta: { count: 0 } });
      const [circle, polygon] = yield* importAll(
        pointFeature({ radius: "75.4" }, [-4.1234567890123, 1e-7]),
        polygonFeature(box(10, 50, 12, 50.001)),
      );
      yield* production("/locations/import", { body: collection(pointFeature()) });
      const { body } = yield* points();
      assert.deepStrictEqual(body.data[1], [circle, -4.1234567890123, 1e-7, 75]);
      const [id, longitude, latitude, radius] = body.data[0];
      assert.deepStrictEqual([id, radius], [polygon, null]);
      assert.closeTo(longitude, 11, 1e-3);
      assert.closeTo(latitude, 50, 1e-2);
      assert.deepStrictEqual([body.data.length, body.meta], [2, { count: 2 }]);

      yield* importAll(...Array.from({ length: 150 }, (_, index) => pointFeature({ name: `Shop ${index}` })));
      const all = (yield* points()).body;
      assert.deepStrictEqual([all.data.length, all.meta.count], [152, 152]);
      const ids: ReadonlyArray<string> = all.data.map(([each]: [string]) => each);
      assert.deepStrictEqual(ids, ids.toSorted().reverse());
    }),
  );

  it.effect("group and q select as in the list, together; the path is no id of a location (CO1.2)", () =>
    Effect.gen(function* () {
      const { importAll, points, sandbox } = yield* pointWorld;
      yield* importAll(
        pointFeature({ name: "Dam SQUARE", group: "Amsterdam" }),
        pointFeature({ name: "Museum 100%", group: "Amsterdam" }),
        pointFeature({ name: "Times square" }),
      );
      for (const query of [
        "",
        "?group=Amsterdam",
        "?group=%20Amsterdam%20&q=square",
        "?group=amsterdam",
        "?q=SQUARE",
        "?q=%25",
        "?q=_",
        "?q=%20&group=",
      ]) {
        const listed = (yield* sandbox(`/locations${query}`)).body.data.map(({ id }: any) => id);
        const { data, meta } = (yield* points(query)).body;
        assert.deepStrictEqual(
          data.map(([id]: [string]) => id),
          listed,
          query,
        );
        assert.deepStrictEqual(meta, { count: listed.length }, query);
      }
      for (const query of [`?q=${"x".repeat(256)}`, "?group=%00", "?group=a&group=b"]) {
        const wrong = yield* points(query);
        assert.deepStrictEqual([wrong.status, wrong.body.error.code], [422, "invalid_parameter"], query);
      }
      const patched = yield* sandbox("/locations/points", { method: "PATCH", body: { name: "x" } });
      assert.deepStrictEqual([patched.status, patched.body.error.code], [404, "not_found"]);
    }),
  );

  it.effect("the ETag changes with every change of a location that is shown, and else stays (CO1.3)", () =>
    Effect.gen(function* () {
      const { importAll, points, production, sandbox } = yield* pointWorld;
      const tagOf = (query = "") => Effect.map(points(query), ({ headers }) => headers.get("etag") ?? "");
      const empty = yield* tagOf();
      assert.match(empty, /^W\/"[\w-]{43}"$/);
      const [first, second] = yield* importAll(
        pointFeature({ external_id: "a", group: "G" }),
        pointFeature({ name: "Second" }),
      );
      const seen = [empty, yield* tagOf()];
      const grouped = [yield* tagOf("?group=G")];
      yield* production("/locations/import", { body: collection(pointFeature()) });
      assert.strictEqual(yield* tagOf(), seen[1]);
      const patch = (body: object) => sandbox(`/locations/${first}`, { method: "PATCH", body });
      for (const change of [
        importAll(pointFeature({ external_id: "a", radius: 101 })),
        patch({ name: "Renamed" }),
        importAll(pointFeature({ external_id: "a", radius: 101 }, [4.9, 52.38])),
        importAll(pointFeature({ external_id: "a", name: "Renamed" }, [4.9, 52.38])),
      ]) {
        yield* TestClock.adjust("1 minute");
        yield* change;
        seen.push(yield* tagOf());
        grouped.push(yield* tagOf("?group=G"));
      }
      const [third] = yield* importAll(pointFeature({ group: "G" }));
      seen.push(yield* tagOf());
      grouped.push(yield* tagOf("?group=G"));
      yield* sandbox(`/locations/${second}`, { method: "DELETE" });
      seen.push(yield* tagOf());
      assert.strictEqual(yield* tagOf("?group=G"), grouped.at(-1));
      yield* sandbox(`/locations/${third}`, { method: "DELETE" });
      grouped.push(yield* tagOf("?group=G"));
      assert.lengthOf(new Set(seen), seen.length);
      // Without the third location, the group is as before it.
      assert.lengthOf(new Set(grouped), grouped.length - 1);
    }),
  );

  it.effect("a change by a process whose clock is behind changes the ETag too (CO1.3)", () =>
    Effect.gen(function* () {
      const { importAll, points, sandbox } = yield* pointWorld;
      const [ahead, behind] = yield* importAll(
        pointFeature({ name: "Ahead" }),
        pointFeature({ name: "Behind" }),
      );
      const tagAfter = Effect.fnUntraced(function* (location: string, instant: number) {
        yield* TestClock.setTime(instant);
        yield* sandbox(`/locations/${location}`, {
          method: "PATCH",
          body: { name: `Renamed at ${instant}` },
        });
        return (yield* points()).headers.get("etag");
      });
      const now = yield* Clock.currentTimeMillis;
      const tags = [yield* tagAfter(ahead, now + 60_000), yield* tagAfter(behind, now + 30_000)];
      assert.notStrictEqual(tags[1], tags[0]);
    }),
  );

  it.effect("If-None-Match with the ETag, in a list or by *, is 304 without a body (CO1.3)", () =>
    Effect.gen(function* () {
      const { importAll, points } = yield* pointWorld;
      yield* importAll(pointFeature());
      const first = yield* points();
      const tag = first.headers.get("etag") ?? "";
      for (const names of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
        const known = yield* points("", { "if-none-match": names });
        assert.deepStrictEqual([known.status, known.body, known.headers.get("etag")], [304, "", tag], names);
      }
      for (const names of ['"other"', "", "W/", tag.slice(0, -2), `x${tag.slice(3, -1)}`]) {
        const unknown = yield* points("", { "if-none-match": names });
        assert.deepStrictEqual([unknown.status, unknown.body], [200, first.body], names);
      }
      yield* importAll(pointFeature());
      assert.strictEqual((yield* points("", { "if-none-match": tag })).status, 200);
    }),
  );

  it.effect("the response is compressed for a client that accepts gzip, with the same ETag (CO1.4)", () =>
    Effect.gen(function* () {
      const { importAll, points } = yield* pointWorld;
      yield* importAll(pointFeature());
      const plain = yield* points("", { "accept-encoding": "identity" });
      assert.deepStrictEqual(
        [plain.headers.get("content-encoding"), plain.headers.get("vary")],
        [null, "accept-encoding"],
      );
      for (const [accepted, encoding] of [
        ["gzip", "gzip"],
        ["br, gzip;q=0.5", "gzip"],
        ["gzip;q=0", null],
      ] as const) {
        const { body, headers } = yield* points("", { "accept-encoding": accepted });
        assert.deepStrictEqual([headers.get("content-encoding"), body], [encoding, plain.body], accepted);
        assert.strictEqual(headers.get("etag"), plain.headers.get("etag"));
        assert.match(headers.get("content-type") ?? "", /^application\/json/);
      }
    }),
  );
});
