import { Context, Data, Duration, Effect } from "effect";
import { addDays } from "../time/DayNumbers.ts";
import { dateAt, dayStart } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { ServiceUnavailable } from "../wire/ApiError.ts";

/**
 * How many source rows a report may count while rollups are incomplete, of deliveries or of events, whichever
 * are more: up to `quick` it is read like any other, up to `max` it is a slow report, above
 * that it is refused.
 */
export const SourceRowLimits = Context.Reference("waypost/reports/SourceRowLimits", {
  defaultValue: () => ({ quick: 300_000, max: 30_000_000 }),
});

// With two waits for a permit of a long read less than a minute, after which proxies give up.
const maxRun = Duration.seconds(25);
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

/** A report that counts many source rows. One that runs too long fails and is interrupted. */
export const slowReport = <A, E, R>(
  count: Effect.Effect<A, E, R>,
  refusal: TooManySourceRows,
): Effect.Effect<A, E | ServiceUnavailable, R> =>
  Effect.timeoutOrElse(count, {
    duration: maxRun,
    orElse: () => Effect.fail(rollupsIncomplete(refusal)),
  });
