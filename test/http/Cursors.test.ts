import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Redacted } from "effect";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { Cursors } from "../../src/http/Cursors.ts";
import type { PagePosition } from "../../src/wire/PagePosition.ts";

const directory = {
  path: "",
  operatorKey: Redacted.make("operator"),
  secretKey: Redacted.make("secret"),
};
const layer = Layer.provide(Cursors.layer, Layer.succeed(DataDirectory, directory));

/** Items with ids that fall, each with so many characters beside its id. */
const itemsOf = (lengths: ReadonlyArray<number>) =>
  lengths.map((length, index) => ({
    id: `01980a6c-0f3e-7c52-9a41-${String(999 - index).padStart(12, "0")}`,
    text: "x".repeat(length),
  }));

/** The sizes of all pages of a list, and the most items that were read at a time. */
const pagesOf = Effect.fnUntraced(function* (
  items: ReturnType<typeof itemsOf>,
  limit: number,
  isLarge: boolean,
) {
  const cursors = yield* Cursors;
  let most = 0;
  const fetch = ({ before, limit: count }: PagePosition) => {
    most = Math.max(most, count);
    return Effect.succeed(items.filter(({ id }) => before === null || id < before).slice(0, count));
  };
  const scope = { endpoint: "GET /segments", owner: "a", ...(isLarge && { isLarge: true as const }) };
  const ids: Array<string> = [];
  const sizes: Array<number> = [];
  let cursor: string | null = null;
  do {
    const query: { readonly cursor?: string; readonly limit: number } =
      cursor === null ? { limit } : { cursor, limit };
    const page = yield* cursors.page(scope, query, fetch);
    ids.push(...page.data.map(({ id }) => id));
    sizes.push(page.data.length);
    cursor = page.meta.next_cursor;
  } while (cursor !== null);
  assert.deepStrictEqual(
    ids,
    items.map(({ id }) => id),
  );
  return { sizes, most };
});

describe("pages of lists", () => {
  it.effect("a page of large items ends early, and the pages together have each item once (D1.2, D2.4)", () =>
    Effect.gen(function* () {
      const many = itemsOf(Array.from({ length: 30 }, () => 1_000_000));
      assert.deepStrictEqual((yield* pagesOf(many, 100, true)).sizes, [5, 5, 5, 5, 5, 5]);
      const mixed = itemsOf([10, 4_200_000, 10, 10]);
      assert.deepStrictEqual((yield* pagesOf(mixed, 100, true)).sizes, [2, 2]);
      assert.deepStrictEqual((yield* pagesOf(itemsOf([5_000_000]), 1, true)).sizes, [1]);
    }).pipe(Effect.provide(layer)),
  );

  it.effect("a page of small items has as many as its limit, read a few at a time (D2.4, lists.limit)", () =>
    Effect.gen(function* () {
      for (const [count, limit] of [
        [250, 100],
        [40, 20],
        [21, 21],
        [42, 42],
        [1, 1],
        [0, 20],
      ] as const) {
        const items = itemsOf(Array.from({ length: count }, () => 10));
        const { most, sizes } = yield* pagesOf(items, limit, true);
        assert.deepStrictEqual(sizes, (yield* pagesOf(items, limit, false)).sizes);
        assert.isAtMost(Math.max(...sizes), limit);
        assert.isAtMost(most, 21);
      }
    }).pipe(Effect.provide(layer)),
  );
});
