import { Predicate } from "effect";
import type { Question } from "../../notifications/Survey.ts";
import { codePoints } from "../../wire/CodePoints.ts";
import { unstorable } from "../../wire/Text.ts";
import type { AnswerValue } from "./Answer.ts";

/** The result of reading a value; `value` is null for no answer. */
export type ReadValue =
  | { readonly _tag: "Read"; readonly value: AnswerValue | null }
  /** The expected value, as the end of a sentence. */
  | { readonly _tag: "Wrong"; readonly wanted: string };

const maxText = 2_000;
const maxChoices = 100;

const none: ReadValue = { _tag: "Read", value: null };
const read = (value: AnswerValue): ReadValue => ({ _tag: "Read", value });
const wrong = (wanted: string): ReadValue => ({ _tag: "Wrong", wanted });

const readText = (sent: unknown): ReadValue => {
  if (!Predicate.isString(sent)) return wrong("must be a text");
  if (unstorable(sent) !== null) return wrong("may not contain the NUL character or half of a character");
  const text = sent.trim();
  if (codePoints(text) > maxText) return wrong("must have at most 2,000 characters");
  return text === "" ? none : read(text);
};

const readNumber = (sent: unknown, isGood: (sent: number) => boolean, wanted: string): ReadValue =>
  // Adding 0 turns negative zero, which the database does not store, into 0.
  Predicate.isNumber(sent) && Number.isFinite(sent) && isGood(sent) ? read(sent + 0) : wrong(wanted);

const isWholeWithin = (min: number, max: number) => (sent: number) =>
  Number.isInteger(sent) && sent >= min && sent <= max;

/**
 * The id of a choice, by its id in any letter case or by its exact text, of one language after the
 * other. The id takes precedence.
 */
const choiceId = (languages: ReadonlyArray<Question>, sent: unknown): string | null => {
  if (!Predicate.isString(sent)) return null;
  const id = sent.toLowerCase();
  const text = sent.trim();
  const choices = languages.flatMap((question) => question.choices);
  const found = choices.find((choice) => choice.id === id) ?? choices.find((choice) => choice.text === text);
  return found?.id ?? null;
};

const quoted = ({ choices }: Question): string => choices.map(({ text }) => `"${text}"`).join(", ");

const readChoices = (question: Question, languages: ReadonlyArray<Question>, sent: unknown): ReadValue => {
  const wanted = `must be a list of its choices, each by its id or exact text: ${quoted(question)}`;
  if (!Array.isArray(sent)) return wrong(wanted);
  if (sent.length > maxChoices) return wrong(wanted);
  const named = new Set<string>();
  for (const each of sent as ReadonlyArray<unknown>) {
    const id = choiceId(languages, each);
    if (id === null) return wrong(wanted);
    named.add(id);
  }
  return named.size === 0 ? none : read([...named]);
};

/**
 * Reads the answer to a question by the rules of its type (contract F5). Null, an empty list for
 * `MULTIPLE_CHOICE` and a blank text are no answer. A choice named twice counts once. `languages` has the
 * question in each language, the device's own first.
 */
export const readValue = (
  question: Question,
  sent: unknown,
  languages: ReadonlyArray<Question> = [question],
): ReadValue => {
  if (sent === undefined || sent === null) return none;
  switch (question.type) {
    case "OPEN_ENDED":
      return readText(sent);
    case "SINGLE_CHOICE": {
      const id = choiceId(languages, sent);
      return id === null
        ? wrong(`must be one of its choices, by its id or exact text: ${quoted(question)}`)
        : read(id);
    }
    case "MULTIPLE_CHOICE":
      return readChoices(question, languages, sent);
    case "RATING":
      return readNumber(sent, isWholeWithin(1, 5), "must be a whole number between 1 and 5");
    case "SLIDER":
      return readNumber(sent, isWholeWithin(0, 100), "must be a whole number between 0 and 100");
    case "NUMBER":
      return readNumber(sent, () => true, "must be a number");
    case "BOOLEAN":
      return Predicate.isBoolean(sent) ? read(sent) : wrong("must be true or false");
  }
};
