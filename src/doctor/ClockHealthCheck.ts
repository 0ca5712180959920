import { Clock, Effect } from "effect";
import { runCheck, fine, type Observation, problem, spanOf, warning } from "./HealthCheck.ts";
import { databaseClock } from "../database/DatabaseClock.ts";

/** Differences of clocks, in milliseconds: leases of batches are 10 seconds, so as much lets two workers take the same work by turns, and sends start early. */
const tolerated = 1_000;
const intolerable = 5_000;

/** What a difference of two clocks means; `accuracy` is how exactly it is known, in milliseconds. */
export const checkClocks = (what: string, difference: number, accuracy: number): Observation => {
  const far = Math.max(0, Math.abs(difference) - accuracy);
  const seen = `The clock of ${what} is ${spanOf(difference)} ${difference > 0 ? "ahead of" : "behind"} this machine's.`;
  const advice = "Keep the clocks of all machines in step with NTP (systemd-timesyncd, chrony).";
  if (far >= intolerable) return problem(seen, advice);
  if (far >= tolerated) return warning(seen, advice);
  return fine(`The clock of ${what} agrees with this machine's.`);
};

/** Asks a clock, and gives its difference from ours, exact to half the way there and back. */
const difference = <R>(clock: Effect.Effect<number, never, R>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis;
    const there = yield* clock;
    const after = yield* Clock.currentTimeMillis;
    return { by: there - (before + after) / 2, accuracy: (after - before) / 2 };
  });

/** The database's clock beside ours. */
export const databaseClockHealthCheck = runCheck(
  "clock",
  "database",
  Effect.map(difference(databaseClock), ({ accuracy, by }) => checkClocks("the database", by, accuracy)),
);

/** A year is soon past, and countries change their summer time at short notice. */
const oldestZones = 2;

/** What the version of the time zone data (`2026a`) means in a year. */
export const checkZones = (version: string | undefined, year: number): Observation => {
  if (version === undefined) {
    return problem("This Node has no time zone data.", "Use the executable, or a Node with full ICU.");
  }
  const from = Number(version.slice(0, 4));
  return year - from >= oldestZones
    ? warning(
        `The time zone data are of ${version}: changes of summer time since then are not known.`,
        "Upgrade Waypost, or Node.",
      )
    : fine(`Time zone data ${version}.`);
};

/** Time zones as this program knows them. */
export const zonesHealthCheck = runCheck(
  "clock",
  "time zones",
  Effect.map(Clock.currentTimeMillis, (now) =>
    checkZones(process.versions["tz"], new Date(now).getUTCFullYear()),
  ),
);
