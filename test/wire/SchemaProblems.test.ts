import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { Instant } from "../../src/time/Instant.ts";
import { parseFields } from "../../src/wire/ParsedBody.ts";
import { fieldSentence } from "../../src/wire/FieldSentence.ts";
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
      "kinds.1": ["Entry 1 of the kinds must be a or b."],
    });
  });

  it("a list that is no array is said to be none, whatever its length must be (B6)", () => {
    const ids = Schema.Array(Schema.String).check(
      Schema.isMaxLength(3, { message: "The {field} are too many." }),
    );
    const Lists = Schema.Struct({ ids, other_ids: Schema.optionalKey(Schema.NullOr(ids)) });
    for (const sent of ["x", {}, 5, true]) {
      assert.deepStrictEqual(parseFields(Lists, { ids: sent, other_ids: sent }).problems.fields, {
        ids: ["The ids must be a list."],
        other_ids: ["The other ids must be a list or null."],
      });
    }
    const long = ["a", "b", "c", "d"];
    assert.deepStrictEqual(parseFields(Lists, { ids: long }).problems.fields, {
      ids: ["The ids are too many."],
    });
  });

  it("the verb of a sentence agrees with its field (B6)", () => {
    const Plural = Schema.Struct({ answers: Schema.String, address: Schema.String, status: Schema.String });
    assert.deepStrictEqual(parseFields(Plural, {}).problems.fields, {
      answers: ["The answers are required."],
      address: ["The address is required."],
      status: ["The status is required."],
    });
    assert.strictEqual(
      fieldSentence("The {field} is not valid.", ["answers", 2]),
      "Entry 2 of the answers is not valid.",
    );
    assert.strictEqual(
      fieldSentence("The {field} is not valid.", ["features"]),
      "The list of features is not valid.",
    );
    assert.strictEqual(fieldSentence("The {field} contains half.", ["keys"]), "The keys contain half.");
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
