import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { gold, rule } from "../given/GivenBodies.ts";
import { refusal, segmentWorld } from "./SegmentWorld.ts";

layer(TestWaypost.layer)("The rules of segments", (it) => {
  it.effect(
    "every segment operator selects devices by value and type, also by built-in attributes " +
      "(L6.1, operator.segment_rule)",
    () =>
      Effect.gen(function* () {
        const { operator, path, sandbox } = yield* segmentWorld;
        const sent = { locale: "nl-NL", timezone: "Europe/Amsterdam", app_version: "4.10.0" };
        yield* sandbox.register("full", {
          platform: "ios",
          ...sent,
          attributes: {
            plan: "gold",
            visits: 12,
            active: true,
            interests: ["shoes", "bags"],
            platform: "fridge",
          },
        });
        yield* sandbox.register("other", {
          platform: "web",
          app_version: "4.9.1",
          attributes: { plan: "5", visits: 5 },
        });
        yield* TestClock.adjust("1 hour");
        yield* sandbox.register("bare", { platform: "android", attributes: { plan: null } });
        const segment = yield* operator(path("sandbox"), { body: { name: "S", rule: gold } });
        const count = (attribute: string, op: string, value: unknown) =>
          Effect.gen(function* () {
            const answer = yield* operator(`${path("sandbox")}/${segment.body.data.id}`, {
              method: "PATCH",
              body: { rule: rule({ attribute, op, value }) },
            });
            assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
            return answer.body.data.device_count;
          });
        for (const [attribute, op, value, expected] of [
          ["plan", "eq", "gold", 1],
          ["plan", "eq", " gold ", 1],
          ["plan", "eq", "5", 1],
          ["plan", "eq", 5, 0],
          ["plan", "ne", "gold", 2],
          ["plan", "exists", true, 2],
          ["plan", "exists", false, 1],
          ["plan", "in", ["gold", "5", 7], 2],
          ["plan", "contains", "ol", 1],
          ["plan", "gt", "5", 1],
          ["visits", "eq", 5, 1],
          ["visits", "eq", "5", 0],
          ["visits", "gt", 5, 1],
          ["visits", "gte", 5, 2],
          ["visits", "lt", 5.5, 1],
          ["visits", "lte", 12, 2],
          ["visits", "gt", "4", 0],
          ["active", "eq", true, 1],
          ["active", "in", [false, "true"], 0],
          ["interests", "contains", "bags", 1],
          ["interests", "contains", "bag", 0],
          ["interests", "eq", "bags", 0],
          ["interests", "exists", true, 1],
          ["nothing", "ne", 1, 3],
          ["platform", "eq", "ios", 1],
          ["platform", "in", ["ios", "android"], 2],
          ["platform", "exists", false, 0],
          ["locale", "contains", "NL", 1],
          ["locale", "ne", "nl-NL", 2],
          ["timezone", "exists", false, 2],
          ["app_version", "gt", "4.9.1", 1],
          ["app_version", "gte", "4.10", 1],
          ["app_version", "lt", "4.10", 1],
          ["app_version", "eq", "4.10.0", 1],
          ["registered_at", "lte", "2026-11-21T13:00:00+01:00", 2],
          ["registered_at", "gt", "2026-11-21T12:00:00Z", 1],
          ["registered_at", "eq", "2026-11-21T13:00:00Z", 1],
          ["registered_at", "gte", "2026-11-21", 3],
          ["registered_at", "exists", true, 3],
        ] as const) {
          assert.deepStrictEqual(
            [attribute, op, value, yield* count(attribute, op, value)],
            [attribute, op, value, expected],
          );
        }
      }),
  );

  it.effect("all problems of a rule are reported together, by dotted name (B4, L6.1)", () =>
    Effect.gen(function* () {
      const { operator, path, segment } = yield* segmentWorld;
      const ask = (body: unknown) => operator(path("sandbox"), { body });
      const fields = refusal(
        yield* ask({
          name: " ",
          rule: {
            match: "some",
            conditions: [
              { attribute: "", op: "is", value: 1 },
              "plan",
              { attribute: "plan", op: "in", value: "gold" },
              { attribute: "plan", op: "in", value: ["gold", null, { a: 1 }, ["x"]] },
              { attribute: "plan", op: "exists", value: "yes" },
              { attribute: "plan", op: "contains", value: "" },
              { attribute: "plan", op: "gt", value: true },
              { attribute: "plan", op: "eq" },
              { attribute: "plan", op: "eq", value: null },
              { attribute: "plan", op: "eq", value: ["gold"] },
              { attribute: "plan", op: "eq", value: "a\0b" },
              { attribute: "platform", op: "eq", value: "iOS" },
              { attribute: "locale", op: "eq", value: 5 },
              { attribute: "app_version", op: "gt", value: "newest" },
              { attribute: "registered_at", op: "gt", value: "2026-02-30" },
              { attribute: "registered_at", op: "contains", value: "2026" },
              { attribute: "x".repeat(256), op: "in", value: [] },
              { op: "lt", value: "\ud800" },
            ],
          },
        }),
      );
      const at = (index: number, field: string) =>
        `rule.conditions.${index}${field === "" ? "" : "."}${field}`;
      assert.deepStrictEqual(fields, {
        name: ["The name is required: it cannot be empty."],
        "rule.match": ["The match must be all or any."],
        [at(0, "attribute")]: ["The attribute is required: it cannot be empty."],
        [at(0, "op")]: ["The op must be eq, ne, in, gt, gte, lt, lte, exists or contains."],
        [at(1, "")]: ["Entry 1 of the conditions must be an object."],
        [at(2, "value")]: ["The value of in must be a list of 1 to 1,000 values."],
        [at(3, "value.1")]: ["Entry 1 of the value must be a text, a number, true or false."],
        [at(3, "value.2")]: ["Entry 2 of the value must be a text, a number, true or false."],
        [at(3, "value.3")]: ["Entry 3 of the value must be a text, a number, true or false."],
        [at(4, "value")]: ["The value of exists must be true or false."],
        [at(5, "value")]: [
          "The value must be a text that is not empty: a part of a text, or one text of a list.",
        ],
        [at(6, "value")]: ["The value must be a number or a text: only these have an order."],
        [at(7, "value")]: ["The value is required."],
        [at(8, "value")]: [
          "The value cannot be null: to ask whether a device has the attribute, use exists.",
        ],
        [at(9, "value")]: ["The value must be a text, a number, true or false."],
        [at(10, "value")]: ["The value may not contain the NUL character."],
        [at(11, "value")]: ["The value must be one of ios, android, web, other."],
        [at(12, "value")]: ["The value must be a text."],
        [at(13, "value")]: ["The value must be a version that begins with a number, such as 4.10.0."],
        [at(14, "value")]: [
          "The value must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
        ],
        [at(15, "op")]: ["The time of registering contains no text: compare it with gt, gte, lt or lte."],
        [at(16, "attribute")]: ["The attribute must have at most 255 characters."],
        [at(16, "value")]: ["The value of in must be a list of 1 to 1,000 values."],
        [at(17, "attribute")]: ["The attribute is required."],
        [at(17, "value")]: ["The value contains half of a character (a lone surrogate)."],
      });
      const condition = gold.conditions[0] ?? {};
      const count = "A rule needs 1 to 50 conditions.";
      for (const [sent, expected] of [
        [{ name: "A" }, { rule: ["The rule is required."] }],
        [{ name: "A", rule: null }, { rule: ["The rule is required."] }],
        [{ name: "A", rule: [] }, { rule: ["The rule must be an object."] }],
        [
          { name: "A", rule: {} },
          { "rule.match": ["The match is required."], "rule.conditions": [count] },
        ],
        [{ name: "A", rule: rule() }, { "rule.conditions": [count] }],
        [
          { name: "A", rule: rule(...Array.from({ length: 51 }, () => condition)) },
          { "rule.conditions": [count] },
        ],
        [
          { name: "A", rule: { match: "all", conditions: { 0: condition } } },
          { "rule.conditions": ["The conditions must be a list."] },
        ],
      ] as const) {
        assert.deepStrictEqual(refusal(yield* ask(sent)), expected);
      }
      const id = yield* segment();
      const patch = (body: unknown) => operator(`${path("sandbox")}/${id}`, { method: "PATCH", body });
      assert.hasAllKeys(refusal(yield* patch({ name: null, rule: null })), ["name", "rule"]);
      assert.strictEqual((yield* patch({})).status, 200);
      // The largest possible rule.
      const values = Array.from({ length: 1000 }, (_, value) => `value ${value}`);
      const most = Array.from({ length: 50 }, () => ({
        attribute: "x".repeat(255),
        op: "in",
        value: values.slice(0, 990),
      }));
      assert.strictEqual((yield* ask({ name: "Most", rule: rule(...most) })).status, 201);
      const many = (count: number) => ({
        attribute: "a",
        op: "in",
        value: Array.from({ length: count }, (_, at) => at),
      });
      assert.strictEqual((yield* ask({ name: "Many", rule: rule(many(1000)) })).status, 201);
      assert.hasAllKeys(refusal(yield* ask({ name: "More", rule: rule(many(1001)) })), [
        "rule.conditions.0.value",
      ]);
      const huge =
        '{"name":"A","rule":{"match":"all","conditions":[{"attribute":"a","op":"gt","value":1e999}]}}';
      assert.hasAllKeys(refusal(yield* ask(huge)), ["rule.conditions.0.value"]);
    }),
  );
});
