import { assert, describe, it } from "@effect/vitest";
import { changedEntries, unchanged } from "../../../src/cli/location-import/FeatureChanges.ts";
import type { ImportEntry } from "../../../src/client/location-files/ImportEntry.ts";

const entryOf = (feature: unknown): ImportEntry => ({ _tag: "Feature", feature, size: 10, row: null });

const changed = (feature: unknown, isSplit: boolean, isIdExternal: boolean) =>
  changedEntries(entryOf(feature), { isSplit, isIdExternal }).map((entry) =>
    entry._tag === "Feature" ? entry.feature : null,
  );

const multi = (properties: object, ...coordinates: ReadonlyArray<string>) => ({
  type: "Feature",
  geometry: { type: "MultiPolygon", coordinates },
  properties,
});

const part = (properties: object, coordinates: string) => ({
  type: "Feature",
  geometry: { type: "Polygon", coordinates },
  properties,
});

describe("changes of features before an import", () => {
  it("each polygon of a MultiPolygon becomes a location with a numbered name and external id (G7.3)", () => {
    assert.deepStrictEqual(
      changed(multi({ name: "Wadden", external_id: 7, x: 1 }, "a", "b", "c"), true, false),
      [
        part({ name: "Wadden (1 of 3)", external_id: "7#1", x: 1 }, "a"),
        part({ name: "Wadden (2 of 3)", external_id: "7#2", x: 1 }, "b"),
        part({ name: "Wadden (3 of 3)", external_id: "7#3", x: 1 }, "c"),
      ],
    );
    const [first] = changed(multi({ name: " Two " }, "a", "b"), true, false);
    assert.deepStrictEqual(first, part({ name: "Two (1 of 2)", external_id: undefined }, "a"));
  });

  it("only MultiPolygons of several polygons are split, and only if that is asked for (G7.3)", () => {
    const several = multi({ name: "A" }, "a", "b");
    assert.deepStrictEqual(changed(several, false, false), [several]);
    for (const feature of [multi({ name: "A" }, "a"), part({}, "a"), 5, null, { geometry: null }])
      assert.deepStrictEqual(changed(feature, true, true), [feature]);
    const unreadable: ImportEntry = { _tag: "Unreadable", text: "", reasons: [], row: null };
    assert.deepStrictEqual(changedEntries(unreadable, unchanged), [unreadable]);
  });

  it("a feature's own id becomes its external id, before it is split, or it keeps its own (G7.4)", () => {
    const feature = { ...part({ name: "A", external_id: "old" }, "a"), id: 7 };
    assert.deepStrictEqual(changed(feature, false, true), [part({ name: "A", external_id: 7 }, "a")]);
    assert.deepStrictEqual(changed(part({ external_id: "old" }, "a"), false, true), [
      part({ external_id: "old" }, "a"),
    ]);
    const [, second] = changed({ ...multi({ name: "M" }, "a", "b"), id: "m" }, true, true);
    assert.deepStrictEqual(second, part({ name: "M (2 of 2)", external_id: "m#2" }, "b"));
    // A refused part can be imported again with the same flags.
    assert.deepStrictEqual(changed(second, true, true), [second]);
  });
});
