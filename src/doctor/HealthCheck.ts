/** Health checks: what a check observed about an installation, and what to do about it. */
import { Cause, type Duration, Effect, Fiber, Option, Schema } from "effect";
import { nullableText, shownText } from "../wire/ShownFields.ts";
import { flag } from "../wire/Text.ts";

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

const Finding = Schema.Struct({
  area: Schema.Literals(areas).annotate({ description: "Area of the check.", examples: ["database"] }),
  check: shownText("Name of the check.", "connections"),
  verdict: Schema.Literals(["ok", "warning", "problem"]).annotate({
    description: "`problem`: broken or about to break; `warning`: a person must decide.",
    examples: ["ok"],
  }),
  observation: shownText("The observation.", "The database responds."),
  advice: nullableText("The remedy; null if the verdict is `ok`.", "Start a process with the role worker."),
});
/** The outcome of a named check. */
export type Finding = typeof Finding.Type;
/** The outcome of a check. Both texts are full sentences without secrets. */
export type Outcome = Omit<Finding, "area" | "check">;

/** The doctor's report on an installation; `waypost doctor --json` prints the same. */
export const HealthReport = Schema.Struct({
  ok: flag("Whether there is no problem.", true),
  findings: Schema.Array(Finding).annotate({ description: "The findings of all checks, by area." }),
}).annotate({ identifier: "HealthReport" });
export type HealthReport = typeof HealthReport.Type;

/** An outcome without need for action. */
export const ok = (observation: string): Outcome => ({ verdict: "ok", observation, advice: null });
const outcome =
  (verdict: "warning" | "problem") =>
  (observation: string, advice: string): Outcome => ({ verdict, observation, advice });
/** An outcome that needs a decision by a person. */
export const warning = outcome("warning");
/** An outcome that is broken or will break. */
export const problem = outcome("problem");

/** The outcomes that apply. If none does, one that is `ok`. */
export const outcomesOr = (
  otherwise: string,
  candidates: ReadonlyArray<Outcome | false>,
): ReadonlyArray<Outcome> => {
  const found = candidates.filter((each) => each !== false);
  return found.length > 0 ? found : [ok(otherwise)];
};

/** Rows of a check by fact: the statement that reads it, and the outcome if it is something. */
export type FactRows<Statement, Value> = Readonly<
  Record<string, readonly [Statement, typeof problem, sentence: (value: Value) => string, advice: string]>
>;

/** The outcomes of facts that are not null, false or 0, and others that belong to the check. */
export const factOutcomes = <Value>(
  otherwise: string,
  rows: FactRows<unknown, Value>,
  facts: Readonly<Record<string, Value | null>>,
  others: ReadonlyArray<Outcome> = [],
): ReadonlyArray<Outcome> => {
  const found = Object.entries(rows).map(([fact, [, outcome, sentence, advice]]) => {
    const value = facts[fact] ?? false;
    return value !== false && value !== 0 && outcome(sentence(value), advice);
  });
  return outcomesOr(otherwise, [...found, ...others]);
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
  area: Finding["area"],
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
