import { assert, describe, it } from "@effect/vitest";
import { isCheckedAddress } from "../../../src/notifications/ButtonAddress.ts";
import {
  isSameForAll,
  renderTexts,
  type TextSource,
} from "../../../src/notifications/templates/MessageTexts.ts";
import { lookupTag } from "../../../src/notifications/translations/Translation.ts";
import { templateValues } from "./TemplateWorld.ts";

const source = (fields: Partial<TextSource> = {}): TextSource => ({
  headline: "Hello",
  body: "World",
  cta_label: null,
  cta_url: null,
  questions: [],
  template: null,
  translations: null,
  push: null,
  ...fields,
});
const liquid = (fields: Partial<TextSource>) => source({ template: "liquid", ...fields });
const rendered = (content: TextSource, attributes: object = {}, locale: string | null = null) => {
  const result = renderTexts(content, locale, () => templateValues(attributes));
  if (result._tag === "Failed") throw new Error(result.reason);
  return { ...result.texts, cut: result.cut };
};
const failure = (content: TextSource, attributes: object = {}) => {
  const result = renderTexts(content, null, () => templateValues(attributes));
  return result._tag === "Failed" ? result.reason : null;
};
const question = {
  id: "q",
  question_text: "Well, {{ device.attributes.name }}?",
  type: "SINGLE_CHOICE" as const,
  required: false,
  choices: [
    { id: "a", text: "Yes" },
    { id: "b", text: "No" },
  ],
};

