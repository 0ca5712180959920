import { Struct } from "effect";
import type { Problems } from "../wire/Problems.ts";
import { parseList, parseObject } from "../wire/ListParsing.ts";
import { ChoiceDraft, QuestionDraft } from "./Survey.ts";

const maxQuestions = 5;
/** The least choices of a choice question. */
export const minChoices = 2;
const maxChoices = 4;

/** The sentence for a survey with a wrong number of questions. */
export const questionCount = `A survey needs 1 to ${maxQuestions} questions.`;
/** The sentence for a choice question with a wrong number of choices. */
export const choiceCount = `A question of this type needs ${minChoices} to ${maxChoices} choices.`;

/** A choice with the fields that could be parsed. */
export type ParsedChoice = Partial<ChoiceDraft>;
/** A question with the fields that could be parsed. */
export type ParsedQuestion = Partial<Omit<QuestionDraft, "choices">> & {
  /** Undefined if the choices are not a list or too many; empty for none. */
  readonly choices: ReadonlyArray<ParsedChoice> | undefined;
};

const QuestionHead = QuestionDraft.mapFields(Struct.omit(["choices"]));

/** Parses the questions of a body. Undefined if they are not a list or too many; empty for none. */
export const parseQuestions = (
  value: unknown,
  problems: Problems,
): ReadonlyArray<ParsedQuestion> | undefined =>
  parseList(
    value,
    "questions",
    { max: maxQuestions, sentence: questionCount },
    problems,
    (question, path) => ({
      ...parseObject(QuestionHead, question, path, problems),
      choices: parseList(
        question?.["choices"],
        `${path}.choices`,
        { max: maxChoices, sentence: choiceCount },
        problems,
        (choice, choicePath) => parseObject(ChoiceDraft, choice, choicePath, problems),
      ),
    }),
  );
