import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, survey } from "./NotificationWorld.ts";

const nothing = {
  headline: null,
  body: null,
  cta_label: null,
  cta_url: null,
  media_asset_id: null,
  translations: null,
  push: null,
};

const world = Effect.gen(function* () {
  const made = yield* notificationWorld();
  const path = yield* made.geo();
  const create = (variants: unknown, more: object = {}) =>
    made.sandbox(path, { body: message({ variants, ...more }) });
  return {
    ...made,
    path,
    create,
    problems: (variants: unknown, more: object = {}) =>
      Effect.map(create(variants, more), ({ body, status }) => {
        const fields = Object.keys(body.error?.fields ?? {}).toSorted();
        return status === 422 ? fields : [status];
      }),
  };
});

layer(TestWaypost.layer)("Variants", (it) => {
  it.effect("variants are shown as they were written, with all seven parts (U1, Z2)", () =>
    Effect.gen(function* () {
      const { create, path, sandbox } = yield* world;
      const variants = [
        { key: "b", weight: 30, headline: " Hi ", push: { sound: "none" }, unknown: 1 },
        {
          key: "0_-",
          weight: 1,
          translations: { nl: { body: "Hoi" } },
          cta_label: "Go",
          cta_url: "app://go",
        },
        { key: "a".repeat(16), weight: 68 },
      ];
      const made = yield* create(variants);
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      const { push, ...first } = made.body.data.variants[0];
      assert.deepStrictEqual(first, {
        key: "b",
        weight: 30,
        headline: "Hi",
        body: null,
        cta_label: null,
        cta_url: null,
        media_asset_id: null,
        translations: null,
      });
      assert.deepStrictEqual([push.sound, push.badge], ["none", null]);
      assert.deepStrictEqual(made.body.data.variants.slice(1), [
        {
          ...nothing,
          key: "0_-",
          weight: 1,
          translations: { nl: { body: "Hoi" } },
          cta_label: "Go",
          cta_url: "app://go",
        },
        { ...nothing, key: "a".repeat(16), weight: 68 },
      ]);
      const found = yield* sandbox(`${path}/${made.body.data.id}`);
      assert.deepStrictEqual(found.body.data.variants, made.body.data.variants);
    }),
  );

  it.effect("null, [] and left out are no variants, and an update clears them (Z2)", () =>
    Effect.gen(function* () {
      const { create, path, sandbox } = yield* world;
      for (const none of [null, [], undefined]) {
        const made = yield* create([{ key: "b", weight: 50 }]);
        const body = message({ ...(none !== undefined && { variants: none }) });
        const updated = yield* sandbox(`${path}/${made.body.data.id}`, { method: "PATCH", body });
        assert.deepStrictEqual([updated.status, updated.body.data.variants], [200, []]);
      }
    }),
  );

  it.effect("what is wrong with a variant is named at its field (U1)", () =>
    Effect.gen(function* () {
      const { problems } = yield* world;
      const one = (fields: object) => [{ key: "b", weight: 50, ...fields }];
      const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<unknown>]> = [
        ["b", ["variants"]],
        [{ key: "b" }, ["variants"]],
        [["b"], ["variants.0"]],
        [[{}], ["variants.0.key", "variants.0.weight"]],
        [one({ key: "B" }), ["variants.0.key"]],
        [one({ key: "a".repeat(17) }), ["variants.0.key"]],
        [one({ key: "control" }), ["variants.0.key"]],
        [one({ key: "holdout" }), ["variants.0.key"]],
        [one({ weight: 0 }), ["variants.0.weight"]],
        [one({ weight: 100 }), ["variants.0.weight"]],
        [one({ weight: 1.5 }), ["variants.0.weight"]],
        [one({ weight: "50" }), ["variants.0.weight"]],
        [[...one({}), ...one({ weight: 1 })], ["variants.1.key"]],
        [[...one({}), ...one({ key: "c" })], ["variants"]],
        [[1, 2, 3, 4, 5].map((n) => ({ key: `v${n}`, weight: 1 })), ["variants"]],
        [one({ headline: "h".repeat(66) }), ["variants.0.headline"]],
        [one({ body: "b".repeat(100_001) }), ["variants.0.body"]],
        [one({ cta_label: "Go" }), ["variants.0.cta_url"]],
        [one({ cta_url: "app://go" }), ["variants.0.cta_label"]],
        [one({ media_asset_id: "nope" }), ["variants.0.media_asset_id"]],
        [one({ push: { badge: -1 } }), ["variants.0.push.badge"]],
        [one({ translations: { nl: { cta_label: "Ga" } } }), ["variants.0.translations.nl.cta_label"]],
        [one({ translations: { "no tag": {} } }), ["variants.0.translations.no tag"]],
        [one({ questions: [] }), ["variants.0.questions"]],
        [
          one({ translations: { nl: { questions: [{ question_text: "?" }] } } }),
          ["variants.0.translations.nl.questions"],
        ],
      ];
      for (const [variants, fields] of cases)
        assert.deepStrictEqual(yield* problems(variants), fields, JSON.stringify(variants).slice(0, 80));
    }),
  );

  it.effect("a button is completed from the notification, and templates are checked (Z2, O1)", () =>
    Effect.gen(function* () {
      const { problems } = yield* world;
      const button = { cta_label: "Go", cta_url: "app://go" };
      const labelled = [{ key: "b", weight: 1, cta_label: "Hop", translations: { nl: { cta_label: "Ga" } } }];
      assert.deepStrictEqual(yield* problems(labelled, button), [201]);
      const template = [{ key: "b", weight: 1, headline: "{{ oops", push: { actions: [] } }];
      assert.deepStrictEqual(yield* problems(template, { template: "liquid" }), ["variants.0.headline"]);
      assert.deepStrictEqual(yield* problems(template), [201]);
    }),
  );

  it.effect("a survey has variants of its texts, and none with a media file or a silent push (U1)", () =>
    Effect.gen(function* () {
      const { path, sandbox } = yield* world;
      const ask = (variant: object) =>
        sandbox(path, {
          body: survey([{ question_text: "How?", type: "RATING" }], {
            variants: [{ key: "b", weight: 50, ...variant }],
          }),
        });
      assert.strictEqual((yield* ask({ headline: "How was it?" })).status, 201);
      const silent = yield* ask({ push: { silent: true } });
      assert.hasAllKeys(silent.body.error.fields, ["variants.0.push.silent"]);
    }),
  );
});
