import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { collection, pointFeature } from "./Features.ts";
import fc from "fast-check";

const importSome = (count: number) => ({
  body: collection(...Array.from({ length: count }, () => pointFeature())),
});

layer(TestWaypost.layer)("pages of locations", (it) => {
  it.effect(
    "pages show each location once during imports (D1, lists.cursor, lists.order, locations.list)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const cases = fc.record({
          imports: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
          limit: fc.integer({ min: 1, max: 9 }),
          between: fc.integer({ min: 0, max: 3 }),
        });
        for (const { between, imports, limit } of fc.sample(cases, { numRuns: 12, seed: 7 })) {
          const { sandbox } = yield* waypost.tenant();
          const existing: Array<string> = [];
          for (const count of imports) {
            const { data } = (yield* sandbox("/locations/import", importSome(count))).body;
            existing.push(...data.results.map((each: { id: string }) => each.id));
            yield* TestClock.adjust("1 second");
          }
          const seen: Array<string> = [];
          let cursor = "";
          do {
            const { data, meta } = (yield* sandbox(`/locations?limit=${limit}${cursor}`)).body;
            assert.isAtMost(data.length, limit);
            seen.push(...data.map((each: { id: string }) => each.id));
            cursor = meta.next_cursor === null ? "" : `&cursor=${meta.next_cursor}`;
            if (between > 0) yield* sandbox("/locations/import", importSome(between));
          } while (cursor !== "");
          assert.deepStrictEqual(seen, existing.toReversed());
        }
      }),
  );

  it.effect("a cursor is valid for 24 hours, for its own list, filter and environment (D2.2, D2.3)", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* (yield* TestWaypost).tenant();
      yield* sandbox("/locations/import", importSome(3));
      const cursor: string = (yield* sandbox("/locations?limit=1")).body.meta.next_cursor;
      assert.strictEqual((yield* sandbox(`/locations?limit=2&cursor=${cursor}`)).body.data.length, 2);
      const code = (ask: typeof sandbox, path: string) =>
        Effect.map(ask(path), ({ body, status }) => (status === 422 ? body.error.code : status));
      for (const [ask, path] of [
        [production, `/locations?cursor=${cursor}`],
        [sandbox, `/location-groups?cursor=${cursor}`],
        [sandbox, `/locations?cursor=${cursor}&updated_since=2020-01-01`],
        [sandbox, `/locations?cursor=x${cursor}`],
        [sandbox, "/locations?cursor="],
      ] as const) {
        assert.strictEqual(yield* code(ask, path), "invalid_cursor", path);
      }
      yield* TestClock.adjust("25 hours");
      assert.strictEqual(yield* code(sandbox, `/locations?cursor=${cursor}`), "invalid_cursor");
    }),
  );

  it.effect("a page has 20 locations by default and at most 100 (D4.1, lists.limit)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      yield* sandbox("/locations/import", importSome(101));
      const count = (query: string) =>
        Effect.map(sandbox(`/locations${query}`), ({ body }) => body.data.length);
      assert.strictEqual(yield* count(""), 20);
      assert.strictEqual(yield* count("?limit=100"), 100);
      for (const limit of ["0", "101", "1.5", "x", ""]) {
        const answer = yield* sandbox(`/locations?limit=${limit}`);
        assert.deepStrictEqual([answer.status, answer.body.error.code], [422, "invalid_parameter"], limit);
        assert.deepStrictEqual(Object.keys(answer.body.error.fields), ["limit"]);
      }
    }),
  );
});
