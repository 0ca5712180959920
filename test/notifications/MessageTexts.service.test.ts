import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, survey } from "./NotificationWorld.ts";

const liquid = (more: object) => message({ template: "liquid", ...more });
const question = {
  question_text: "Which one?",
  type: "SINGLE_CHOICE",
  choices: [{ text: "Bread" }, { text: "Cheese" }],
};

layer(TestWaypost.layer)("MessageTexts", (it) => {
  it.effect("a template and translations are stored and shown as they were written (O1.1, O2.1)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const translations = {
        "pt-br": { headline: "Olá {{ device.attributes.name }}", questions: [{ question_text: "Qual?" }] },
        NL: { body: "Welkom", questions: [{ choices: ["Brood", null] }] },
      };
      const sent = survey([question], {
        template: "liquid",
        headline: "Hi {{ campaign.name }}",
        translations,
      });
      const made = yield* world.sandbox(path, { body: sent });
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      assert.strictEqual(made.body.data.template, "liquid");
      assert.strictEqual(made.body.data.headline, "Hi {{ campaign.name }}");
      assert.deepStrictEqual(made.body.data.translations, translations);
      const one = `${path}/${made.body.data.id}`;
      assert.deepStrictEqual((yield* world.sandbox(one)).body.data.translations, translations);
      const cleared = yield* world.sandbox(one, { method: "PATCH", body: survey([question]) });
      assert.deepInclude(cleared.body.data, { template: null, translations: null });
    }),
  );

  it.effect(
    "parts of a translation may be null or empty, and are then those of the notification (O2.7)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const { body } = yield* world.sandbox(yield* world.geo(), {
          body: survey([question], {
            translations: {
              de: { headline: " ", body: null, questions: [{ question_text: null, choices: null }] },
              nl: { headline: "Hallo", questions: null },
              fr: { questions: [null] },
            },
          }),
        });
        assert.deepStrictEqual(body.data.translations, {
          de: { questions: [{}] },
          nl: { headline: "Hallo" },
          fr: { questions: [{}] },
        });
      }),
  );

  it.effect("every field that is no valid template is refused with line and reason (O1.4, O1.9)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const body = liquid({
        type: "survey",
        headline: "{{ device.nme }}",
        body: "a\n{% for x in y %}",
        cta_label: "{{ 'a' | nope }}",
        cta_url: "shop://{{ x",
        questions: [{ ...question, question_text: "{% if true %}" }],
        translations: { nl: { headline: "{{ }}" } },
      });
      const refused = yield* world.sandbox(path, { body });
      assert.strictEqual(refused.status, 422);
      const { fields } = refused.body.error;
      assert.deepStrictEqual(Object.keys(fields).sort(), [
        "body",
        "cta_label",
        "cta_url",
        "headline",
        "questions.0.question_text",
        "translations.nl.headline",
      ]);
      assert.match(fields.headline[0], /^The headline is not a valid template: line 1: there is no variable/);
      assert.match(fields.body[0], /line 2: there is no tag for; there are if, unless, case/);
      const literal = yield* world.sandbox(path, { body: { ...body, cta_url: "shop://x", template: null } });
      assert.strictEqual(literal.status, 201, JSON.stringify(literal.body));
    }),
  );

  it.effect(
    "too many tags are refused at their text, or at translations if only all are too many (O1.11)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const fieldsOf = (fields: object) =>
          Effect.map(world.sandbox(path, { body: liquid(fields) }), ({ body, status }) =>
            status === 422 ? body.error.fields : status,
          );
        const inLanguages = (count: number, body: string) =>
          Object.fromEntries(["nl", "de", "fr", "es", "it"].slice(0, count).map((tag) => [tag, { body }]));
        assert.deepStrictEqual(yield* fieldsOf({ body: "{{1}} ".repeat(16_500) }), {
          body: ["The body is not a valid template: line 1: a text may have at most 1,000 tags."],
        });
        const thousand = "{{1}} ".repeat(1_000);
        assert.strictEqual(yield* fieldsOf({ body: "x", translations: inLanguages(5, thousand) }), 201);
        const together = {
          translations: ["The texts of a template may have at most 5,000 tags in all languages together."],
        };
        const all = { body: thousand, translations: inLanguages(5, thousand) };
        assert.deepStrictEqual(yield* fieldsOf(all), together);
        const own = yield* fieldsOf({ ...all, body: `${thousand}{{1}}` });
        assert.deepStrictEqual(Object.keys(own), ["body"]);
        const long = { body: "x", translations: inLanguages(3, "a".repeat(90_000)) };
        assert.deepStrictEqual(yield* fieldsOf(long), {
          translations: [
            "The texts of a template may have at most 250,000 characters in all languages together.",
          ],
        });
        assert.strictEqual(yield* fieldsOf({ ...long, template: null }), 201);
      }),
  );

  it.effect("the template is liquid or null, and limits hold for it as it is written (O1.1)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const refused = yield* world.sandbox(path, { body: message({ template: "mustache" }) });
      assert.deepStrictEqual(refused.body.error.fields, {
        template: ['The template must be "liquid", or null for literal texts.'],
      });
      const long = liquid({ headline: `{{ campaign.name | default: "${"a".repeat(40)}" }}` });
      const answer = yield* world.sandbox(path, { body: long });
      assert.deepStrictEqual(Object.keys(answer.body.error.fields), ["headline"]);
    }),
  );

  it.effect("a translation that does not fit its notification is refused at it (O2.3, O2.5, O2.7)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const fieldsOf = (translations: unknown, more: object = {}) =>
        Effect.map(world.sandbox(path, { body: survey([question], { translations, ...more }) }), ({ body }) =>
          Object.keys(body.error?.fields ?? {}),
        );
      const button = { cta_label: "Go", cta_url: "shop://x" };
      for (const [translations, fields, more] of [
        [[], ["translations"]],
        ["nl", ["translations"]],
        [Object.fromEntries([...Array(51).keys()].map((n) => [`en-x-${n}`, {}])), ["translations"]],
        [{ pt_BR: {} }, ["translations.pt_BR"]],
        [{ "i-klingon": {} }, ["translations.i-klingon"]],
        [{ "x-y": {} }, ["translations.x-y"]],
        [{ "": {} }, ["translations."]],
        [{ "pt-BR": {}, "PT-br": {} }, ["translations.PT-br"]],
        [{ nl: "Hallo" }, ["translations.nl"]],
        [{ nl: { headline: "a".repeat(66) } }, ["translations.nl.headline"]],
        [{ nl: { headline: 5 } }, ["translations.nl.headline"]],
        [
          { nl: { cta_label: "Ga", cta_url: "shop://y" } },
          ["translations.nl.cta_label", "translations.nl.cta_url"],
        ],
        [{ nl: { cta_label: "Ga" } }, [], button],
        [{ nl: { cta_url: "javascript:x" } }, ["translations.nl.cta_url"], button],
        [{ nl: { questions: [] } }, ["translations.nl.questions"]],
        [{ nl: { questions: [{}, {}] } }, ["translations.nl.questions"]],
        [{ nl: { questions: {} } }, ["translations.nl.questions"]],
        [{ nl: { questions: ["x"] } }, ["translations.nl.questions.0"]],
        [
          { nl: { questions: [{ question_text: "a".repeat(501) }] } },
          ["translations.nl.questions.0.question_text"],
        ],
        [{ nl: { questions: [{ choices: ["Ja"] }] } }, ["translations.nl.questions.0.choices"]],
        [{ nl: { questions: [{ choices: ["A", "B", "C"] }] } }, ["translations.nl.questions.0.choices"]],
        [{ nl: { questions: [{ choices: ["A", 5] }] } }, ["translations.nl.questions.0.choices.1"]],
        [{ nl: { questions: [{ choices: ["A", "A"] }] } }, ["translations.nl.questions.0.choices.1"]],
        [{ nl: { questions: [{ choices: ["Cheese", null] }] } }, ["translations.nl.questions.0.choices.1"]],
      ] as const)
        assert.deepStrictEqual(yield* fieldsOf(translations, more), [...fields]);
    }),
  );
});
