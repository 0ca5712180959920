import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { hasChoices, type Question, type QuestionDraft } from "../../src/notifications/Survey.ts";
import { checkQuestions, questionsWithIds } from "../../src/notifications/QuestionMatching.ts";
import { Problems } from "../../src/wire/Problems.ts";

const texts = fc.constantFrom("Red", "Green", "Blue", "Black");

const draft: fc.Arbitrary<QuestionDraft> = fc
  .record({
    question_text: fc.constantFrom("One?", "Two?", "Three?"),
    type: fc.constantFrom("SINGLE_CHOICE" as const, "MULTIPLE_CHOICE" as const, "RATING" as const),
    choices: fc.uniqueArray(texts, { minLength: 2, maxLength: 4 }),
  })
  .map(({ choices, question_text, type }) => ({
    question_text,
    type,
    choices: hasChoices(type) ? choices.map((text) => ({ text })) : [],
  }));
const drafts = fc.array(draft, { minLength: 1, maxLength: 5 });

const numbered = (prefix: string) => {
  let made = 0;
  return () => `${prefix}-${++made}`;
};
const idsOf = (questions: ReadonlyArray<Question>) =>
  questions.flatMap(({ choices, id }) => [id, ...choices.map((choice) => choice.id)]);
const problemsOf = (sent: ReadonlyArray<QuestionDraft>, stored: ReadonlyArray<Question>) => {
  const problems = new Problems();
  checkQuestions(
    sent.map((each) => ({ ...each, choices: each.choices ?? [] })),
    stored,
    problems,
  );
  return problems.fields;
};

describe("Matching of questions and choices (F4)", () => {
  it("resubmitting the same questions without ids changes nothing (F4.3)", () => {
    fc.assert(
      fc.property(drafts, (sent) => {
        const stored = questionsWithIds(sent, [], numbered("old"));
        assert.deepStrictEqual(questionsWithIds(sent, stored, numbered("new")), stored);
      }),
    );
  });

  it("resubmitting stored questions with ids in any order changes only the order (F4.1)", () => {
    const shuffled = drafts.chain((sent) => {
      const stored = questionsWithIds(sent, [], numbered("old"));
      return fc.tuple(fc.constant(stored), fc.shuffledSubarray([...stored], { minLength: stored.length }));
    });
    fc.assert(
      fc.property(shuffled, ([stored, sent]) => {
        assert.deepStrictEqual(problemsOf(sent, stored), {});
        assert.deepStrictEqual(questionsWithIds(sent, stored, numbered("new")), sent);
      }),
    );
  });

  it("no id is used twice, and a kept id belonged to the same question (F4.3)", () => {
    fc.assert(
      fc.property(drafts, drafts, (before, sent) => {
        const stored = questionsWithIds(before, [], numbered("old"));
        const after = questionsWithIds(sent, stored, numbered("new"));
        const ids = idsOf(after);
        assert.strictEqual(new Set(ids).size, ids.length);
        for (const question of after) {
          const known = stored.find(({ id }) => id === question.id);
          assert.strictEqual(known === undefined, question.id.startsWith("new"));
          if (known !== undefined) {
            assert.deepStrictEqual(
              [question.question_text, question.type],
              [known.question_text, known.type],
            );
          }
          for (const choice of question.choices.filter(({ id }) => id.startsWith("old"))) {
            assert.deepInclude(known?.choices ?? [], choice);
          }
        }
        // As many questions keep their id as there are pairs with the same text and type.
        const key = (question: QuestionDraft) => `${question.question_text} ${question.type}`;
        const pairs = [...new Set(before.map(key))].map((each) =>
          Math.min(
            before.filter((one) => key(one) === each).length,
            sent.filter((one) => key(one) === each).length,
          ),
        );
        assert.strictEqual(
          after.filter(({ id }) => id.startsWith("old")).length,
          pairs.reduce((sum, count) => sum + count, 0),
        );
      }),
    );
  });

  it("an explicit id takes precedence over a question that is alike (F4.1)", () => {
    const alike = { question_text: "One?", type: "RATING" as const };
    const stored = questionsWithIds([alike, alike], [], numbered("old"));
    const sent = [alike, { ...alike, id: "old-1" }];
    assert.deepStrictEqual(problemsOf(sent, stored), {});
    assert.deepStrictEqual(
      questionsWithIds(sent, stored, numbered("new")).map(({ id }) => id),
      ["old-2", "old-1"],
    );
  });
});
