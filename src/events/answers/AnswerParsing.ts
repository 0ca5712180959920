import { Predicate } from "effect";
import type { Question } from "../../notifications/Survey.ts";
import { fieldSentence } from "../../wire/SchemaProblems.ts";
import type { Problems } from "../../wire/Problems.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { type Answer, AnswerHead, type AnswerValue } from "./Answer.ts";
import { readValue } from "./AnswerValue.ts";

/** The answer to a question: its index in the request, and its value if that is valid. */
interface Given {
  readonly index: number;
  readonly value: AnswerValue | null;
  readonly isWrong: boolean;
}

/** The question that an entry answers; null if that is invalid. */
const questionOf = (
  sent: unknown,
  index: number,
  known: ReadonlyMap<string, Question>,
  problems: Problems,
): Question | null => {
  const field = `answers.${index}`;
  if (!Predicate.isObject(sent) || Array.isArray(sent)) {
    problems.add(field, fieldSentence("The {field} must be an object.", ["answers", index]));
    return null;
  }
  const head = parseFields(AnswerHead, sent);
  for (const sentence of head.problems.fields["question_id"] ?? []) {
    problems.add(`${field}.question_id`, sentence);
  }
  const id = head.fields.question_id;
  if (id === undefined) return null;
  const question = known.get(id) ?? null;
  if (question === null) {
    problems.add(`${field}.question_id`, "The question id must be one of a question of this message.");
  }
  return question;
};

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
    const question = questionOf(entry, index, known, problems);
    if (question === null) return;
    if (given.has(question.id)) {
      problems.add(
        `answers.${index}.question_id`,
        "The question can be answered once: leave one answer out.",
      );
      return;
    }
    const inLanguages = languages.flatMap((each) => each.find(({ id }) => id === question.id) ?? []);
    const result = readValue(question, (entry as { readonly value?: unknown }).value, inLanguages);
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