describe("MessageTexts", () => {
  it("without a template braces are literal text, and no values are read (O1)", () => {
    const content = source({ headline: "{{ device.attributes.name }}" });
    const result = renderTexts(content, "nl", () => assert.fail("The values were read"));
    assert.deepStrictEqual(result, {
      _tag: "Rendered",
      texts: content,
      cut: [],
      variables: new Set<string>(),
      language: null,
    });
    assert.isTrue(isSameForAll(content));
    assert.isFalse(isSameForAll(liquid({})));
  });

  it("headline, text, button and question texts are rendered; choices are not (O1.1, O1.6)", () => {
    const name = "{{ device.attributes.name }}";
    const texts = rendered(
      liquid({
        headline: `Hi ${name}`,
        body: ` ${name}! `,
        cta_label: `For ${name}`,
        cta_url: `https://example.com/?n={{ device.attributes.name | url_encode }}`,
        questions: [{ ...question, choices: [{ id: "a", text: "{{ x }}" }] }],
      }),
      { name: "Ada L" },
    );
    assert.deepInclude(texts, {
      headline: "Hi Ada L",
      body: "Ada L!",
      cta_label: "For Ada L",
      cta_url: "https://example.com/?n=Ada+L",
    });
    assert.strictEqual(texts.questions[0]?.question_text, "Well, Ada L?");
    assert.strictEqual(texts.questions[0]?.choices[0]?.text, "{{ x }}");
  });

  it("a rendered headline, label and question are cut at their limits, between characters (O1.6)", () => {
    const text = "{{ device.attributes.text }}";
    const content = liquid({
      headline: text,
      cta_label: text,
      cta_url: "shop://x",
      questions: [{ ...question, question_text: text }],
    });
    const texts = rendered(content, { text: "é".repeat(600) });
    assert.strictEqual(texts.headline, "é".repeat(65));
    assert.strictEqual(texts.cta_label, "é".repeat(255));
    assert.strictEqual(texts.questions[0]?.question_text, "é".repeat(500));
    assert.deepStrictEqual(texts.cut, ["headline", "cta_label", "questions.0.question_text"]);
    const family = "👨‍👩‍👧";
    assert.strictEqual(rendered(content, { text: `${"a".repeat(62)}${family}` }).headline, "a".repeat(62));
    assert.deepStrictEqual(rendered(content, { text: "é".repeat(65) }).cut, []);
  });

  it("a body over 10,240 bytes fails, and so does a headline that renders empty (O1.3, O1.6)", () => {
    const text = "{{ device.attributes.text }}";
    assert.isNull(failure(liquid({ body: `${text}${text}` }), { text: "a".repeat(5_120) }));
    assert.strictEqual(
      failure(liquid({ body: `${text}${text}a` }), { text: "a".repeat(5_120) }),
      "The body renders to more than 10,240 bytes.",
    );
    assert.strictEqual(failure(liquid({ headline: text })), "The headline renders empty for this device.");
    assert.strictEqual(
      failure(liquid({ headline: text }), { text: "  " }),
      failure(liquid({ headline: text })),
    );
    assert.strictEqual(rendered(liquid({ body: text })).body, "");
  });

  it("a message goes without a button whose label is empty or whose address cannot be opened (O1.7)", () => {
    const button = { cta_label: "{{ device.attributes.label }}", cta_url: "{{ device.attributes.url }}" };
    const buttonOf = (label: string, url: string) => {
      const { cta_label, cta_url } = rendered(liquid(button), { label, url });
      return [cta_label, cta_url];
    };
    assert.deepStrictEqual(buttonOf("Go", "https://example.com/a b"), ["Go", "https://example.com/a b"]);
    assert.deepStrictEqual(buttonOf("Go", "shop://offers"), ["Go", "shop://offers"]);
    const without: ReadonlyArray<readonly [string, string]> = [
      ["", "https://example.com"],
      ["Go", ""],
      ["Go", "javascript:alert(1)"],
      ["Go", "JavaScript:alert(1)"],
      ["Go", "java\nscript:alert(1)"],
      ["Go", "data:text/html,x"],
      ["Go", "view-source:https://example.com"],
      ["Go", "feed:https://example.com"],
      ["Go", "JAR:https://example.com/a.jar!/b"],
      ["Go", "filesystem:https://example.com/temporary/a"],
      ["Go", "https://example.com/\r\nX: y"],
      ["Go", "https://exa\tmple.com/"],
      ["Go", "https://example.com/\u0000"],
      ["Go", "https://example.com/\u0085a"],
      ["Go", "/offers"],
      ["Go", `https://example.com/${"a".repeat(2_048)}`],
    ];
    for (const [label, url] of without) assert.deepStrictEqual(buttonOf(label, url), [null, null], url);
  });

  it("an address with a host is one by RFC 3986 (O1.10)", () => {
    for (const address of ["https://example.com", "http://[::1]:80/x", "shop://offers/", "https://a@b.c?x"])
      assert.isTrue(isCheckedAddress(address), address);
    for (const address of [
      "https:///x",
      "https://",
      "https://:80/",
      "",
      "/x",
      "mailto:a@b.c",
      "https://a b/",
    ])
      assert.isFalse(isCheckedAddress(address), address);
    assert.isTrue(isCheckedAddress("javascript:"));
  });

  it("lookup finds the tag of a locale as RFC 4647 says (O2.1, O2.4)", () => {
    const tags = ["de", "de-AT", "PT-br", "zh-Hant", "zh-Hant-CN-x-private", "en-a-xyz"];
    const found: ReadonlyArray<readonly [string | null, string | null]> = [
      ["de-AT", "de-AT"],
      ["DE-ch-1996", "de"],
      ["pt_BR", "PT-br"],
      ["pt", null],
      ["zh-TW", null],
      ["zh_Hant_TW", "zh-Hant"],
      ["zh-Hant-CN-x-private1-private2", "zh-Hant"],
      ["zh-Hant-CN-x-private-more", "zh-Hant-CN-x-private"],
      ["en-a", null],
      ["", null],
      ["-", null],
      [null, null],
    ];
    for (const [locale, tag] of found) assert.strictEqual(lookupTag(tags, locale), tag, String(locale));
  });

  it("each part that a translation leaves out is that of the notification (O2.2, O2.7)", () => {
    const content = source({
      cta_label: "Go",
      cta_url: "https://example.com",
      questions: [question, { ...question, id: "r" }],
      translations: {
        nl: { headline: "Hallo", questions: [{}, { question_text: "En?", choices: ["Ja", null] }] },
        de: { cta_label: "Los" },
      },
    });
    const dutch = rendered(content, {}, "nl_BE");
    assert.deepInclude(dutch, { headline: "Hallo", body: "World", cta_label: "Go" });
    assert.deepStrictEqual(dutch.questions[0], question);
    assert.strictEqual(dutch.questions[1]?.question_text, "En?");
    assert.deepStrictEqual(
      dutch.questions[1]?.choices.map(({ text }) => text),
      ["Ja", "No"],
    );
    assert.deepInclude(rendered(content, {}, "de"), { headline: "Hello", cta_label: "Los" });
    assert.deepInclude(rendered(content, {}, "fr"), { headline: "Hello", cta_label: "Go" });
  });

  it("a translation of a template is a template (O1, O2)", () => {
    const content = liquid({ translations: { nl: { headline: "Hoi {{ device.attributes.name }}" } } });
    assert.strictEqual(rendered(content, { name: "Ada" }, "nl").headline, "Hoi Ada");
  });
});
