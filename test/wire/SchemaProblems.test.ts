import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { Instant } from "../../src/time/Instant.ts";
import { parseFields } from "../../src/wire/ParsedBody.ts";
import { optionalText, text, whole } from "../../src/wire/Text.ts";

const Sent = Schema.Struct({
  name: text({ max: 3, description: "", example: "abc" }),
  address: optionalText({ max: 3, description: "", example: "abc" }),
  expires_at: Schema.optionalKey(Schema.NullOr(Instant)),
  count: whole({ min: 1, max: 5, description: "", example: 3 }),
  kinds: Schema.optionalKey(Schema.Array(Schema.Literals(["a", "b"]))),
});

describe("Problems of a body (B4, B6)", () => {
  it("each field has a sentence that says what would be right, in terms of what clients send (B6)", () => {
    const sent = { name: 5, address: false, expires_at: 5, count: "x", kinds: ["a", "c"] };
    assert.deepStrictEqual(parseFields(Sent, sent).problems.fields, {
      name: ["The name must be a text."],
      address: ["The address must be a text or null."],
      expires_at: [
        "The expiry must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
      ],
      count: ["The count must be a whole number between 1 and 5."],
      "kinds.1": ["The entry 1 of the kinds must be a or b."],
    });
  });

  it("a null that is not allowed is reported as a missing field", () => {
    assert.deepStrictEqual(parseFields(Sent, { name: null, expires_at: null }).problems.fields, {
      name: ["The name is required."],
      count: ["The count is required."],
    });
  });

  it("characters are counted as code points, and texts that cannot be stored are refused (B5.1)", () => {
    const problem = (name: string) => parseFields(Sent, { name, count: 1 }).problems.fields["name"];
    assert.isUndefined(problem(" \u{1F600}\u{1F600}\u{1F600} "));
    assert.deepStrictEqual(problem("\u{1F600}bcd"), ["The name must have at most 3 characters."]);
    assert.match(problem("a\0")?.[0] ?? "", /NUL/);
    assert.match(problem("a\uD800")?.[0] ?? "", /surrogate/);
  });
});
