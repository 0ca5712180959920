/** Rounds of several sides alternately, and figures with their bars. A missed bar sets the exit code. */
import { Effect } from "effect";
import process from "node:process";

/** A number of the environment variable `BENCH_<name>`. */
export const setting = (name: string, unset: number): number => Number(process.env[`BENCH_${name}`] ?? unset);

/** The median; of an even number of values the higher of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Runs each side once a round, after one round that does not count. Gives the results by side. */
export const alternately = Effect.fnUntraced(function* <const Name extends string, A, E, R>(
  rounds: number,
  sides: Readonly<Record<Name, Effect.Effect<A, E, R>>>,
  warmUps = 1,
) {
  const entries = Object.entries<Effect.Effect<A, E, R>>(sides);
  const results = entries.map(([name]) => [name, [] as Array<A>] as const);
  for (let round = -warmUps; round < rounds; round++) {
    for (const [at, [, side]] of entries.entries()) {
      const result = yield* side;
      if (round >= 0) results[at]?.[1].push(result);
    }
  }
  return Object.fromEntries(results) as unknown as Record<Name, ReadonlyArray<A>>;
});

/** The quotients of two sides, by round. */
export const ratios = (some: ReadonlyArray<number>, others: ReadonlyArray<number>): ReadonlyArray<number> =>
  some.map((value, round) => value / (others[round] ?? Number.NaN));

/** Whether a bar is met. If it is not, the exit code is 1. */
export const met = (isMet: boolean): boolean => {
  if (!isMet) process.exitCode = 1;
  return isMet;
};

type Values = number | ReadonlyArray<number>;

const middle = (values: Values): number => (typeof values === "number" ? values : median(values));

const barred = (values: Values, bar: number, digits: number, isMet: boolean): string => {
  const range =
    typeof values === "number" || values.length < 2
      ? ""
      : `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}; `;
  const missed = met(isMet) ? "" : ", missed";
  return `${middle(values).toFixed(digits)} (${range}bar: ${Number(bar.toFixed(digits))}${missed})`;
};

/** A figure, or the median of rounds with the least and the greatest, and its bar. */
export const atMost = (values: Values, bar: number, digits = 2): string =>
  barred(values, bar, digits, middle(values) <= bar);

/** The same where more is better. */
export const atLeast = (values: Values, bar: number, digits = 2): string =>
  barred(values, bar, digits, middle(values) >= bar);

/** The seconds of an effect, and its result. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now();
    const result = yield* effect;
    return { result, seconds: (performance.now() - began) / 1000 };
  });
