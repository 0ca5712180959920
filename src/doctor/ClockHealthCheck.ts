import { Clock, Effect } from "effect";
import { databaseClock } from "../database/DatabaseClock.ts";
import { formatSpan, ok, type Outcome, problem, runCheck, warning } from "./HealthCheck.ts";

/**
 * Clock differences in milliseconds. Waypost goes by the database's clock, so sends start early or late if
 * that is the wrong one.
 */
const warningMillis = 1_000;
const problemMillis = 5_000;

/** The outcome of comparing a clock with this machine's, in milliseconds. */
export const clockOutcome = (owner: string, difference: number, accuracy: number): Outcome => {
  const certain = Math.max(0, Math.abs(difference) - accuracy);
  const direction = difference > 0 ? "ahead of" : "behind";
  const observation = `The clock of ${owner} is ${formatSpan(difference)} ${direction} this machine's.`;
  const advice = "Keep the clocks of all machines in step with NTP (systemd-timesyncd, chrony).";
  if (certain >= problemMillis) return problem(observation, advice);
  if (certain >= warningMillis) return warning(observation, advice);
  return ok(`The clock of ${owner} agrees with this machine's.`);
};

/** Compares the clock of the database with that of this machine, exact to half a round trip. */
export const databaseClockHealthCheck = runCheck(
  "clock",
  "database",
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis;
    const remote = yield* databaseClock;
    const after = yield* Clock.currentTimeMillis;
    return clockOutcome("the database", remote - (before + after) / 2, (after - before) / 2);
  }),
);

/** Countries change their summer time at short notice, so data of this age are outdated. */
const maxZoneDataYears = 2;

/** The outcome for a version of the time zone data, such as `2026a`, in a year. */
export const zoneDataOutcome = (version: string | undefined, year: number): Outcome => {
  if (version === undefined)
    return problem("This Node has no time zone data.", "Use the executable, or a Node with full ICU.");
  return year - Number(version.slice(0, 4)) >= maxZoneDataYears
    ? warning(
        `The time zone data are from ${version}: later changes of summer time are missing.`,
        "Upgrade Waypost, or Node.",
      )
    : ok(`Time zone data ${version}.`);
};

/** Checks the age of the time zone data of this program. */
export const zonesHealthCheck = runCheck(
  "clock",
  "time zones",
  Effect.map(Clock.currentTimeMillis, (now) =>
    zoneDataOutcome(process.versions["tz"], new Date(now).getUTCFullYear()),
  ),
);
