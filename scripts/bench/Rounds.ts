/** Rounds of several sides alternately, and the figures that a bench states of them, with their bars. */
import { Effect } from "effect";
import { appendFileSync } from "node:fs";
import process from "node:process";
import { figureLine, isMissed, type Stated } from "./Figure.ts";

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

/** The seconds of an effect, and its result. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now();
    const result = yield* effect;
    return { result, seconds: (performance.now() - began) / 1000 };
  });

/** The milliseconds of an effect, run so many times. */
export const millisOf = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.replicateEffect(timed(effect), times), (runs) =>
    runs.map(({ seconds }) => seconds * 1000),
  );

type Values = number | ReadonlyArray<number>;

/** The baseline with its values by round, and bars (those of `Stated`). */
interface Beside extends Partial<Record<(typeof bars)[number], number | undefined>> {
  readonly beside?: readonly [baseline: string, values: Values];
}

const bars = ["atMost", "atLeast", "valueAtMost", "valueAtLeast"] as const;
const listOf = (values: Values): ReadonlyArray<number> => (typeof values === "number" ? [values] : values);
const rounded = (value: number): number => Number(value.toPrecision(5));

/** A figure of rounds: medians, and the least and the greatest of the rounds if there are several. */
export const statedOf = (
  id: string,
  what: string,
  unit: string,
  values: Values,
  { beside, ...limits }: Beside = {},
): Stated => {
  const [own, bare] = [listOf(values), listOf(beside?.[1] ?? [])];
  const quotients =
    own.length === bare.length
      ? own.map((value, round) => value / (bare[round] ?? Number.NaN))
      : [median(own) / median(bare)];
  const spread = beside === undefined ? own : quotients;
  return {
    id,
    what,
    unit,
    value: rounded(median(own)),
    ...(beside && { baseline: beside[0], baselineValue: rounded(median(bare)) }),
    ...(beside && { ratio: rounded(median(quotients)) }),
    ...(spread.length > 1 && { spread: [rounded(Math.min(...spread)), rounded(Math.max(...spread))] }),
    ...Object.fromEntries(
      bars.flatMap((bar) => (limits[bar] === undefined ? [] : [[bar, rounded(limits[bar])]])),
    ),
  };
};

/**
 * States a figure: prints it, and adds it to the file of `BENCH_FIGURES`. Without that file, a missed bar
 * sets the exit code to 1.
 */
export const figure = (...parameters: Parameters<typeof statedOf>): void => {
  const stated = statedOf(...parameters);
  if (!Number.isFinite(stated.value)) throw new Error(`${stated.id} has no value.`);
  console.log(figureLine(stated));
  const file = process.env["BENCH_FIGURES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(stated)}\n`);
  else if (isMissed(stated)) process.exitCode = 1;
};
