/** Health checks: what a check observed about an installation, and what to do about it. */
import { Cause, type Duration, Effect, Fiber, Option } from "effect";

/** `problem` is broken or will break; `warning` needs a decision by a person. */
export const verdicts = ["ok", "warning", "problem"] as const;
/** How bad a finding is. */
export type Verdict = (typeof verdicts)[number];

/** The areas of an installation, in the order of the output. */
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
/** An area of an installation. */
export type Area = (typeof areas)[number];

/** The outcome of a check. Both texts are full sentences without secrets. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly observation: string;
  /** The remedy; null if the verdict is `ok`. */
  readonly advice: string | null;
}

/** The outcome of a named check. */
export interface Finding extends Outcome {
  readonly area: Area;
  /** The name of the check, in a word or two. */
  readonly check: string;
}

/** An outcome without need for action. */
export const ok = (observation: string): Outcome => ({ verdict: "ok", observation, advice: null });
/** An outcome that needs a decision by a person. */
export const warning = (observation: string, advice: string): Outcome => ({
  verdict: "warning",
  observation,
  advice,
});
/** An outcome that is broken or will break. */
export const problem = (observation: string, advice: string): Outcome => ({
  verdict: "problem",
  observation,
  advice,
});

/** The outcomes that apply. If none does, one that is `ok`. */
export const outcomesOr = (
  otherwise: string,
  candidates: ReadonlyArray<Outcome | false>,
): ReadonlyArray<Outcome> => {
  const found = candidates.filter((each) => each !== false);
  return found.length > 0 ? found : [ok(otherwise)];
};

/** Time limit of a check. */
const defaultTimeout: Duration.Input = "10 seconds";

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause);
  return error instanceof Error ? error.message : String(error);
};

/**
 * Runs one check. A check that fails or exceeds its time limit becomes a problem of its own and hides no
 * other check. One that cannot be interrupted, because a file system hangs, keeps running in the background.
 */
export const runCheck = <R>(
  area: Area,
  check: string,
  effect: Effect.Effect<Outcome | ReadonlyArray<Outcome>, unknown, R>,
  timeout: Duration.Input = defaultTimeout,
): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(effect);
    const exit = yield* Effect.onInterrupt(Effect.timeoutOption(Fiber.await(fiber), timeout), () =>
      Fiber.interrupt(fiber),
    );
    const outcome = Option.match(exit, {
      onNone: () =>
        problem(
          "The check did not finish in time.",
          "Find out whether the machine, its disk or the network hangs.",
        ),
      onSome: (ended) =>
        ended._tag === "Success"
          ? ended.value
          : problem(`The check failed: ${messageOf(ended.cause)}`, "The message says what to change."),
    });
    if (Option.isNone(exit)) yield* Effect.forkDetach(Fiber.interrupt(fiber));
    return (Array.isArray(outcome) ? outcome : [outcome]).map((each: Outcome) => ({ area, check, ...each }));
  });

/** A number of bytes for people. */
export const formatSize = (bytes: number): string => {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};

/** A time span in milliseconds, for people. */
export const formatSpan = (millis: number): string => {
  const seconds = Math.abs(millis) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
};
