import { Predicate, type Schema, Struct } from "effect";
import { say } from "../wire/Explain.ts";
import type { Problems } from "../wire/Problems.ts";
import { submit } from "../wire/Submission.ts";
import { ChoiceDraft, QuestionDraft } from "./Survey.ts";

const mostQuestions = 5;
/** Fewest choices of a choice question. */
export const fewestChoices = 2;
const mostChoices = 4;

/** What a survey's count of questions must be. */
export const questionCount = `A survey needs 1 to ${mostQuestions} questions.`;
/** What a choice question's count of choices must be. */
export const choiceCount = `A question of this type needs ${fewestChoices} to ${mostChoices} choices.`;

/** A choice of which only what could be read is there. */
export type SentChoice = Partial<ChoiceDraft>;
/** A question of which only what could be read is there. */
export type SentQuestion = Partial<Omit<QuestionDraft, "choices">> & {
  /** Undefined where the choices could not be read; none is an empty list. */
  readonly choices: ReadonlyArray<SentChoice> | undefined;
};

const QuestionHead = QuestionDraft.mapFields(Struct.omit(["choices"]));

/**
 * Reads a list of objects each by itself, so that everything wrong with each is said at once (contract B4). One that is too
 * long is not looked into: each of a million bad entries would get its own sentence.
 */
const readEach = <A>(
  value: unknown,
  path: string,
  most: { readonly count: number; readonly sentence: string },
  problems: Problems,
  read: (entry: { readonly [field: string]: unknown }, path: string) => A,
): ReadonlyArray<A> | undefined => {
  if (value === undefined || value === null) return [];
  const refuse = (sentence: string, at: ReadonlyArray<PropertyKey>) =>
    problems.add(at.map(String).join("."), say(sentence, at));
  const names: ReadonlyArray<PropertyKey> = path.split(".");
  if (!Array.isArray(value)) {
    refuse("The {field} must be a list.", names);
    return undefined;
  }
  if (value.length > most.count) {
    refuse(most.sentence, names);
    return undefined;
  }
  return value.map((entry: unknown, at) => {
    if (Predicate.isObject(entry) && !Array.isArray(entry)) return read(entry, `${path}.${at}`);
    refuse("The {field} must be an object.", [...names, at]);
    return read({}, "");
  });
};

const readFields = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  entry: { readonly [field: string]: unknown },
  path: string,
  problems: Problems,
) => {
  const read = submit(schema, entry);
  // An entry that is no object has said so already.
  if (path === "") return read.fields;
  for (const [name, sentences] of Object.entries(read.problems.fields)) {
    for (const sentence of sentences) problems.add(`${path}.${name}`, sentence);
  }
  return read.fields;
};

/** Reads the questions of a body. Undefined where they could not be read at all; none is an empty list. */
export const readQuestions = (value: unknown, problems: Problems): ReadonlyArray<SentQuestion> | undefined =>
  readEach(
    value,
    "questions",
    { count: mostQuestions, sentence: questionCount },
    problems,
    (entry, path) => ({
      ...readFields(QuestionHead, entry, path, problems),
      choices: readEach(
        entry["choices"],
        `${path}.choices`,
        { count: mostChoices, sentence: choiceCount },
        problems,
        (choice, at) => readFields(ChoiceDraft, choice, at, problems),
      ),
    }),
  );
