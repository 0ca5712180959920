import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, survey } from "./NotificationWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const rating = { question_text: "How was it?", type: "RATING" };
const choosing = (...texts: ReadonlyArray<string>) => ({
  question_text: "Which one?",
  type: "SINGLE_CHOICE",
  choices: texts.map((text) => ({ text })),
});

layer(TestWaypost.layer)("Surveys", (it) => {
  it.effect(
    "a survey asks questions of all seven types, with choices shown as texts " +
      "(notifications.shown_questions, questions.required, questions.type)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const choices = [{ text: " Bread " }, { text: "Cheese" }, { text: "Fish" }, { text: "Tea" }];
        const first = yield* world.sandbox(path, {
          body: survey([
            { question_text: " What else? ", type: "OPEN_ENDED" },
            { question_text: "Which one?", type: "SINGLE_CHOICE", required: true, choices },
            {
              question_text: "Which ones?",
              type: "MULTIPLE_CHOICE",
              required: false,
              choices: choices.slice(0, 2),
            },
            { question_text: "How was it?", type: "RATING", choices: [] },
            { question_text: "Again?", type: "BOOLEAN", choices: null, required: null },
          ]),
        });
        assert.strictEqual(first.status, 201);
        const { questions, type } = first.body.data;
        assert.strictEqual(type, "survey");
        const shown = (
          text: string,
          type: string,
          required: boolean,
          choices: ReadonlyArray<string>,
          at: number,
        ) => ({
          id: questions[at].id,
          question_text: text,
          type,
          required,
          choices,
        });
        assert.deepStrictEqual(questions, [
          shown("What else?", "OPEN_ENDED", false, [], 0),
          shown("Which one?", "SINGLE_CHOICE", true, ["Bread", "Cheese", "Fish", "Tea"], 1),
          shown("Which ones?", "MULTIPLE_CHOICE", false, ["Bread", "Cheese"], 2),
          shown("How was it?", "RATING", false, [], 3),
          shown("Again?", "BOOLEAN", false, [], 4),
        ]);
        const second = yield* world.sandbox(path, {
          body: survey([
            { question_text: "How many?", type: "NUMBER" },
            { question_text: "How warm?", type: "SLIDER" },
          ]),
        });
        assert.strictEqual(second.status, 201);
        const list = (yield* world.sandbox(path)).body.data;
        assert.deepStrictEqual(list, [first.body.data, second.body.data]);
      }),
  );

  it.effect(
    "a survey has one to five questions; choice questions have two to four choices, others none " +
      "(F2.1, F2.3, notifications.questions, questions.choices)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const fields = (questions: unknown) =>
          Effect.map(world.sandbox(path, { body: survey([], { questions }) }), ({ body }) =>
            Object.keys(body.error?.fields ?? {}),
          );
        const many = (count: number) => Array.from({ length: count }, (_, at) => `Choice ${at}`);
        for (const none of [undefined, null, []]) assert.deepStrictEqual(yield* fields(none), ["questions"]);
        assert.deepStrictEqual(yield* fields(Array.from({ length: 5 }, () => rating)), []);
        assert.deepStrictEqual(yield* fields(Array.from({ length: 6 }, () => ({}))), ["questions"]);
        assert.deepStrictEqual(yield* fields({ 0: rating }), ["questions"]);
        assert.deepStrictEqual(yield* fields([choosing(...many(2)), choosing(...many(4))]), []);
        for (const type of ["SINGLE_CHOICE", "MULTIPLE_CHOICE"]) {
          for (const choices of [
            undefined,
            null,
            [],
            [{ text: "A" }],
            many(5).map((text) => ({ text })),
            "A, B",
          ]) {
            const question = { question_text: "Which?", type, choices };
            assert.deepStrictEqual(yield* fields([rating, question]), ["questions.1.choices"]);
          }
        }
        for (const type of ["OPEN_ENDED", "RATING", "BOOLEAN", "NUMBER", "SLIDER"]) {
          assert.deepStrictEqual(yield* fields([{ question_text: "?", type, choices: [{ text: "A" }] }]), [
            "questions.0.choices",
          ]);
        }
      }),
  );

  it.effect("the choices of a question must differ, because an answer may name one by its text", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const { body } = yield* world.sandbox(path, { body: survey([choosing("A", "B", " A")]) });
      assert.deepStrictEqual(Object.keys(body.error.fields), ["questions.0.choices.2.text"]);
    }),
  );

  it.effect(
    "a question without id keeps its own by text and type wherever it moves, else it is new (F4.3)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const { data } = (yield* world.sandbox(path, { body: survey([rating, choosing("A", "B")]) })).body;
        const [first, second] = data.questions;
        const patch = (questions: ReadonlyArray<object>) =>
          Effect.map(
            world.sandbox(`${path}/${data.id}`, { method: "PATCH", body: survey(questions) }),
            ({ body }) => body.data.questions.map((question: { id: string }) => question.id),
          );
        assert.deepStrictEqual(yield* patch([choosing("B", "A"), rating]), [second.id, first.id]);
        assert.deepStrictEqual(yield* patch([{ ...rating, required: true }]), [first.id]);
        // The choice question was removed: it comes back as a new one.
        const [kept, again] = yield* patch([rating, choosing("A", "B")]);
        assert.strictEqual(kept, first.id);
        assert.notStrictEqual(again, second.id);
        const changed = yield* patch([
          { ...rating, type: "SLIDER" },
          { ...choosing("A", "B"), question_text: "Which?" },
        ]);
        assert.notIncludeMembers(changed, [first.id, again]);
      }),
  );

  it.effect("a question or choice with its id keeps it whatever else changes (F4.1, questions.id)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const { data } = (yield* world.sandbox(path, { body: survey([rating, choosing("A", "B")]) })).body;
      const stored = yield* world.questions(data.id);
      const [first, second] = stored;
      const patched = yield* world.sandbox(`${path}/${data.id}`, {
        method: "PATCH",
        body: survey([
          {
            id: second?.id.toUpperCase(),
            question_text: "Which ones?",
            type: "MULTIPLE_CHOICE",
            choices: [{ text: "C" }, { id: second?.choices[0]?.id, text: "Apple" }, { text: "B" }],
          },
          { id: first?.id, question_text: "How bad was it?", type: "SLIDER" },
        ]),
      });
      assert.strictEqual(patched.status, 200);
      const after = yield* world.questions(data.id);
      assert.deepStrictEqual(
        after.map((question) => [question.id, question.question_text, question.type]),
        [
          [second?.id, "Which ones?", "MULTIPLE_CHOICE"],
          [first?.id, "How bad was it?", "SLIDER"],
        ],
      );
      const [added, ...kept] = after[0]?.choices ?? [];
      assert.deepStrictEqual(kept, [
        { id: second?.choices[0]?.id, text: "Apple" },
        { id: second?.choices[1]?.id, text: "B" },
      ]);
      assert.isFalse(second?.choices.some((choice) => choice.id === added?.id));
    }),
  );

  it.effect(
    "an id of another notification, or used twice, is 422 at its index, also on create " +
      "(F4.2, errors.dots, questions.id)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const make = Effect.map(
          world.sandbox(path, { body: survey([rating, choosing("A", "B")]) }),
          ({ body }) => body.data.id,
        );
        const [mine, other] = [yield* make, yield* make];
        const [, foreign] = yield* world.questions(other);
        const [own, choice] = yield* world.questions(mine);
        const fields = (questions: ReadonlyArray<object>, id?: string) =>
          Effect.map(
            world.sandbox(id === undefined ? path : `${path}/${id}`, {
              method: id === undefined ? "POST" : "PATCH",
              body: survey(questions),
            }),
            ({ body }) => Object.keys(body.error?.fields ?? {}),
          );
        assert.deepStrictEqual(yield* fields([{ id: own?.id, ...rating }]), ["questions.0.id"]);
        assert.deepStrictEqual(yield* fields([{ id: foreign?.id, ...choosing("A", "B") }], mine), [
          "questions.0.id",
        ]);
        assert.deepStrictEqual(
          yield* fields(
            [
              { id: unknownId, ...rating },
              { id: "nonsense", ...rating },
            ],
            mine,
          ),
          ["questions.1.id", "questions.0.id"],
        );
        const twice = { id: own?.id, ...rating };
        assert.deepStrictEqual(yield* fields([twice, twice], mine), ["questions.1.id"]);
        // A choice of another notification, the same one twice, and those of a question for a new question.
        const chosen = (...ids: ReadonlyArray<string | undefined>) => ({
          ...choosing("X", "Y"),
          id: choice?.id,
          choices: ids.map((id, at) => ({ id, text: `Text ${at}` })),
        });
        const [a, b] = choice?.choices ?? [];
        assert.deepStrictEqual(yield* fields([chosen(a?.id, foreign?.choices[0]?.id)], mine), [
          "questions.0.choices.1.id",
        ]);
        assert.deepStrictEqual(yield* fields([chosen(a?.id, a?.id)], mine), ["questions.0.choices.1.id"]);
        assert.deepStrictEqual(
          yield* fields([{ ...chosen(a?.id, b?.id), id: null, question_text: "New?" }], mine),
          ["questions.0.choices.0.id", "questions.0.choices.1.id"],
        );
        assert.deepStrictEqual(yield* fields([chosen(b?.id, a?.id)], mine), []);
      }),
  );

  it.effect("a message can become a survey, and a survey without answers a message (F4.5)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const { id } = (yield* world.sandbox(path, { body: message() })).body.data;
      const patch = (body: object) => world.sandbox(`${path}/${id}`, { method: "PATCH", body });
      const asked = yield* patch(survey([rating]));
      assert.deepStrictEqual([asked.body.data.type, asked.body.data.questions.length], ["survey", 1]);
      const changed = yield* patch(message());
      assert.deepStrictEqual([changed.body.data.type, changed.body.data.questions], ["message", []]);
    }),
  );

  it.effect(
    "the text of a question has 1 to 500 characters, and that of a choice is required (questions.text)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const fields = (question: object) =>
          Effect.map(world.sandbox(path, { body: survey([question]) }), ({ body }) =>
            Object.keys(body.error?.fields ?? {}),
          );
        assert.deepStrictEqual(yield* fields({ ...rating, question_text: "🎈".repeat(500) }), []);
        for (const question_text of ["🎈".repeat(501), " ", null, undefined, 7]) {
          assert.deepStrictEqual(yield* fields({ ...rating, question_text }), ["questions.0.question_text"]);
        }
        for (const text of ["", null, undefined, 7]) {
          const question = { ...choosing("A"), choices: [{ text: "A" }, { text }] };
          assert.deepStrictEqual(yield* fields(question), ["questions.0.choices.1.text"]);
        }
      }),
  );
});
