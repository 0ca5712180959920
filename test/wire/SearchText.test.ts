import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { exactText, foldCase, isFound, searchPattern } from "../../src/wire/SearchText.ts";

const found = (q: string, name: string) => {
  const pattern = searchPattern(q);
  return pattern === null || isFound(pattern, name);
};

describe("The search for a part of a name", () => {
  it("letter case is folded as Unicode says (R1.4)", () => {
    for (const [q, name] of [
      ["SALE", "Autumn sale"],
      ["strasse", "Hauptstraße"],
      ["ẞ", "Straße"],
      ["ΟΔΟΣ", "οδος"],
      ["οδοσ", "ΟΔΟΣΑ"],
      ["İSTANBUL", "i̇stanbul"],
      ["школа", "ШКОЛА №1"],
      ["ﬃ", "OFFICE"],
    ] as const) {
      assert.isTrue(found(q, name), `${q} in ${name}`);
    }
    assert.isFalse(found("kirmizi", "Kırmızı"));
    assert.strictEqual(foldCase(foldCase("ΑΣ ß İ ı")), foldCase("ΑΣ ß İ ı"));
  });

  it("the text is taken literally, and a blank one searches nothing (R1.4)", () => {
    assert.isFalse(found("%", "Sale"));
    assert.isFalse(found("_", "Sale"));
    assert.isTrue(found(String.raw`100%_\ `, String.raw`now 100%_\ off`));
    assert.deepStrictEqual(
      [searchPattern(" "), searchPattern(undefined), exactText("  ")],
      [null, null, null],
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), fc.string(), (part, before, after) => {
        fc.pre(part.trim() === part && part !== "");
        // A letter that combines with the next one is another letter.
        assert.isTrue(found(part, `${before} ${part} ${after}`));
      }),
    );
  });
});
