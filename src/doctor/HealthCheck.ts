/** What the doctor found: one line of what was seen, one of what to do, for each thing that it looked at. */
import { Cause, type Duration, Effect, Fiber, Option } from "effect";

/** How bad it is: `problem` is broken or will break, `warning` is for a person to judge. */
export type Verdict = "ok" | "warning" | "problem";

/** Parts of an installation, in the order in which they are told. */
export const areas = [
  "settings",
  "data directory",
  "database",
  "clock",
  "media",
  "push services",
  "server",
  "work",
] as const;
/** A part of an installation. */
export type Area = (typeof areas)[number];

/** What was seen, and what to do where it is not ok; full sentences, without secrets. */
export interface Observation {
  readonly verdict: Verdict;
  readonly seen: string;
  readonly advice: string | null;
}

/** An observation with its place. */
export interface Finding extends Observation {
  readonly area: Area;
  /** What was looked at, in a word or two. */
  readonly check: string;
}

/** All is well. */
export const fine = (seen: string): Observation => ({ verdict: "ok", seen, advice: null });
/** For a person to judge. */
export const warning = (seen: string, advice: string): Observation => ({ verdict: "warning", seen, advice });
/** Broken, or about to break. */
export const problem = (seen: string, advice: string): Observation => ({ verdict: "problem", seen, advice });

/** The most that one look may take. */
const patience: Duration.Input = "10 seconds";

const wordsOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause);
  return error instanceof Error ? error.message : String(error);
};

/**
 * Looks at one thing, whatever comes of it: a look that fails, or takes longer than ten seconds, is a problem of its own and hides no
 * other. One that cannot be interrupted (a file system that hangs) is left behind.
 */
export const runCheck = <R>(
  area: Area,
  check: string,
  look: Effect.Effect<Observation | ReadonlyArray<Observation>, unknown, R>,
  limit: Duration.Input = patience,
): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(look);
    const exit = yield* Effect.onInterrupt(Effect.timeoutOption(Fiber.await(fiber), limit), () =>
      Fiber.interrupt(fiber),
    );
    const found = Option.match(exit, {
      onNone: () =>
        problem("It gave no answer in time.", "See whether the machine, its disk or the network hangs."),
      onSome: (ended) =>
        ended._tag === "Success"
          ? ended.value
          : problem(
              `It could not be looked at: ${wordsOf(ended.cause)}`,
              "See the sentence for what is in the way.",
            ),
    });
    if (Option.isNone(exit)) yield* Effect.forkDetach(Fiber.interrupt(fiber));
    return (Array.isArray(found) ? found : [found]).map((each: Observation) => ({ area, check, ...each }));
  });

/** Bytes as people read them. */
export const sizeOf = (bytes: number): string => {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};

/** A time span, given in milliseconds, as people read it. */
export const spanOf = (millis: number): string => {
  const seconds = Math.abs(millis) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
};
