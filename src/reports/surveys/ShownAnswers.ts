/** Answers as the platform API shows them (contract M4): of the questions that the survey asks now. */
import { Predicate } from "effect";
import type { Question } from "../../notifications/Survey.ts";
import type { ShownAnswer } from "./SurveyResult.ts";

/** An answer as it is stored: choices by their ids; null for an open text that was erased. */
export interface StoredAnswer {
  readonly question_id: string;
  readonly value: unknown;
}

const textsOf = ({ choices }: Question, value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [value]).flatMap((id) =>
    choices.filter((choice) => choice.id === id).map(({ text }) => text),
  );

const isWholeWithin = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

/** The value as the question shows it; undefined if the question as it is now has no such value. */
const shownValue = (question: Question, value: unknown): ShownAnswer["value"] | undefined => {
  switch (question.type) {
    case "SINGLE_CHOICE":
      return textsOf(question, value)[0];
    case "MULTIPLE_CHOICE": {
      const texts = textsOf(question, value);
      return texts.length === 0 ? undefined : texts;
    }
    case "RATING":
      return isWholeWithin(value, 1, 5) ? value : undefined;
    case "SLIDER":
      return isWholeWithin(value, 0, 100) ? value : undefined;
    case "NUMBER":
      return Predicate.isNumber(value) ? value : undefined;
    case "BOOLEAN":
      return Predicate.isBoolean(value) ? value : undefined;
    case "OPEN_ENDED":
      return Predicate.isString(value) || value === null ? value : undefined;
  }
};

/** The answers to the questions, in their order. */
export const shownAnswers = (
  questions: ReadonlyArray<Question>,
  answers: ReadonlyArray<StoredAnswer>,
): ReadonlyArray<ShownAnswer> =>
  questions.flatMap((question) => {
    const answer = answers.find(({ question_id }) => question_id === question.id);
    const value = answer === undefined ? undefined : shownValue(question, answer.value);
    return value === undefined ? [] : [{ question_id: question.id, value }];
  });
