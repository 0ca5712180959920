/**
 * Matches the questions of an edited survey with the stored ones, which keep their ids and so their answers.
 */
import type { Problems } from "../wire/Problems.ts";
import type { Readable } from "../wire/Parts.ts";
import {
  choiceCount,
  type ChoiceDraft,
  hasChoices,
  minChoices,
  type Question,
  type QuestionDraft,
} from "./Survey.ts";

type ReadChoice = Readable<ChoiceDraft>;
type ReadQuestion = Readable<QuestionDraft>;

interface Identified {
  readonly id?: string | null;
}

/**
 * Finds the stored item of each sent item: the one with its id, else the first unmatched one that is alike
 * (contract F4). Null for a new item.
 */
const match = <Sent extends Identified, Stored extends { readonly id: string }>(
  sent: ReadonlyArray<Sent>,
  stored: ReadonlyArray<Stored>,
  isAlike: (sent: Sent, stored: Stored) => boolean,
): ReadonlyArray<Stored | null> => {
  const unmatched = new Map(stored.map((each) => [each.id, each]));
  const take = (found: Stored | undefined): Stored | null => {
    if (found !== undefined) unmatched.delete(found.id);
    return found ?? null;
  };
  const byId = sent.map(({ id }) => (id === undefined || id === null ? null : take(unmatched.get(id))));
  return sent.map((each, index) =>
    each.id === undefined || each.id === null
      ? take([...unmatched.values()].find((known) => isAlike(each, known)))
      : (byId[index] ?? null),
  );
};

const matchQuestions = (sent: ReadonlyArray<ReadQuestion>, stored: ReadonlyArray<Question>) =>
  match(sent, stored, (a, b) => a.question_text === b.question_text && a.type === b.type);

const matchChoices = (sent: ReadonlyArray<ReadChoice>, question: Question | null) =>
  match(sent, question?.choices ?? [], (a: ReadChoice, b) => a.text === b.text);

const checkIds = (
  sent: ReadonlyArray<Identified>,
  matches: ReadonlyArray<object | null>,
  path: string,
  noun: string,
  owner: string,
  problems: Problems,
) => {
  const seen = new Set<string>();
  for (const [index, { id }] of sent.entries()) {
    if (id === undefined || id === null) continue;
    const field = `${path}.${index}.id`;
    if (seen.has(id))
      problems.add(field, `The id of a ${noun} can be used once: leave it out for a new one.`);
    else if (matches[index] === null)
      problems.add(field, `The id must be one of a ${noun} of this ${owner}: leave it out for a new one.`);
    seen.add(id);
  }
};

const checkChoices = (question: ReadQuestion, stored: Question | null, path: string, problems: Problems) => {
  const { type } = question;
  const choices = question.choices ?? [];
  // Choices that are not a list, or too many.
  const areUnread = choices.length === 0 && problems.has(path);
  if (type === undefined || areUnread) return;
  if (!hasChoices(type)) {
    if (choices.length > 0) problems.add(path, `A question of type ${type} has no choices: leave them out.`);
    return;
  }
  if (choices.length < minChoices) problems.add(path, choiceCount);
  checkIds(choices, matchChoices(choices, stored), path, "choice", "question", problems);
  const texts = new Set<string>();
  for (const [index, { text }] of choices.entries()) {
    if (text === undefined) continue;
    // An answer may name a choice by its text.
    if (texts.has(text))
      problems.add(`${path}.${index}.text`, "The text of each choice must differ from the others'.");
    texts.add(text);
  }
};

/** Checks the questions of a survey against the stored ones, and their choices (contract F2, F4). */
export const checkQuestions = (
  questions: ReadonlyArray<ReadQuestion>,
  stored: ReadonlyArray<Question>,
  problems: Problems,
): void => {
  const matches = matchQuestions(questions, stored);
  checkIds(questions, matches, "questions", "question", "notification", problems);
  for (const [index, question] of questions.entries())
    checkChoices(question, matches[index] ?? null, `questions.${index}.choices`, problems);
};

/** The questions to store: matched ones keep their ids, new ones get an id from `newId`. */
export const questionsWithIds = (
  questions: ReadonlyArray<QuestionDraft>,
  stored: ReadonlyArray<Question>,
  newId: () => string,
): ReadonlyArray<Question> => {
  const sent = questions.map((question) => ({ ...question, choices: question.choices ?? [] }));
  const matches = matchQuestions(sent, stored);
  return sent.map(({ choices, question_text, required, type }, index) => {
    const known = matches[index] ?? null;
    const knownChoices = matchChoices(choices, known);
    return {
      id: known?.id ?? newId(),
      question_text,
      type,
      required: required ?? false,
      choices: choices.map(({ text }, choice) => ({ id: knownChoices[choice]?.id ?? newId(), text })),
    };
  });
};
