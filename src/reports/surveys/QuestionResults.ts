/** The figures of a question, from how often each value was given (contract M3). */
import type { Question } from "../../notifications/Survey.ts";
import { type Decimal, dividedBy, parseDecimal, percentOf, sumOf } from "../../wire/Decimal.ts";
import type { QuestionResult } from "./SurveyResult.ts";

/** How often a value was given. */
interface ValueCount {
  readonly value: string;
  readonly count: number;
}

const decimals = 2;
const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const ratings = [1, 2, 3, 4, 5];

const total = (counts: ReadonlyArray<{ readonly count: number }>): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** Choices that an edit removed are not shown; an answer of such choices alone is none (contract X8). */
const choiceResults = ({ choices }: Question, values: ReadonlyArray<ValueCount>) => {
  const counts = new Map(choices.map(({ id }) => [id, 0]));
  let answered = 0;
  for (const { count, value } of values) {
    const known = (value.match(uuids) ?? []).filter((id) => counts.has(id));
    if (known.length > 0) answered += count;
    for (const id of known) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return {
    answered,
    choices: choices.map(({ id, text }) => {
      const count = counts.get(id) ?? 0;
      return { id, text, count, share: percentOf(count, answered) };
    }),
  };
};

interface NumberCount {
  readonly number: number;
  readonly value: Decimal;
  readonly count: number;
}

/** The values that are numbers as the question takes them, ascending. */
const numbersOf = (
  values: ReadonlyArray<ValueCount>,
  isTaken: (number: number) => boolean,
): ReadonlyArray<NumberCount> =>
  values
    .flatMap(({ count, value: text }) => {
      const value = parseDecimal(text);
      const number = Number(text);
      return value === null || count <= 0 || !isTaken(number) ? [] : [{ number, value, count }];
    })
    .toSorted((one, other) => one.number - other.number);

const meanOf = (numbers: ReadonlyArray<NumberCount>): number | null =>
  numbers.length === 0 ? null : dividedBy(sumOf(numbers), total(numbers), decimals);

/** The value at an index of all values in order. */
const valueAt = (numbers: ReadonlyArray<NumberCount>, index: number): Decimal | undefined => {
  let passed = 0;
  return numbers.find(({ count }) => {
    passed += count;
    return passed > index;
  })?.value;
};

const medianOf = (numbers: ReadonlyArray<NumberCount>): number | null => {
  const count = total(numbers);
  const middle = [Math.floor((count - 1) / 2), Math.floor(count / 2)].flatMap((index) => {
    const value = valueAt(numbers, index);
    return value === undefined ? [] : [{ value, count: 1 }];
  });
  return middle.length === 0 ? null : dividedBy(sumOf(middle), middle.length, decimals);
};

const isWholeWithin = (min: number, max: number) => (number: number) =>
  Number.isInteger(number) && number >= min && number <= max;

const ratingResults = (values: ReadonlyArray<ValueCount>) => {
  const numbers = numbersOf(values, isWholeWithin(1, 5));
  return {
    answered: total(numbers),
    mean: meanOf(numbers),
    distribution: ratings.map((value) => ({
      value,
      count: total(numbers.filter(({ number }) => number === value)),
    })),
  };
};

const numberResults = (values: ReadonlyArray<ValueCount>, isTaken: (number: number) => boolean) => {
  const numbers = numbersOf(values, isTaken);
  return {
    answered: total(numbers),
    mean: meanOf(numbers),
    median: medianOf(numbers),
    min: numbers[0]?.number ?? null,
    max: numbers.at(-1)?.number ?? null,
  };
};

const booleanResults = (values: ReadonlyArray<ValueCount>) => {
  const countOf = (text: string) => total(values.filter(({ value }) => value === text));
  const [trueCount, falseCount] = [countOf("true"), countOf("false")];
  return { answered: trueCount + falseCount, true_count: trueCount, false_count: falseCount };
};

/** Of an open text the value is '', or the text if it looks like an id. */
const isOpenText = ({ value }: ValueCount): boolean =>
  value === "" || /^.{8}-.{4}-.{4}-.{4}-.{12}$/su.test(value);

const figuresOf = (question: Question, values: ReadonlyArray<ValueCount>) => {
  switch (question.type) {
    case "SINGLE_CHOICE":
    case "MULTIPLE_CHOICE":
      return choiceResults(question, values);
    case "RATING":
      return ratingResults(values);
    case "SLIDER":
      return numberResults(values, isWholeWithin(0, 100));
    case "NUMBER":
      return numberResults(values, () => true);
    case "BOOLEAN":
      return booleanResults(values);
    case "OPEN_ENDED":
      return { answered: total(values.filter(isOpenText)) };
  }
};

/**
 * The results of a question, from how often each value was given. Values that do not fit its present type
 * count as no answer.
 */
export const questionResult = (question: Question, counts: ReadonlyMap<string, number>): QuestionResult => ({
  id: question.id,
  question_text: question.question_text,
  type: question.type,
  ...figuresOf(
    question,
    Array.from(counts, ([value, count]) => ({ value, count })),
  ),
});
