import { assert, describe, it } from "@effect/vitest";
import { counted } from "../../src/wire/Text.ts";

describe("counted", () => {
  it("counted uses the singular for one only, and separates thousands", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 10_000].map((count) => counted(count, "campaign")),
      ["0 campaigns", "1 campaign", "2 campaigns", "10,000 campaigns"],
    );
  });
});
