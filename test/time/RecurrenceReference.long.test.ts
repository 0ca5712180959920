import { assert, describe, it } from "vitest";
import { digestOf, recordedDigests, seededRules } from "./SeededRules.ts";

describe("recurrence rules", () => {
  it("100,000 seeded rules meet the days that python-dateutil finds (Z18)", () => {
    const rules = [...seededRules(100_000)];
    const digests = recordedDigests.map((_, index) => digestOf(rules.slice(index * 100, index * 100 + 100)));
    assert.deepStrictEqual(digests, recordedDigests);
  });
});
