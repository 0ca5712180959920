import { Struct } from "effect";
import type { Problems } from "../wire/Problems.ts";
import { readEach, readFields } from "../wire/SentList.ts";
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
