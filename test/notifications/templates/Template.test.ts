import { assert, describe, it } from "@effect/vitest";
import * as FastCheck from "fast-check";
import { Liquid } from "liquidjs";
import { parseTemplate } from "../../../src/notifications/templates/Template.ts";
import { templateFilters } from "../../../src/notifications/templates/TemplateFilters.ts";
import { templateValues } from "./TemplateWorld.ts";
import { cases } from "../../FixedSeed.ts";

const parsed = (text: string) => {
  const result = parseTemplate(text);
  if (result._tag === "Refused") throw new Error(JSON.stringify(result.problems));
  return result.template;
};
const render = (text: string, attributes: object = {}) => parsed(text).render(templateValues(attributes));
const rendered = (text: string, attributes: object = {}) => {
  const result = render(text, attributes);
  return result._tag === "Rendered" ? result.text : `failed: it ${result.reason}`;
};
const problems = (text: string) => {
  const result = parseTemplate(text);
  return result._tag === "Refused" ? result.problems : [];
};

describe("Template", () => {
  it("output, if, unless and case over the variables are rendered (O1.1)", () => {
    const text =
      "Hi {{ device.attributes.name }} on {{ device.platform }}, {{ device.locale }}, " +
      "{{ device.timezone }}: " +
      "{% if device.attributes.points >= 100 %}gold{% elsif device.attributes.points > 10 %}silver" +
      "{% else %}new{% endif %} at {{ location.name }}, {{ location.address }} ({{ location.external_id }})" +
      "{% unless device.attributes.member %} join{% endunless %} {{ campaign.name }}" +
      '{% case device.platform %}{% when "ios", "android" %} app{% else %} web{% endcase %}';
    assert.strictEqual(
      rendered(text, { name: "Ada", points: 20 }),
      "Hi Ada on ios, nl-NL, Europe/Amsterdam: silver at Shop, Dam 1 (s1) join Autumn app",
    );
  });

  it("a missing value renders empty, so default gives another one (O1.2)", () => {
    assert.strictEqual(rendered("[{{ device.attributes.none }}]"), "[]");
    assert.strictEqual(rendered('{{ device.attributes.name | default: "there" }}'), "there");
    assert.strictEqual(rendered('{{ device.attributes.name | default: "there" }}', { name: "" }), "there");
  });

  it("names of the language's objects are no attributes (O1.2)", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"])
      assert.strictEqual(rendered(`[{{ device.attributes["${name}"] }}]`), "[]");
  });

  it("comments and raw text are allowed, and whitespace control works (O1.4)", () => {
    assert.strictEqual(rendered("a{% comment %}{% for %}{{ x }}{% endcomment %}b"), "ab");
    assert.strictEqual(rendered("{% raw %}{{ x }}{% endraw %}"), "{{ x }}");
    assert.strictEqual(rendered("a {%- if true -%} b {%- endif %}"), "ab");
  });

  it("every filter of the list does what its name says (O1.4)", () => {
    const examples: { readonly [filter: string]: readonly [string, string] } = {
      default: ['"" | default: "x"', "x"],
      upcase: ['"aé" | upcase', "AÉ"],
      downcase: ['"AÉ" | downcase', "aé"],
      capitalize: ['"hELLO" | capitalize', "Hello"],
      append: ['"a" | append: "b"', "ab"],
      prepend: ['"a" | prepend: "b"', "ba"],
      replace: ['"a.a" | replace: "a", "b"', "b.b"],
      remove: ['"a-b-" | remove: "-"', "ab"],
      strip: ['"  a " | strip', "a"],
      truncate: ['"ÀÉÎÕÜabc" | truncate: 5, "…"', "ÀÉÎÕ…"],
      size: ['"four" | size', "4"],
      plus: ['"2" | plus: 3', "5"],
      minus: ["2 | minus: 3", "-1"],
      times: ["2 | times: 1.5", "3"],
      divided_by: ["7 | divided_by: 2", "3.5"],
      round: ["1.005 | round: 2", "1.01"],
      date: ['"2026-11-05" | date: "%-d %B %Y, %H:%M"', "5 November 2026, 00:00"],
      url_encode: ['"a b&c" | url_encode', "a+b%26c"],
      escape: [`"<a href='x'>" | escape`, "&lt;a href=&#39;x&#39;&gt;"],
    };
    assert.deepStrictEqual(Object.keys(examples).sort(), [...templateFilters.keys()].sort());
    for (const [filter, [expression, result]] of Object.entries(examples))
      assert.strictEqual(rendered(`{{ ${expression} }}`), result, filter);
  });

  it("dates are in UTC, whatever the zone of the process (O1.4)", () => {
    const date = (value: unknown, format: string) =>
      rendered(`{{ device.attributes.at | date: "${format}" }}`, { at: value });
    assert.strictEqual(date("2026-03-29 02:30", "%F %T"), "2026-03-29 02:30:00");
    assert.strictEqual(date("2026-03-29T02:30:00+02:00", "%H:%M %Z"), "00:30 UTC");
    assert.strictEqual(date(86_400, "%a %e %b %y"), "Fri  2 Jan 70");
    assert.strictEqual(date("now", "%I:%M %p"), "09:05 AM");
    assert.strictEqual(date("soon", "%F"), "soon");
    assert.strictEqual(date("2026-02-03", "%j %-m %Q %%"), "034 2 %Q %");
  });

  it("whatever is not allowed is refused with its line and the reason (O1.4, O1.9)", () => {
    const reasons: ReadonlyArray<readonly [string, number, string]> = [
      ["{% for x in device.attributes.list %}{% endfor %}", 1, "there is no tag for"],
      ['\n\n{% include "a" %}', 3, "there is no tag include"],
      ["{% assign x = 1 %}", 1, "there is no tag assign"],
      ["{% capture x %}{% endcapture %}", 1, "there is no tag capture"],
      ["{% increment x %}", 1, "there is no tag increment"],
      ["{% liquid echo 1 %}", 1, "there is no tag liquid"],
      ["{% echo 1 %}", 1, "there is no tag echo"],
      ["{% # note %}", 1, "there is no tag #"],
      ["a\n{{ device.locale | base64_encode }}", 2, "there is no filter base64_encode"],
      ["{{ device.attributes.name | where: 1 }}", 1, "there is no filter where"],
      ["{{ process.env }}", 1, "there is no variable process.env; there are device.attributes.<name>"],
      ["a\n{{ campaign.id }}", 2, "there is no variable campaign.id"],
      ["{{ device.attributes }}", 1, "there is no variable device.attributes"],
      ["{{ device.platform.size }}", 1, "there is no variable device.platform.size"],
      ["{% if nme %}{% endif %}", 1, "there is no variable nme"],
      ["{% case device.locale %}{% when lang %}{% endcase %}", 1, "there is no variable lang"],
      ["{{ 'a' | append: x }}", 1, "there is no variable x"],
      ["{{ (1..5) }}", 1, "(1..5) is not a value"],
      ["{{ device.attributes[device.attributes[device.locale]] }}", 1, "brackets in brackets"],
      ["{% if true %}", 1, "not closed"],
      ["{{ device.locale", 1, "not closed"],
      ["{{ }}", 1, "invalid value expression"],
      ["{{ 'a' | append }}", 1, "the filter append takes one argument"],
      ["{{ 'a' | upcase: 1 }}", 1, "the filter upcase takes no argument"],
      ["{{ 'a' | upcase: x: 1 }}", 1, "the filter upcase takes no argument x"],
      [`{{ ${"true and ".repeat(60)}true }}`, 1, "an expression is too long"],
      ["{% if true %}".repeat(60) + "{% endif %}".repeat(60), 1, "nested up to 50 deep"],
      ["{% if true %}".repeat(500) + "{% endif %}".repeat(500), 1, "nested up to 50 deep"],
    ];
    for (const [text, line, reason] of reasons) {
      const [first] = problems(text);
      assert.include(first?.reason ?? `${text} is allowed`, reason);
      assert.strictEqual(first?.line, line, text);
    }
  });

  it("10,000 steps are the limit of one rendering, whatever it takes them for (O1.5)", () => {
    const filters = (count: number) => `{{ "a"${" | upcase".repeat(count)} }}`;
    assert.strictEqual(rendered(filters(9_999)), "A");
    assert.strictEqual(rendered(filters(10_000)), "failed: it takes more than 10,000 steps to render.");
    const outputs = (each: string) => rendered(`{{ ${each} }}`.repeat(1_000));
    assert.strictEqual(outputs("nil | upcase | upcase | upcase | upcase | upcase | upcase | upcase"), "");
    assert.include(outputs(`nil${" | upcase".repeat(10)}`), "10,000 steps");
    const conditions = `{% if 1${" == 1".repeat(20)} %}{% endif %}`;
    assert.include(rendered(conditions.repeat(500)), "10,000 steps");
    const values = Array.from({ length: 10_001 }, () => "'a'").join(", ");
    assert.include(rendered(`{% case 'b' %}{% when ${values} %}{% endcase %}`), "10,000 steps");
    const long = { text: "ä".repeat(4_000) };
    assert.include(rendered(`{{ device.attributes.text${" | upcase".repeat(50)} }}`, long), "10,000 steps");
    const compared = '{% if device.attributes.text contains "x" %}{% endif %}';
    assert.include(rendered(compared.repeat(50), long), "10,000 steps");
  });

  it("10,240 bytes of UTF-8 are the limit of a field, also on the way to it (O1.5)", () => {
    const tooLong = "failed: it renders to more than 10,240 bytes.";
    const text = (bytes: number) => ({ text: "é".repeat(bytes / 2) });
    const twice = "{{ device.attributes.text }}{{ device.attributes.text }}";
    assert.strictEqual(rendered(twice, text(5_120)).length, 5_120);
    assert.strictEqual(rendered(`${twice}!`, text(5_120)), tooLong);
    const grow = 'replace: "", device.attributes.text';
    for (const filter of [grow, "url_encode | url_encode", "escape", "append: device.attributes.text"])
      assert.strictEqual(
        rendered(`{{ device.attributes.text | ${filter} | size }}`, { text: "<é".repeat(4_000) }),
        tooLong,
      );
    assert.strictEqual(rendered(`{{ "x" | date: "%F" }}{{ 0 | date: "${"%A".repeat(1_500)}" }}`), tooLong);
  });

  it("size counts characters as truncate does, not their halves (B5, O1.4)", () => {
    assert.strictEqual(rendered('{{ "😀é" | size }}{{ "😀é" | truncate: 2, "" }}'), "2😀é");
    assert.strictEqual(rendered("{{ device.attributes.text.size }}", { text: "😀😀" }), "2");
  });

  it("a calculation without a number as its result is a missing value (O1.2)", () => {
    for (const sum of [
      "1 | divided_by: device.attributes.none",
      "0 | divided_by: 0",
      `${"9".repeat(308)} | times: 99`,
    ])
      assert.strictEqual(rendered(`{{ ${sum} }}{{ ${sum} | default: "none" }}`), "none", sum);
  });

  it("what a rendering gives is always well-formed text (O1.4)", () => {
    assert.isTrue(rendered('{{ "😀" | replace: "", "-" }}').isWellFormed());
  });

  it("templates render as liquidjs renders them (O1.4)", () => {
    const engine = new Liquid();
    const value = FastCheck.constantFrom(
      '"Ada"',
      '""',
      '" b "',
      "1",
      "2.5",
      "-3",
      "true",
      "false",
      "nil",
      "device.attributes.name",
      "device.attributes.count",
      "device.attributes.tags",
      "device.attributes.no",
      "device.attributes.tags.size",
      "device.attributes.tags[1]",
      "campaign.name",
    );
    const filter = FastCheck.constantFrom(
      'default: "x"',
      "upcase",
      "downcase",
      "capitalize",
      'append: "z"',
      'prepend: "z"',
      'replace: "a", "b"',
      'remove: "a"',
      "strip",
      "truncate: 2",
      'truncate: 3, ""',
      "size",
      "plus: 2",
      "minus: 2",
      "times: 3",
      "divided_by: 4",
      "round",
      "round: 1",
      "url_encode",
      "escape",
    );
    const operator = FastCheck.constantFrom("==", "!=", "<", ">", "<=", ">=", "contains", "and", "or");
    const filtered = FastCheck.tuple(value, FastCheck.array(filter, { maxLength: 3 })).map(
      ([first, filters]) => [first, ...filters].join(" | "),
    );
    const condition = FastCheck.oneof(
      value,
      FastCheck.tuple(value, operator, value).map((each) => each.join(" ")),
      // liquidjs compares the literals nil, empty and blank with each other in ways of its own.
      FastCheck.tuple(
        value.filter((each) => each !== "nil"),
        FastCheck.constantFrom("== empty", "!= empty", "== blank", "!= blank"),
      ).map((each) => each.join(" ")),
    );
    const conditions = FastCheck.tuple(
      condition,
      FastCheck.array(FastCheck.tuple(FastCheck.constantFrom("and", "or"), condition), { maxLength: 2 }),
    ).map(([first, rest]) => [first, ...rest.flat()].join(" "));
    const { node } = FastCheck.letrec<{ node: string }>((tie) => ({
      node: FastCheck.oneof(
        { maxDepth: 3 },
        filtered.map((each) => `[{{ ${each} }}]`),
        FastCheck.tuple(conditions, tie("node"), tie("node")).map(
          ([test, yes, no]) => `{% if ${test} %}${yes}{% else %}${no}{% endif %}`,
        ),
        FastCheck.tuple(conditions, tie("node")).map(
          ([test, yes]) => `{% unless ${test} %}${yes}{% endunless %}`,
        ),
        FastCheck.tuple(value, value, tie("node")).map(
          ([target, each, yes]) => `{% case ${target} %}{% when ${each} %}${yes}{% else %}-{% endcase %}`,
        ),
      ),
    }));
    const attributes = { name: "Ada", count: 7, tags: ["a", "b"] };
    FastCheck.assert(
      FastCheck.property(FastCheck.array(node, { maxLength: 4 }), (nodes) => {
        const text = nodes.join(" ");
        assert.strictEqual(
          rendered(text, attributes),
          engine.parseAndRenderSync(text, templateValues(attributes)),
        );
      }),
      { numRuns: cases(1_000) },
    );
  });
});
