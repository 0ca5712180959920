import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { type TextSource, variablesOf } from "../../../src/notifications/templates/MessageTexts.ts";
import { keptFacts, readFacts, type RecipientFacts } from "../../../src/sending/rendering/KeptFacts.ts";
import { recipientOf } from "../../../src/sending/rendering/Recipients.ts";
import type { TimeZoneName } from "../../../src/time/TimeZone.ts";
import { cases } from "../../FixedSeed.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const facts: RecipientFacts = {
  attributes: { name: "Ada", "a.b": "dot", points: 7, tags: ["x", "y"], key: "name", last: false },
  platform: "ios",
  locale: "nl-NL",
  timezone: "Europe/Amsterdam" as TimeZoneName,
  location: { name: "Store", address: "Dam 1", external_id: null },
  campaign: "Autumn",
  event: { total: 7, "order id": "a1", late: false },
};
const content = (fields: Partial<TextSource>): TextSource => ({
  headline: "Hello",
  body: "World",
  cta_label: null,
  cta_url: null,
  questions: [],
  template: "liquid",
  translations: null,
  push: null,
  ...fields,
});
const keptOf = (source: TextSource) => {
  const recipient = recipientOf(facts, now);
  const result = recipient.render(source);
  return result._tag === "Rendered" ? recipient.kept(source, result.variables) : null;
};

const variables = [
  "device.attributes.name",
  'device.attributes["a.b"]',
  "device.attributes.points",
  "device.attributes.tags",
  "device.attributes.tags[0]",
  "device.attributes.tags.last",
  "device.attributes.none",
  "device.attributes[device.attributes.key]",
  "device.platform",
  "device.locale",
  "device.timezone",
  "location.name",
  "location.address",
  "location.external_id",
  "campaign.name",
  "event.total",
  'event["order id"]',
  "event[device.attributes.key]",
  "'now' | date: '%H:%M'",
] as const;

describe("KeptFacts", () => {
  it("a delivery keeps the facts that its texts read, and no others (T7)", () => {
    const cases: ReadonlyArray<readonly [string, object]> = [
      ["", {}],
      ["{{ device.attributes.name }}{{ device.attributes.none }}", { attributes: { name: "Ada" } }],
      [
        '{{ device.attributes["a.b"] | append: device.attributes.points }}',
        { attributes: { "a.b": "dot", points: 7 } },
      ],
      ["{{ device.attributes.tags[0] }}", { attributes: { tags: ["x", "y"] } }],
      [
        "{% if device.attributes.last %}{{ device.locale }}{% endif %}",
        { attributes: { last: false }, locale: "nl-NL" },
      ],
      ["{{ device.attributes[device.attributes.key] }}", { attributes: facts.attributes }],
      ["{{ location.name }}{{ location.external_id }}", { location: { name: "Store" } }],
      ["{{ campaign.name }}{{ device.platform }}", { campaign: "Autumn", platform: "ios" }],
      ["{{ event.total }}{% if event.none %}{% endif %}", { event: { total: 7 } }],
      ["{{ event[device.attributes.key] }}", { attributes: { key: "name" }, event: facts.event }],
      ["{% case device.timezone %}{% when 'UTC' %}{% endcase %}", { timezone: "Europe/Amsterdam" }],
    ];
    for (const [body, kept] of cases) {
      const source = content({ body: `${body}.` });
      assert.deepStrictEqual(keptOf(source) as object, kept, body);
      assert.deepStrictEqual(keptFacts(facts, readFacts(source, variablesOf(source))), kept, body);
    }
  });

  it("translations are chosen by the locale that is kept, and read what their texts read (T7)", () => {
    const name = "{{ device.attributes.name }}";
    const translations = {
      nl: { headline: name },
      de: { questions: [{ question_text: "{{ campaign.name }}" }] },
    };
    const source = content({ translations });
    assert.deepStrictEqual(keptOf(source), { attributes: { name: "Ada" }, locale: "nl-NL" });
    assert.deepStrictEqual([...variablesOf(source)].toSorted(), ["campaign.name", "device.attributes.name"]);
    assert.deepStrictEqual(keptOf(content({ template: null, translations })), { locale: "nl-NL" });
  });

  it("the kept facts of any template render the same words as all facts (T7)", () => {
    const value = fc.constantFrom(...variables);
    const node = fc.oneof(
      value.map((each) => `{{ ${each} }}`),
      fc.tuple(value, value, value).map(([test, yes, no]) => {
        const condition = test.includes("|") ? "device.locale" : test;
        return `{% if ${condition} == "Ada" %}{{ ${yes} }}{% else %}{{ ${no} }}{% endif %}`;
      }),
    );
    const text = fc.array(node, { minLength: 1, maxLength: 3 }).map((nodes) => `-${nodes.join(" ")}`);
    fc.assert(
      fc.property(text, text, fc.option(text), (headline, body, dutch) => {
        const source = content({
          headline,
          body,
          translations: dutch === null ? null : { nl: { headline: dutch } },
        });
        const whole = recipientOf(facts, now).render(source);
        const stored = (kept: unknown) => JSON.parse(JSON.stringify(kept)) as object;
        assert.deepStrictEqual(recipientOf(stored(keptOf(source)), now).render(source), whole);
        const ofSend = keptFacts(facts, readFacts(source, variablesOf(source)));
        assert.deepStrictEqual(recipientOf(stored(ofSend), now).render(source), whole);
      }),
      { numRuns: cases(500) },
    );
  });
});
