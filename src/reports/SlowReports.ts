import { Context, Data, Duration, Effect, Semaphore } from "effect";
import { addDays, dateAt, dayStart } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { ServiceUnavailable } from "../wire/ApiError.ts";

/**
 * What a report may count in base rows while rollups are made anew, in rows of deliveries or events whichever are more, about: up to `quick` it reads them like any
 * other, up to `most` in a turn of its own, and more not at all.
 */
export const SourceRowLimits = Context.Reference("waypost/reports/SourceRowLimits", {
  defaultValue: () => ({ quick: 300_000, most: 30_000_000 }),
});

/** Slow reports that count at once in this process. */
const atOnce = 2;
/** How long one waits for its turn, and how long it may take then: together less than a minute, after which proxies give up. */
const patience = Duration.seconds(15);
const longest = Duration.seconds(30);
/** Seconds after which to ask again. */
const retryAfter = 15;

/** A report would count so many base rows, about; rollups are made from an instant on (epoch milliseconds, Infinity for none). */
export class TooManySourceRows extends Data.TaggedError("TooManySourceRows")<{
  readonly rows: number;
  readonly rolledUpFrom: number;
  readonly timezone: TimeZoneName;
}> {}

/** 503 to who asks for more than can be counted while rollups are made anew: what helps, and when to come again. */
export const rollupsIncomplete = ({ rolledUpFrom, timezone }: TooManySourceRows): ServiceUnavailable => {
  const day = Number.isFinite(rolledUpFrom) ? dateAt(timezone, rolledUpFrom) : undefined;
  const first = day === undefined || dayStart(timezone, day) >= rolledUpFrom ? day : addDays(day, 1);
  return ServiceUnavailable.of(
    "The figures of this workspace are being added up anew, for its new time zone or after a repair, and this report asks for more " +
      `than can be counted one by one until that is done. ${
        first === undefined
          ? "Ask for fewer days, or again in a while."
          : `They are ready from ${first} on: ask for days from then on, or again in a while.`
      }`,
    retryAfter,
  );
};

/**
 * Makes the bound for reports that count many base rows: few at a time, so that they neither take the connections of everything else nor keep the making
 * of the rollups from its end. One that does not get its turn in time, or takes too long, fails and leaves nothing running.
 */
export const slowReports = Effect.map(
  Semaphore.make(atOnce),
  (turns) =>
    <A, E, R>(
      count: Effect.Effect<A, E, R>,
      many: TooManySourceRows,
    ): Effect.Effect<A, E | ServiceUnavailable, R> =>
      Effect.suspend(() => {
        let hasBegun = false;
        const begin = Effect.sync(() => {
          hasBegun = true;
        });
        const counting = Effect.timeoutOrElse(count, {
          duration: longest,
          orElse: () => Effect.fail(rollupsIncomplete(many)),
        });
        const impatient = Effect.flatMap(Effect.sleep(patience), () =>
          hasBegun ? Effect.never : Effect.fail(rollupsIncomplete(many)),
        );
        return Effect.raceFirst(turns.withPermit(Effect.andThen(begin, counting)), impatient);
      }),
);
