import { assert, describe, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constant, type Figure, figureFindings, jobPause, schemaLimit } from "../../scripts/check/figures.ts";
import { figureTable } from "../../scripts/check/figureTable.ts";

const root = join(import.meta.dirname, "../..");

describe("figures in the documentation", () => {
  it.each(Object.entries(figureTable))("%s has the numbers of the code", (path, figures) => {
    const page = { path, text: readFileSync(join(root, path), "utf8") };
    assert.deepStrictEqual(figureFindings(page, figures), []);
  });
});

describe("the check of figures", () => {
  const messages = (text: string, ...figures: ReadonlyArray<Figure>) =>
    figureFindings({ path: "docs/page.md", text }, figures).map(({ line, message }) => `${line} ${message}`);

  it("a figure is found wherever its words wrap", () => {
    assert.deepStrictEqual(
      messages("A lease is renewed\nafter 3 seconds.", ["renewed after # seconds", 3]),
      [],
    );
    assert.deepStrictEqual(messages("| key   |  1,000 entries |", ["key | # entries", 1000]), []);
    assert.deepStrictEqual(messages("a radius of 6,371,008.8 m", ["a radius of # m", 6_371_008.8]), []);
  });

  it("a different number is reported with its line", () => {
    assert.deepStrictEqual(messages("\n\nup to 60 seconds", ["up to # seconds", 300]), [
      '3 "up to # seconds" is 60 here and 300 in the code.',
    ]);
  });

  it("every occurrence must have the value, and a part of a number does not count", () => {
    assert.lengthOf(messages("5 tries, then 6 tries", ["# tries", 5]), 1);
    assert.lengthOf(messages("1,005 tries", ["# tries", 5]), 1);
  });

  it("words that do not occur are reported", () => {
    assert.deepStrictEqual(messages("nothing", ["up to # seconds", 5]), [
      '1 "up to # seconds" does not occur: update the words in scripts/check/figureTable.ts.',
    ]);
  });

  it("constants are read as numbers, products and durations in milliseconds", () => {
    assert.strictEqual(constant("Cursors.ts", "defaultLimit"), 20);
    assert.strictEqual(constant("Cursors.ts", "lifetimeMillis"), 86_400_000);
    assert.strictEqual(constant("Server.ts", "requestTimeout"), 3_600_000);
    assert.strictEqual(jobPause("failed_attempt_pruning"), 600_000);
    assert.strictEqual(schemaLimit("platform", "CampaignDraft.name", "maxLength"), 255);
  });

  it("an unknown constant, job or field is an error that names the table", () => {
    for (const unknown of [
      () => constant("Cursors.ts", "unknown"),
      () => constant("Unknown.ts", "defaultLimit"),
      () => jobPause("unknown"),
      () => schemaLimit("platform", "CampaignDraft.unknown", "maxLength"),
    ])
      assert.throws(unknown, "update scripts/check/figureTable.ts");
  });
});
