import { assert, describe, it } from "@effect/vitest";
import { withoutPerson } from "../../src/people/RuleErasure.ts";

const condition = (op: string, value: unknown, attribute = "user_id") => ({ attribute, op, value });

describe("Erasure of a person from rules", () => {
  it("a condition on user_id loses the person and keeps others (Q3.2)", () => {
    const cases = [
      [condition("eq", "anna"), condition("eq", "")],
      [condition("ne", "anna"), condition("ne", "")],
      [condition("in", ["anna", "bob", "anna"]), condition("in", ["bob"])],
      [condition("in", ["anna"]), condition("in", [""])],
      [condition("contains", "anna"), condition("eq", "")],
      [condition("gte", "anna"), condition("eq", "")],
      [condition("eq", "annabel"), condition("eq", "annabel")],
      [condition("contains", "ann"), condition("contains", "ann")],
      [condition("exists", true), condition("exists", true)],
      [condition("eq", "anna", "name"), condition("eq", "anna", "name")],
    ];
    for (const [before, after] of cases) assert.deepStrictEqual(withoutPerson(before, "anna"), after);
  });

  it("a rule is found however deep it is, and other values stay (Q3.2)", () => {
    const rule = (value: string) => ({ match: "all", conditions: [condition("eq", value)] });
    const changes = (value: string) => ({
      name: { old: null, new: "anna" },
      rule: { old: null, new: rule(value) },
    });
    assert.deepStrictEqual(withoutPerson(changes("anna"), "anna"), changes(""));
    const audience = (value: string) => ({ match: "any", rules: [rule(value)], local: { zones: ["anna"] } });
    assert.deepStrictEqual(withoutPerson(audience("anna"), "anna"), audience(""));
  });
});
