import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, sent, survey } from "./NotificationWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

layer(TestWaypost.layer)("Rules on the content of a notification", (it) => {
  it.effect(
    "all problems of a body are reported together, each at its field in a sentence " +
      "(B4.1, B6, errors.dots, questions.choices)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo({ starts_at: "2026-11-22" });
        const wrong = {
          name: "x".repeat(256),
          type: "survey",
          headline: " ",
          body: null,
          media_asset_id: unknownId,
          cta_label: 5,
          cta_url: "javascript:alert(1)",
          questions: [
            { question_text: "x".repeat(501), type: "RATING", choices: [{ text: "A" }] },
            "no object",
            { id: unknownId, question_text: "Why?", type: "SINGLE_CHOICE", choices: [{ text: "" }] },
            { question_text: "How?", type: "STARS", required: "yes" },
          ],
          trigger_type: "fixed_time",
          trigger_config: { send_at: "09:30" },
          starts_at: "2026-11-21",
          ends_at: "2026-02-30",
        };
        const answer = yield* world.sandbox(path, { body: wrong });
        assert.strictEqual(answer.status, 422);
        assert.strictEqual(answer.body.error.code, "validation_failed");
        const { fields } = answer.body.error;
        assert.deepStrictEqual(Object.keys(fields).sort(), [
          "body",
          "cta_label",
          "cta_url",
          "ends_at",
          "headline",
          "media_asset_id",
          "name",
          "questions.0.choices",
          "questions.0.question_text",
          "questions.1",
          "questions.2.choices",
          "questions.2.choices.0.text",
          "questions.2.id",
          "questions.3.required",
          "questions.3.type",
          "starts_at",
          "trigger_config.send_at",
          "trigger_type",
        ]);
        for (const sentences of Object.values(fields) as ReadonlyArray<ReadonlyArray<string>>) {
          for (const sentence of sentences) assert.match(sentence, /^(The|A|Entry) [^{}]*\.$/);
        }
        assert.deepStrictEqual(fields.trigger_type, [
          "A geo campaign's notifications are triggered by entering or leaving: " +
            "the trigger type must be on_enter, on_exit or on_dwell.",
        ]);
        assert.deepStrictEqual((yield* world.sandbox(path)).body.data, []);
      }),
  );

  it.effect(
    "an update follows the same rules, and a refused one changes nothing " +
      "(notifications.headline, notifications.update)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const { data } = (yield* world.sandbox(path, { body: message() })).body;
        const answer = yield* world.sandbox(`${path}/${data.id}`, {
          method: "PATCH",
          body: message({
            headline: "x".repeat(66),
            cta_url: "data:text/html,x",
            trigger_type: "fixed_time",
          }),
        });
        assert.strictEqual(answer.status, 422);
        assert.deepStrictEqual(Object.keys(answer.body.error.fields).sort(), [
          "cta_label",
          "cta_url",
          "headline",
          "trigger_type",
        ]);
        assert.deepStrictEqual((yield* world.sandbox(`${path}/${data.id}`)).body.data, data);
      }),
  );

  it.effect(
    "name, type, headline, body and trigger type are required, and reported together " +
      "(B5.2, notifications.body, notifications.name, notifications.type)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        for (const body of [{}, { name: "", type: null, headline: "  ", body: null, trigger_type: null }]) {
          const answer = yield* world.sandbox(path, { body });
          assert.deepStrictEqual(Object.keys(answer.body.error.fields), [
            "name",
            "type",
            "headline",
            "body",
            "trigger_type",
          ]);
        }
      }),
  );

  it.effect(
    "texts are counted in code points after trimming, without NUL or lone surrogates " +
      "(B5.1, B5.3, notifications.headline, notifications.name)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const long = { name: "🎈".repeat(255), headline: ` ${"é".repeat(64)}🎈 ` };
        const made = yield* world.sandbox(path, { body: message(long) });
        assert.strictEqual(made.status, 201);
        assert.strictEqual(made.body.data.headline, `${"é".repeat(64)}🎈`);
        const broken = yield* world.sandbox(path, {
          body: `{"name":"a\\u0000b","type":"message","headline":"\\ud800","body":"\\udc00x",
            "trigger_type":"on_enter","cta_label":"\\u0000","cta_url":"shop://\\ud800"}`,
        });
        assert.strictEqual(broken.status, 422);
        assert.includeMembers(Object.keys(broken.body.error.fields), [
          "name",
          "headline",
          "body",
          "cta_label",
          "cta_url",
        ]);
      }),
  );

  it.effect("a button has both a label and an address, or neither (notifications.cta)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const problem = (more: object) =>
        Effect.map(world.sandbox(path, { body: message(more) }), ({ body }) => body.error?.fields);
      assert.deepStrictEqual(yield* problem({ cta_label: "Look" }), {
        cta_url: ["A button needs an address as well as a label."],
      });
      assert.deepStrictEqual(yield* problem({ cta_url: "shop://offers", cta_label: "" }), {
        cta_label: ["A button needs a label as well as an address."],
      });
      assert.deepStrictEqual(Object.keys(yield* problem({ cta_url: 7, cta_label: "Look" })), ["cta_url"]);
      assert.isUndefined(yield* problem({ cta_url: "shop://offers", cta_label: "Look" }));
    }),
  );

  it.effect("questions are for surveys, and media files for messages (F2.1, F2.2)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const question = { question_text: "How was it?", type: "RATING" };
      const fields = (body: object) =>
        Effect.map(world.sandbox(path, { body }), (answer) => answer.body.error?.fields);
      assert.deepStrictEqual(Object.keys(yield* fields(message({ questions: [question] }))), ["questions"]);
      assert.deepStrictEqual(Object.keys(yield* fields(survey([question], { media_asset_id: unknownId }))), [
        "media_asset_id",
      ]);
      for (const id of [unknownId, "nonsense"]) {
        assert.include(
          (yield* fields(message({ media_asset_id: id }))).media_asset_id[0],
          "no media file with this id",
        );
      }
      assert.deepStrictEqual(Object.keys(yield* fields(message({ media_asset_id: 7 }))), ["media_asset_id"]);
    }),
  );

  it.effect(
    "a survey is 422 at type if the plan lacks surveys, also on update (F5.1, notifications.type)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld({ plan: { surveys: false } });
        const path = yield* world.geo();
        const body = survey([{ question_text: "How was it?", type: "RATING" }]);
        const { id } = (yield* world.sandbox(path, { body: message() })).body.data;
        for (const answer of [
          yield* world.sandbox(path, { body }),
          yield* world.sandbox(`${path}/${id}`, { method: "PATCH", body }),
        ]) {
          assert.strictEqual(answer.status, 422);
          assert.deepStrictEqual(answer.body.error.fields, {
            type: ["The plan does not include surveys: the type must be message."],
          });
        }
      }),
  );

  it.effect("the body must be a JSON object of at most 1 MiB, sent as JSON (B3.5)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.push({ starts_at: "2026-11-25" });
      assert.strictEqual((yield* world.sandbox(path, { body: "[]" })).status, 422);
      const csv = { "content-type": "text/csv" };
      assert.strictEqual((yield* world.sandbox(path, { body: sent("09:00"), headers: csv })).status, 415);
      assert.strictEqual(
        (yield* world.sandbox(path, { body: `{"a":"${"x".repeat(1_048_576)}"}` })).status,
        413,
      );
      const long = yield* world.sandbox(path, { body: sent("09:00", { body: "x".repeat(100_001) }) });
      assert.deepStrictEqual(Object.keys(long.body.error.fields), ["body"]);
    }),
  );
});
