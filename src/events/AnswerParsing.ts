import { Predicate } from "effect";
import type { Question } from "../notifications/Survey.ts";
import { fieldSentence } from "../wire/SchemaProblems.ts";
import type { Problems } from "../wire/Problems.ts";
import { parseFields } from "../wire/ParsedBody.ts";
import { type Answer, AnswerHead, type AnswerValue } from "./Answer.ts";
import { readValue } from "./AnswerValue.ts";

/** What became of a question: the place that answers it, and the value if it could be read. */
interface Given {
  readonly place: number;
  readonly value: AnswerValue | null;
  readonly isWrong: boolean;
}

/** Which question an entry answers, as far as that can be read. */
const questionOf = (
  sent: unknown,
  place: number,
  known: ReadonlyMap<string, Question>,
  problems: Problems,
): Question | null => {
  const field = `answers.${place}`;
  if (!Predicate.isObject(sent) || Array.isArray(sent)) {
    problems.add(field, fieldSentence("The {field} must be an object.", ["answers", place]));
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
 * Reads the answers to these questions, each by itself, with everything that is wrong with them added to the problems
 * (contract B4, F5). They come in the order of the questions, those without an answer left out.
 */
export const readAnswers = (
  sent: ReadonlyArray<unknown>,
  questions: ReadonlyArray<Question>,
  problems: Problems,
): ReadonlyArray<Answer> => {
  const known = new Map(questions.map((question) => [question.id, question]));
  const given = new Map<string, Given>();
  sent.forEach((entry, place) => {
    const question = questionOf(entry, place, known, problems);
    if (question === null) return;
    if (given.has(question.id)) {
      problems.add(
        `answers.${place}.question_id`,
        "The question can be answered once: leave one answer out.",
      );
      return;
    }
    const result = readValue(question, (entry as { readonly value?: unknown }).value);
    const isWrong = result._tag === "Wrong";
    given.set(question.id, { place, value: isWrong ? null : result.value, isWrong });
    if (isWrong) {
      problems.add(`answers.${place}.value`, `The answer to "${question.question_text}" ${result.wanted}.`);
    }
  });
  return questions.flatMap((question) => {
    const { isWrong, place, value } = given.get(question.id) ?? { isWrong: false, place: null, value: null };
    if (value !== null) return [{ question_id: question.id, value }];
    if (question.required && !isWrong) {
      problems.add(
        place === null ? "answers" : `answers.${place}.value`,
        `The question "${question.question_text}" must be answered.`,
      );
    }
    return [];
  });
};
