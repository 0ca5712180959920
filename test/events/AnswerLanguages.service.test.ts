import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { answering, question } from "./AnswerWorld.ts";
import { oneCampaign } from "./EventWorld.ts";

layer(TestWaypost.shared)("Answers in languages", (it) => {
  it.effect("choices are taken by their texts in any language, the device's own first (O2.6)", () =>
    Effect.gen(function* () {
      const choices = (...texts: ReadonlyArray<string | null>) => ({ questions: [{}, { choices: texts }] });
      const translations = {
        nl: choices("Kaas", "Brood", null),
        de: choices("Brot", "Käse", "Fisch"),
        en: choices("Fish", "Bread", "Cheese"),
      };
      const questions = [question("OPEN_ENDED"), question("SINGLE_CHOICE")];
      const world = yield* oneCampaign({}, { type: "survey", questions, translations });
      const { location, phone } = world;
      yield* phone.ask("/devices/me", { method: "PATCH", body: { locale: "nl_NL" } });
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      const { choices: shown, id } = message.questions[1];
      assert.deepStrictEqual(
        shown.map(({ text }: any) => text),
        ["Kaas", "Brood", "Fish"],
      );
      const answered = (value: string) =>
        Effect.map(
          phone.ask(`/messages/${message.id}/answers`, { body: { answers: [{ question_id: id, value }] } }),
          ({ body }) => shown.findIndex((each: any) => each.id === body.data?.answers[0].value),
        );
      // Own language, survey's own before other languages, other languages, none.
      for (const [text, index] of [
        ["Kaas", 0],
        ["Brood", 1],
        ["Bread", 0],
        ["Fish", 2],
        ["Käse", 1],
        ["Pain", -1],
      ] as const)
        assert.strictEqual(yield* answered(text), index, text);
    }),
  );

  it.effect("without translations, answers match the survey's own choices (O2.6)", () =>
    Effect.gen(function* () {
      const world = yield* answering([question("MULTIPLE_CHOICE")]);
      assert.strictEqual((yield* world.answer({ 0: ["Bread", "Fish"] })).status, 200);
      assert.strictEqual((yield* world.answer({ 0: ["Brot"] })).status, 422);
    }),
  );
});
