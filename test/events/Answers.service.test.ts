import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { answering, fieldsOf, question } from "./AnswerWorld.ts";
import { oneCampaign } from "./EventWorld.ts";

layer(TestWaypost.layer)("Answers to a survey", (it) => {
  it.effect(
    "answers are stored for questions of all types, choices by id or exact text (F5.3, device.answers)",
    () =>
      Effect.gen(function* () {
        const first = yield* answering([
          question("OPEN_ENDED"),
          question("SINGLE_CHOICE"),
          question("MULTIPLE_CHOICE"),
          question("RATING"),
          question("BOOLEAN"),
        ]);
        const bread = first.message.questions[1].choices[0].id;
        const [one, two] = first.message.questions[2].choices;
        const { body, status } = yield* first.answer({
          4: false,
          3: 5,
          2: ["Cheese", one.id.toUpperCase(), "Bread"],
          1: "Bread",
          0: " Very good. ",
        });
        assert.strictEqual(status, 200);
        const kept = [
          { question_id: first.id(0), value: "Very good." },
          { question_id: first.id(1), value: bread },
          { question_id: first.id(2), value: [two.id, one.id] },
          { question_id: first.id(3), value: 5 },
          { question_id: first.id(4), value: false },
        ];
        assert.deepStrictEqual(body, {
          data: { message_id: first.message.id, answers: kept, answered_at: "2026-11-21T12:00:00+00:00" },
        });
        assert.deepStrictEqual((yield* first.stored)[0]?.answers, kept);

        const second = yield* answering([question("NUMBER"), question("SLIDER")]);
        for (const [number, slider] of [
          [-1.5e-7, 0],
          [1e308, 100],
          [-0, 50],
        ] as const) {
          const answer = yield* second.answer({ 0: number, 1: slider });
          assert.deepStrictEqual(
            answer.body.data?.answers.map(({ value }: any) => value),
            [number + 0, slider],
          );
        }
      }),
  );

  it.effect(
    "an answer with a value of the wrong type is refused under its own field (B4, F5.3, device.answers)",
    () =>
      Effect.gen(function* () {
        const wrong: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
          ["OPEN_ENDED", [5, true, ["text"], {}, "x".repeat(2001), "a\0b", "\uD800"]],
          ["SINGLE_CHOICE", ["bread", "", 0, ["Bread"], randomUUID(), true, { id: "Bread" }]],
          ["MULTIPLE_CHOICE", ["Bread", ["Bread", "Ham"], [null], [["Bread"]], { 0: "Bread" }, 1]],
          ["RATING", [0, 6, 2.5, "3", true, [3], -1]],
          ["SLIDER", [-1, 101, 50.5, "50", null, []]],
        ];
        const world = yield* answering(wrong.map(([type]) => question(type, { required: true })));
        for (let at = 0; at < 7; at++) {
          const { body, status } = yield* world.answer(
            Object.fromEntries(wrong.map(([, values], index) => [index, values[at % values.length]])),
          );
          assert.strictEqual(status, 422);
          assert.deepStrictEqual(
            fieldsOf(body),
            wrong.map((_, index) => `answers.${index}.value`),
          );
          for (const sentences of Object.values(body.error.fields) as ReadonlyArray<ReadonlyArray<string>>) {
            assert.lengthOf(sentences, 1);
            assert.match(sentences[0] ?? "", /^The (answer to|question) ".*\.$/s);
          }
        }
        const other = yield* answering([question("NUMBER"), question("BOOLEAN")]);
        for (const [number, flag] of [
          ["1", "true"],
          [true, 1],
          [[1], 0],
          [{}, []],
        ]) {
          const { body } = yield* other.answer({ 0: number, 1: flag });
          assert.deepStrictEqual(fieldsOf(body), ["answers.0.value", "answers.1.value"]);
        }
        // JSON allows numbers beyond the range of a double.
        const huge = yield* other.send(`{"answers": [{"question_id": "${other.id(0)}", "value": 1e999}]}`);
        assert.deepStrictEqual(fieldsOf(huge.body), ["answers.0.value"]);
        assert.lengthOf(yield* world.stored, 0);
        assert.lengthOf(yield* other.stored, 0);
      }),
  );

  it.effect("a text answer has at most 2,000 characters, counted in code points (B5, F5.3)", () =>
    Effect.gen(function* () {
      const { answer } = yield* answering([question("OPEN_ENDED", { required: true })]);
      assert.strictEqual((yield* answer({ 0: ` ${"\u{1F600}".repeat(2000)} ` })).status, 200);
      assert.strictEqual((yield* answer({ 0: "\u{1F600}".repeat(2001) })).status, 422);
    }),
  );

  it.effect(
    "required questions must be answered; null, an empty list or a blank text is no answer (device.answers)",
    () =>
      Effect.gen(function* () {
        const required = ["OPEN_ENDED", "MULTIPLE_CHOICE", "BOOLEAN"].map((type) =>
          question(type, { required: true }),
        );
        const must = yield* answering([...required, question("RATING")]);
        const none = yield* must.answer({ 0: "  ", 1: [], 2: null, 3: 1 });
        assert.deepStrictEqual(fieldsOf(none.body), [
          "answers.0.value",
          "answers.1.value",
          "answers.2.value",
        ]);
        const missing = yield* must.answer({ 0: "Yes" });
        assert.deepStrictEqual(missing.body.error.fields, {
          answers: [
            'The question "MULTIPLE_CHOICE?" must be answered.',
            'The question "BOOLEAN?" must be answered.',
          ],
        });
        assert.strictEqual((yield* must.answer({ 0: "No", 1: ["Fish"], 2: false })).status, 200);

        const may = yield* answering(
          ["OPEN_ENDED", "MULTIPLE_CHOICE", "SINGLE_CHOICE", "NUMBER"].map((type) => question(type)),
        );
        const some = yield* may.answer({ 0: "", 1: [], 2: null, 3: 0 });
        assert.deepStrictEqual(some.body.data.answers, [{ question_id: may.id(3), value: 0 }]);
        assert.lengthOf(yield* may.stored, 1);
      }),
  );

  it.effect("a list of answers that answers nothing is taken and is no response (K9.3)", () =>
    Effect.gen(function* () {
      const world = yield* answering(
        ["OPEN_ENDED", "MULTIPLE_CHOICE", "NUMBER"].map((type) => question(type)),
      );
      const responses = Effect.map(
        world.production.platform("/reports/surveys"),
        ({ body }) => body.data[0].responses,
      );
      const sendNothing = Effect.gen(function* () {
        for (const answer of [
          yield* world.send({ answers: [] }),
          yield* world.answer({ 0: " ", 1: [], 2: null }),
        ])
          assert.deepStrictEqual([answer.status, answer.body.data.answers], [200, []]);
      });
      yield* sendNothing;
      assert.deepStrictEqual([yield* world.stored, yield* responses], [[], 0]);
      // The first response is dated by its first answer, and an empty list does not take it back.
      yield* TestClock.adjust("1 day");
      assert.strictEqual((yield* world.answer({ 2: 5 })).status, 200);
      yield* TestClock.adjust("1 day");
      yield* sendNothing;
      const [stored] = yield* world.stored;
      assert.deepStrictEqual(stored?.answers, [{ question_id: world.id(2), value: 5 }]);
      assert.strictEqual(stored?.first.getTime(), testStart + 86_400_000);
      assert.strictEqual(yield* responses, 1);
    }),
  );

  it.effect("answers name each question of the message once; any other body is 422 (B3, B4)", () =>
    Effect.gen(function* () {
      const { id, message, notificationId, send, stored } = yield* answering([
        question("RATING"),
        question("BOOLEAN"),
      ]);
      const { body } = yield* send({
        answers: [
          { question_id: id(0).toUpperCase(), value: 1 },
          { question_id: id(0), value: 2 },
          { question_id: notificationId, value: 1 },
          { question_id: "first", value: 1 },
          { value: 1 },
          "RATING",
          null,
          [id(1), true],
        ],
      });
      assert.deepStrictEqual(fieldsOf(body), [
        "answers.1.question_id",
        "answers.2.question_id",
        "answers.3.question_id",
        "answers.4.question_id",
        "answers.5",
        "answers.6",
        "answers.7",
      ]);
      for (const wrong of [{}, { answers: null }, { answers: { 0: 1 } }, { answers: "all" }]) {
        assert.deepStrictEqual(fieldsOf((yield* send(wrong)).body), ["answers"]);
      }
      const many = Array.from({ length: 101 }, () => ({ question_id: id(0), value: 1 }));
      assert.deepStrictEqual(fieldsOf((yield* send({ answers: many })).body), ["answers"]);
      for (const raw of ["", "[]", "{", "5"]) {
        assert.deepStrictEqual(fieldsOf((yield* send(raw)).body), ["body"], raw);
      }
      assert.lengthOf(yield* stored, 0);
      assert.lengthOf(message.questions, 2);
    }),
  );

  it.effect("a message that is not a survey cannot be answered", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone } = yield* oneCampaign();
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      for (const answers of [[], [{ question_id: randomUUID(), value: 1 }]]) {
        const { body, status } = yield* phone.ask(`/messages/${message.id}/answers`, { body: { answers } });
        assert.strictEqual(status, 422);
        assert.deepStrictEqual(body.error.fields, {
          answers: ["The message is no survey: there is nothing to answer."],
        });
      }
    }),
  );

  it.effect("answering another device's or an unknown message is 404 for any body (B1)", () =>
    Effect.gen(function* () {
      const { id, location, message, production, sandbox, send, stored } = yield* answering([
        question("RATING"),
      ]);
      const other = yield* production.phone();
      const [theirs] = (yield* other.sees("enter", location)).deliveries;
      const elsewhere = yield* sandbox.phone();
      const good = { answers: [{ question_id: id(0), value: 1 }] };
      const forged = `${theirs.id.slice(0, 28)}${message.id.slice(28)}`;
      const swapped = `${message.id.slice(0, 28)}${theirs.id.slice(28)}`;
      for (const [phone, to] of [
        [other, message.id],
        [elsewhere, message.id],
        [undefined, theirs.id],
        [undefined, forged],
        [undefined, swapped],
        [undefined, randomUUID()],
        [undefined, "nonsense"],
        [undefined, "%00"],
      ] as const) {
        for (const body of [good, { answers: 5 }, "{"]) {
          const answer = yield* send(body, phone, to);
          assert.deepStrictEqual([answer.status, answer.body.error?.code], [404, "not_found"], to);
        }
      }
      assert.lengthOf(yield* stored, 0);
      assert.strictEqual((yield* send(good, undefined, message.id.toUpperCase())).status, 200);
    }),
  );

  it.effect("a push that may have arrived can be answered until its next attempt (X1a)", () =>
    Effect.gen(function* () {
      const { answer, production } = yield* answering([question("RATING")]);
      const sql = yield* SqlClient.SqlClient;
      const queued = (attempts: number) => sql`
        UPDATE delivery SET status = 'queued', settled_at = NULL, attempts = ${attempts}
        WHERE workspace_id = ${production.workspaceId}`;
      yield* queued(0);
      assert.strictEqual((yield* answer({ 0: 5 })).status, 404);
      yield* queued(1);
      assert.strictEqual((yield* answer({ 0: 5 })).status, 200);
    }).pipe(Effect.orDie),
  );
});
