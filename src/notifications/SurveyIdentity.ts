import type { Problems } from "../wire/Problems.ts";
import { hasChoices, type Question, type QuestionDraft } from "./Survey.ts";
import { choiceCount, fewestChoices, type SentChoice, type SentQuestion } from "./SurveyParsing.ts";

type Stored = Question["choices"][number];

/**
 * Which stored item each sent one is: the one that its id names, else the first one left that is alike (contract F4). Null for a
 * new one.
 */
const pair = <Sent extends { readonly id?: string | null }, Known extends { readonly id: string }>(
  sent: ReadonlyArray<Sent>,
  stored: ReadonlyArray<Known>,
  isAlike: (sent: Sent, known: Known) => boolean,
): ReadonlyArray<Known | null> => {
  const left = new Map(stored.map((known) => [known.id, known]));
  const named = sent.map(({ id }) => {
    if (id === undefined || id === null) return null;
    const known = left.get(id) ?? null;
    left.delete(id);
    return known;
  });
  return sent.map((each, at) => {
    if (each.id !== undefined && each.id !== null) return named[at] ?? null;
    for (const known of left.values()) {
      if (!isAlike(each, known)) continue;
      left.delete(known.id);
      return known;
    }
    return null;
  });
};

const pairQuestions = (sent: ReadonlyArray<SentQuestion>, stored: ReadonlyArray<Question>) =>
  pair(sent, stored, (each, known) => each.question_text === known.question_text && each.type === known.type);

const pairChoices = (sent: ReadonlyArray<SentChoice>, question: Question | null) =>
  pair(sent, question?.choices ?? [], (each: SentChoice, known: Stored) => each.text === known.text);

const checkIds = (
  sent: ReadonlyArray<{ readonly id?: string | null }>,
  found: ReadonlyArray<object | null>,
  path: string,
  noun: string,
  owner: string,
  problems: Problems,
) => {
  const seen = new Set<string>();
  sent.forEach(({ id }, at) => {
    if (id === undefined || id === null) return;
    if (seen.has(id))
      problems.add(`${path}.${at}.id`, `The id of a ${noun} can be used once: leave it out for a new one.`);
    else if (found[at] === null) {
      problems.add(
        `${path}.${at}.id`,
        `The id must be one of a ${noun} of this ${owner}: leave it out for a new one.`,
      );
    }
    seen.add(id);
  });
};

const checkChoices = (question: SentQuestion, stored: Question | null, path: string, problems: Problems) => {
  const { choices, type } = question;
  if (type === undefined || choices === undefined) return;
  if (!hasChoices(type)) {
    if (choices.length > 0) problems.add(path, `A question of type ${type} has no choices: leave them out.`);
    return;
  }
  if (choices.length < fewestChoices) problems.add(path, choiceCount);
  checkIds(choices, pairChoices(choices, stored), path, "choice", "question", problems);
  const texts = new Set<string>();
  choices.forEach(({ text }, at) => {
    if (text === undefined) return;
    // An answer may name a choice by its text.
    if (texts.has(text))
      problems.add(`${path}.${at}.text`, "The text of each choice must differ from the others'.");
    texts.add(text);
  });
};

/** Adds what is wrong with the questions of a survey whose stored ones (of a new one: none) are given (contract F2, F4). */
export const checkQuestions = (
  questions: ReadonlyArray<SentQuestion>,
  stored: ReadonlyArray<Question>,
  problems: Problems,
): void => {
  const found = pairQuestions(questions, stored);
  checkIds(questions, found, "questions", "question", "notification", problems);
  questions.forEach((question, at) =>
    checkChoices(question, found[at] ?? null, `questions.${at}.choices`, problems),
  );
};

/** The questions with their ids: those that stay what they were keep theirs, new ones get one from `newId`. */
export const identify = (
  questions: ReadonlyArray<QuestionDraft>,
  stored: ReadonlyArray<Question>,
  newId: () => string,
): ReadonlyArray<Question> => {
  const sent = questions.map((question) => ({ ...question, choices: question.choices ?? [] }));
  const found = pairQuestions(sent, stored);
  return sent.map((question, at) => {
    const known = found[at] ?? null;
    const choices = pairChoices(question.choices, known);
    return {
      id: known?.id ?? newId(),
      question_text: question.question_text,
      type: question.type,
      required: question.required ?? false,
      choices: question.choices.map(({ text }, choice) => ({ id: choices[choice]?.id ?? newId(), text })),
    };
  });
};
