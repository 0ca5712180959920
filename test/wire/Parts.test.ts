import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { TriggerDraft } from "../../src/notifications/TriggerDraft.ts";
import { parseFields } from "../../src/wire/ParsedBody.ts";
import { asSent, atMost, inParts } from "../../src/wire/Parts.ts";
import { optionalOrNull, text } from "../../src/wire/Text.ts";

const short = text({ max: 3, description: "", example: "abc" });

const Child = Schema.Struct({ name: short, age: Schema.optionalKey(Schema.Int) }).pipe(
  inParts(({ age, name }, problems) => {
    if (name === "old" && age !== undefined && age < 9) problems.refuse("age", "The {field} is too low.");
  }),
);
const Family = Schema.Struct({
  children: optionalOrNull(Schema.Array(Child).check(atMost(2, "The {field} can be at most 2."))),
  byName: Schema.optionalKey(Schema.Record(Schema.String, Child)),
  home: Schema.optionalKey(
    Schema.Union([Schema.Struct({ street: short }), Schema.Struct({ box: short, note: asSent(short) })]),
  ),
});

const read = (body: { readonly [field: string]: unknown }) => {
  const { fields, problems } = parseFields(Family, body);
  return [fields, problems.fields] as const;
};

describe("Bodies that are read part by part (B4)", () => {
  it("every readable part of a list is kept, and every other one named by its path (B4)", () => {
    assert.deepStrictEqual(read({ children: [{ name: "a", age: "x" }, 7] }), [
      { children: [{ name: "a" }, {}] } as never,
      {
        "children.0.age": ["The age must be a number."],
        "children.1": ["Entry 1 of the children must be an object."],
      },
    ]);
    assert.deepStrictEqual(read({ children: null })[0], { children: null });
  });

  it("the entries of a list that is too long are not read (B4)", () => {
    assert.deepStrictEqual(read({ children: [1, 2, 3] }), [
      {},
      { children: ["The children can be at most 2."] },
    ]);
  });

  it("a rule sees the readable parts, and names its problems from its part on (B4)", () => {
    assert.deepStrictEqual(read({ byName: { x: { name: "old", age: 3 }, y: { age: 3 }, z: null } }), [
      { byName: { x: { name: "old", age: 3 }, y: { age: 3 } } } as never,
      { "byName.x.age": ["The age is too low."], "byName.y.name": ["The name is required."] },
    ]);
  });

  it("of a union of structs, the one is read of which a field was sent (B4)", () => {
    assert.deepStrictEqual(read({ home: { box: "long", note: 5 } }), [
      { home: { note: 5 } } as never,
      { "home.box": ["The box must have at most 3 characters."] },
    ]);
    assert.deepStrictEqual(read({ home: {} })[1], { "home.street": ["The street is required."] });
  });

  it("a trigger names the problems of its rule beside those of its other fields (B4.1)", () => {
    const where = { match: "all", conditions: [{ attribute: "total", op: "exists", value: 5 }] };
    const sent = { trigger_type: "on_event", trigger_config: { event: "?", where, delay_minutes: 1 } };
    const { fields, problems } = parseFields(TriggerDraft, sent);
    assert.sameMembers(Object.keys(problems.fields), [
      "trigger_config.event",
      "trigger_config.where.conditions.0.value",
    ]);
    assert.strictEqual(fields.trigger_config?.delay_minutes, 1);
  });
});
