import { assert, describe, it } from "@effect/vitest";
import { parseTemplate } from "../../../src/notifications/templates/Template.ts";
import { TemplateCache } from "../../../src/notifications/templates/TemplateCache.ts";
import { countTags } from "../../../src/notifications/templates/TemplateLimits.ts";

const maxLength = 100_000;
/** As many repetitions as a body has room for. */
const filled = (before: string, each: string, after: string): string =>
  before + each.repeat(Math.floor((maxLength - before.length - after.length) / each.length)) + after;

const reasonOf = (text: string): string => {
  const parsed = parseTemplate(text);
  return parsed._tag === "Parsed" ? "parsed" : (parsed.problems[0]?.reason ?? "");
};

describe("TemplateLimits", () => {
  it("tags and outputs count wherever they are, and single braces do not (O1.11)", () => {
    assert.strictEqual(countTags("{ {{ a }} {% if b %}{%- endif -%}"), 3);
    assert.strictEqual(countTags("{% raw %}{{ a }}{% endraw %}{{ never closed"), 4);
    assert.strictEqual(countTags("{".repeat(7)), 3);
    assert.strictEqual(countTags("{"), 0);
  });

  it("a text may have 1,000 tags, and with one more it is not parsed (O1.11)", () => {
    assert.strictEqual(reasonOf("{{1}} ".repeat(1_000)), "parsed");
    const refused = "a text may have at most 1,000 tags";
    for (const text of [
      "{{1}} ".repeat(1_001),
      filled("", "{{1}} ", ""),
      filled("", "{{ ", ""),
      filled("", "{% ", ""),
      filled("", "{% if 1 %}", ""),
      filled("", "  {{-1-}}  ", ""),
      filled("{% raw %}", "{{1}}", "{% endraw %}"),
      filled("{% comment %}", "{% x %}", "{% endcomment %}"),
      filled("{% case 1 %}", "{% when 1 %}", "{% endcase %}"),
      filled("{% if 1 %}", "{% elsif 1 %}", "{% endif %}"),
    ])
      assert.strictEqual(reasonOf(text), refused, text.slice(0, 30));
  });

  it("the tags of a text may have 25,000 values and symbols, however few tags these are (O1.11)", () => {
    const refused = "the tags of a text may have at most 25,000 values and symbols together";
    for (const text of [
      filled("{% if 1", " or 1", " %}{% endif %}"),
      filled("{% if ", "a>b ", " %}{% endif %}"),
      filled("{% case 1 %}{% when ", "1,", "1 %}{% endcase %}"),
      filled("{{ 1 | append: ", "1,", "1 }}"),
      filled("{{ 1 | default: ", "a:1,", "1 }}"),
      filled("{{ device", ".a", " }}"),
      filled("{{ device.attributes", "[1]", " }}"),
      filled("{{ ", "(1..2)", " }}"),
      filled("{{ ", "1 ", " }}"),
      filled("{{ ", "'", " }}"),
    ])
      assert.strictEqual(reasonOf(text), refused, text.slice(0, 30));
    const whens = `{% when ${"'a',".repeat(10_000)} 'a' %}`;
    for (const text of [
      filled("{{ 'a'", " | upcase", " }}"),
      filled("{{ 'a'", " | append: 'b'", " }}"),
      `{% case 1 %}${whens}{% endcase %}`,
      filled("{{ '", "a, ", "' }}"),
      filled("", "a, b == c. ", ""),
      "{{ device.attributes.name | default: 'you' | upcase }}".repeat(1_000),
    ])
      assert.strictEqual(reasonOf(text), "parsed", text.slice(0, 30));
  });

  it("a problem names at most 100 characters of an unknown variable, and ten problems end the check", () => {
    assert.isAtMost(reasonOf(`{{ ${"a".repeat(90_000)} }}`).length, 300);
    const parsed = parseTemplate("{{ nope }}".repeat(900));
    assert.lengthOf(parsed._tag === "Refused" ? parsed.problems : [], 10);
  });

  it("the cache drops the templates used least recently, and no others", () => {
    const cache = new TemplateCache(30);
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(10));
    const first = texts.map((text) => cache.get(text));
    const isCached = (index: number): boolean => cache.get(texts[index] ?? "") === first[index];
    assert.isTrue(isCached(0));
    cache.get("d".repeat(10));
    assert.isTrue(isCached(0));
    assert.isTrue(isCached(2));
    assert.isFalse(isCached(1));
    // A text that does not fit alone empties it, and is parsed each time.
    const long = cache.get("e".repeat(31));
    assert.isFalse(cache.get("e".repeat(31)) === long);
    assert.isFalse(isCached(0));
  });
});
