import { Context, Data, Duration, Effect, Semaphore } from "effect";
import { addDays, dateAt, dayStart } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { ServiceUnavailable } from "../wire/ApiError.ts";

/**
 * How many source rows a report may count while rollups are incomplete, of deliveries or of events, whichever
 * are more: up to `quick` it is read like any other, up to `max` it needs a permit of `slowReports`, above
 * that it is refused.
 */
export const SourceRowLimits = Context.Reference("waypost/reports/SourceRowLimits", {
  defaultValue: () => ({ quick: 300_000, max: 30_000_000 }),
});

/** Slow reports that this process counts at the same time. */
const slowConcurrency = 2;
// Together less than a minute, after which proxies give up.
const maxWait = Duration.seconds(15);
const maxRun = Duration.seconds(30);
/** The `Retry-After` of a refusal, in seconds. */
const retryAfter = 15;

/**
 * A report would count too many source rows: their estimated number, and the instant from which on they are
 * rolled up (epoch milliseconds, Infinity for none).
 */
export class TooManySourceRows extends Data.TaggedError("TooManySourceRows")<{
  readonly rows: number;
  readonly rolledUpFrom: number;
  readonly timezone: TimeZoneName;
}> {}

/** 503 with `Retry-After`, and the first day whose figures are ready if there is one. */
export const rollupsIncomplete = ({ rolledUpFrom, timezone }: TooManySourceRows): ServiceUnavailable => {
  const day = Number.isFinite(rolledUpFrom) ? dateAt(timezone, rolledUpFrom) : undefined;
  const first = day === undefined || dayStart(timezone, day) >= rolledUpFrom ? day : addDays(day, 1);
  return ServiceUnavailable.of(
    "The figures of this workspace are being recalculated, for its new time zone or after a repair, and " +
      `this report has too many rows to count until that is done. ${
        first === undefined
          ? "Ask for fewer days, or try again later."
          : `Figures are ready from ${first} on: ask for days from then on, or try again later.`
      }`,
    retryAfter,
  );
};

/**
 * Makes the limit for reports that count many source rows: few at a time, so that they leave connections to
 * everything else and do not slow the rebuild down. A report that waits or runs too long fails and is
 * interrupted.
 */
export const slowReports = Effect.map(
  Semaphore.make(slowConcurrency),
  (permits) =>
    <A, E, R>(
      count: Effect.Effect<A, E, R>,
      refusal: TooManySourceRows,
    ): Effect.Effect<A, E | ServiceUnavailable, R> =>
      Effect.suspend(() => {
        let hasStarted = false;
        const start = Effect.sync(() => {
          hasStarted = true;
        });
        const counting = Effect.timeoutOrElse(count, {
          duration: maxRun,
          orElse: () => Effect.fail(rollupsIncomplete(refusal)),
        });
        const waitTimeout = Effect.flatMap(Effect.sleep(maxWait), () =>
          hasStarted ? Effect.never : Effect.fail(rollupsIncomplete(refusal)),
        );
        return Effect.raceFirst(permits.withPermit(Effect.andThen(start, counting)), waitTimeout);
      }),
);
