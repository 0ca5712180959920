import type { Question } from "../../../src/notifications/Survey.ts";
import type { Answer } from "../../../src/events/answers/Answer.ts";

/** The latest answers of a device, dated by its first ones (epoch ms). */
export interface PastAnswers {
  readonly firstAt: number;
  readonly answers: ReadonlyArray<Answer>;
}

const compare = (one: number, other: number) => one - other;

/** A quotient of whole numbers, rounded half away from zero. */
const rounded = (part: bigint, whole: bigint): number => {
  const size = part < 0n ? -part : part;
  return Number((2n * size + whole) / (2n * whole)) * (part < 0n ? -1 : 1);
};

/** The mean of numbers with at most three decimals, to two decimals: in thousandths, which are whole. */
const mean = (numbers: ReadonlyArray<number>): number | null => {
  if (numbers.length === 0) return null;
  const sum = numbers.reduce((all, each) => all + BigInt(Math.round(each * 1000)), 0n);
  return rounded(sum, 10n * BigInt(numbers.length)) / 100 + 0;
};

const share = (count: number, whole: number): number =>
  whole === 0 ? 0 : rounded(1000n * BigInt(count), BigInt(whole)) / 10;

/** The values of a question that it still takes. */
const valuesOf = (question: Question, responses: ReadonlyArray<PastAnswers>): ReadonlyArray<unknown> =>
  responses.flatMap(({ answers }): ReadonlyArray<unknown> => {
    const value = answers.find(({ question_id }) => question_id === question.id)?.value;
    if (!question.type.endsWith("CHOICE")) return value === undefined ? [] : [value];
    const known = [value].flat().filter((id) => question.choices.some((choice) => choice.id === id));
    return known.length === 0 ? [] : [known];
  });

/** The results of the questions by a plain reading of the rules (contract M3): it reads every response. */
export const expectedQuestions = (
  questions: ReadonlyArray<Question>,
  responses: ReadonlyArray<PastAnswers>,
): ReadonlyArray<object> =>
  questions.map((question) => {
    const { id, question_text, type } = question;
    const values = valuesOf(question, responses);
    const head = { id, question_text, type, answered: values.length };
    const numbers = (values as ReadonlyArray<number>).toSorted(compare);
    switch (type) {
      case "OPEN_ENDED":
        return head;
      case "BOOLEAN":
        return {
          ...head,
          true_count: values.filter((value) => value === true).length,
          false_count: values.filter((value) => value === false).length,
        };
      case "RATING":
        return {
          ...head,
          mean: mean(numbers),
          distribution: [1, 2, 3, 4, 5].map((value) => ({
            value,
            count: numbers.filter((each) => each === value).length,
          })),
        };
      case "NUMBER":
      case "SLIDER": {
        const middle = numbers.slice(Math.ceil(numbers.length / 2) - 1, Math.floor(numbers.length / 2) + 1);
        const [min = null, max = null] = [numbers[0], numbers.at(-1)];
        return { ...head, mean: mean(numbers), median: mean(numbers.length === 0 ? [] : middle), min, max };
      }
      default:
        return {
          ...head,
          choices: question.choices.map((choice) => {
            const count = values.filter((chosen) =>
              (chosen as ReadonlyArray<string>).includes(choice.id),
            ).length;
            return { id: choice.id, text: choice.text, count, share: share(count, values.length) };
          }),
        };
    }
  });
