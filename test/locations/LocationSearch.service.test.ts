import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

const square = (west: number, south: number, size: number) => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];
const circle = (name: string, coordinates: ReadonlyArray<number>, properties: object = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates },
  properties: { name, radius: 100, ...properties },
});

/** A workspace with circles on a line to the east of [5, 52], about 68.46 metres a thousandth of a degree. */
const world = Effect.gen(function* () {
  const tenant = yield* (yield* TestWaypost).tenant();
  const features = [
    circle("Here", [5, 52], { external_id: "a", group: "Shops" }),
    circle("Near", [5.005, 52], { external_id: "b" }),
    circle("Far shop", [5.02, 52], { group: "Shops" }),
    {
      type: "Feature",
      geometry: { type: "Polygon", coordinates: [square(4.9, 51.9, 0.2)] },
      properties: { name: "Town" },
    },
    circle("Date line", [-179.999, 10]),
  ];
  const imported = yield* tenant.sandbox("/locations/import", {
    body: { type: "FeatureCollection", features },
  });
  assert.strictEqual(imported.body.data.summary.created, 5);
  const list = (search: string) => tenant.sandbox(`/locations?${search}`);
  const names = (search: string) =>
    Effect.map(list(search), ({ body }) => body.data.map(({ name }: { name: string }) => name));
  return { ...tenant, list, names };
});

layer(TestWaypost.shared)("GET /locations", (it) => {
  it.effect("pages of 2,500 locations near a position are those of all, newest first (R1.2, R1.5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const features = Array.from({ length: 2_500 }, (_, n) => circle(`${n}`, [5 + n / 1e5, 52]));
      yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features } });
      const pages = (search: string) =>
        Effect.gen(function* () {
          const ids: Array<string> = [];
          for (let cursor: string | null = "", page = 0; cursor !== null && page < 12; page++) {
            const path: string = `/locations?limit=100${search}${cursor && `&cursor=${cursor}`}`;
            const { body } = yield* sandbox(path);
            ids.push(...body.data.map(({ id }: { id: string }) => id));
            cursor = body.meta.next_cursor;
          }
          return ids;
        });
      assert.deepStrictEqual(yield* pages("&near=52,5&radius_meters=100000"), yield* pages(""));
    }),
  );

  it.effect(
    "near selects by the distance to the edge, newest first, and combines with the rest (R1.2, R1.5)",
    () =>
      Effect.gen(function* () {
        const { list, names } = yield* world;
        assert.deepStrictEqual(yield* names("near=52,5&radius_meters=1"), ["Town", "Here"]);
        // The edge of the second circle is 242 metres away, that of the third 1,269.
        assert.deepStrictEqual(yield* names("near=52,5&radius_meters=241"), ["Town", "Here"]);
        assert.deepStrictEqual(yield* names("near=52.0,%205&radius_meters=244"), ["Town", "Near", "Here"]);
        assert.deepStrictEqual(yield* names("near=52,5&radius_meters=1300"), [
          "Town",
          "Far shop",
          "Near",
          "Here",
        ]);
        assert.deepStrictEqual(yield* names("near=10,179.999&radius_meters=200"), ["Date line"]);
        assert.deepStrictEqual(yield* names("near=52,5&radius_meters=1300&group=Shops"), [
          "Far shop",
          "Here",
        ]);
        assert.deepStrictEqual(yield* names("near=52,5&radius_meters=1300&q=SHOP"), ["Far shop"]);
        assert.deepStrictEqual(yield* names("external_id=b&near=52,5&radius_meters=1"), []);
        const paged: Array<string> = [];
        const search = "near=52,5&radius_meters=1300&limit=1";
        for (let cursor: string | null = ""; cursor !== null;) {
          const { body }: any = yield* list(`${search}${cursor && `&cursor=${cursor}`}`);
          paged.push(...body.data.map(({ name }: { name: string }) => name));
          cursor = body.meta.next_cursor;
          const other = yield* list(`near=52,5&radius_meters=1301&limit=1&cursor=${cursor ?? "none"}`);
          assert.strictEqual(other.body.error?.code, "invalid_cursor");
        }
        assert.deepStrictEqual(paged, ["Town", "Far shop", "Near", "Here"]);
      }),
  );

  it.effect("wrong filters of lists are 422 invalid_parameter at their field (R1.5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* world;
      const long = "x".repeat(256);
      for (const [path, field] of [
        ["/locations?near=52,5", "radius_meters"],
        ["/locations?radius_meters=5", "near"],
        ["/locations?near=5&radius_meters=5", "near"],
        ["/locations?near=91,5&radius_meters=5", "near"],
        ["/locations?near=52,181&radius_meters=5", "near"],
        ["/locations?near=a,b&radius_meters=5", "near"],
        ["/locations?near=52,5&radius_meters=0", "radius_meters"],
        ["/locations?near=52,5&radius_meters=100001", "radius_meters"],
        ["/locations?near=52,5&radius_meters=1.5", "radius_meters"],
        [`/locations?q=${long}`, "q"],
        ["/locations?q=a&q=b", "q"],
        ["/locations?q=%00", "q"],
        [`/locations?group=${long}`, "group"],
        ["/campaigns?status=idle", "status"],
        ["/campaigns?type=sms", "type"],
        [`/campaigns?q=${long}`, "q"],
        [`/media?q=${long}`, "q"],
      ] as const) {
        const { body, status } = yield* sandbox(path);
        assert.deepStrictEqual([status, body.error?.code], [422, "invalid_parameter"], path);
        assert.deepStrictEqual(Object.keys(body.error.fields), [field], path);
      }
      for (const path of ["/locations?q=", "/campaigns?q=%20", "/media?q=", `/media?q=${"é".repeat(255)}`]) {
        assert.strictEqual((yield* sandbox(path)).status, 200, path);
      }
    }),
  );

  it.effect(
    "campaigns and media are searched through the API, with cursors bound to the filters (R1.1, R1.3)",
    () =>
      Effect.gen(function* () {
        const { list, sandbox } = yield* world;
        const [location] = (yield* list("external_id=a")).body.data;
        for (const name of ["Spring sale", "SPRING fair", "Autumn"]) {
          const body = {
            name,
            type: "geo",
            timezone: "UTC",
            starts_at: "2026-11-21",
            location_ids: [location.id],
          };
          assert.strictEqual((yield* sandbox("/campaigns", { body })).status, 201);
        }
        const first = yield* sandbox("/campaigns?q=spring&status=active&type=geo&limit=1");
        assert.strictEqual(first.body.data[0].name, "SPRING fair");
        const cursor = first.body.meta.next_cursor;
        const second = yield* sandbox(`/campaigns?q=SPRING&status=active&type=geo&limit=1&cursor=${cursor}`);
        assert.deepStrictEqual(
          [second.body.data[0].name, second.body.meta.next_cursor],
          ["Spring sale", null],
        );
        const other = yield* sandbox(`/campaigns?q=spr&status=active&type=geo&cursor=${cursor}`);
        assert.strictEqual(other.body.error.code, "invalid_cursor");
        assert.deepStrictEqual((yield* sandbox("/campaigns?type=push")).body.data, []);
        assert.deepStrictEqual((yield* sandbox("/media?q=logo&type=image")).body.data, []);
      }),
  );
});
