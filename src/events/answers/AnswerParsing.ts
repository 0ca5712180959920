import type { Question } from "../../notifications/Survey.ts";
import type { Problems } from "../../wire/Problems.ts";
import { readPart } from "../../wire/PartReader.ts";
import { type Answer, AnswerDraft, type AnswerValue } from "./Answer.ts";
import { readValue } from "./AnswerValue.ts";

/** The answer to a question: its index in the request, and its value if that is valid. */
interface Given {
  readonly index: number;
  readonly value: AnswerValue | null;
  readonly isWrong: boolean;
}

/**
 * Reads the answers to questions and adds all their problems (contract B4, F5). Returns them in the order of
 * the questions, without those that have no answer. `languages` has the questions in each language, the
 * device's own first; choices are taken by their texts in any of them (contract O2.6).
 */
export const readAnswers = (
  sent: ReadonlyArray<unknown>,
  questions: ReadonlyArray<Question>,
  problems: Problems,
  languages: ReadonlyArray<ReadonlyArray<Question>> = [questions],
): ReadonlyArray<Answer> => {
  const known = new Map(questions.map((question) => [question.id, question]));
  const given = new Map<string, Given>();
  sent.forEach((entry, index) => {
    const read = readPart(AnswerDraft, entry, problems, ["answers", index]);
    if (read?.question_id === undefined) return;
    const question = known.get(read.question_id);
    if (question === undefined) {
      problems.add(
        `answers.${index}.question_id`,
        "The question id must be one of a question of this message.",
      );
      return;
    }
    if (given.has(question.id)) {
      problems.add(
        `answers.${index}.question_id`,
        "The question can be answered once: leave one answer out.",
      );
      return;
    }
    const inLanguages = languages.flatMap((each) => each.find(({ id }) => id === question.id) ?? []);
    const result = readValue(question, read.value, inLanguages);
    const isWrong = result._tag === "Wrong";
    given.set(question.id, { index, value: isWrong ? null : result.value, isWrong });
    if (isWrong) {
      problems.add(`answers.${index}.value`, `The answer to "${question.question_text}" ${result.wanted}.`);
    }
  });
  return questions.flatMap((question) => {
    const { isWrong, index, value } = given.get(question.id) ?? { isWrong: false, index: null, value: null };
    if (value !== null) return [{ question_id: question.id, value }];
    if (question.required && !isWrong) {
      problems.add(
        index === null ? "answers" : `answers.${index}.value`,
        `The question "${question.question_text}" must be answered.`,
      );
    }
    return [];
  });
};
