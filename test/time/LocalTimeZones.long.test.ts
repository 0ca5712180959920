import { assert, describe, it } from "@effect/vitest";
import { DateTime, Schema } from "effect";
import fc from "fast-check";
import { dateAt, daysOf, LocalDate, startInstant, WallTime, wallTimeAt } from "../../src/time/LocalTime.ts";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { offsetAt, TimeZoneName, timeZoneNames } from "../../src/time/TimeZone.ts";

// The oracle renders instants by Intl and searches by trial and comparison.
const rendered = new Map<string, Intl.DateTimeFormat>();
const clock = (zone: string, ms: number): string => {
  let format = rendered.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    rendered.set(zone, format);
  }
  return format.format(ms);
};

const decodeZone = Schema.decodeUnknownSync(TimeZoneName);
const date = Schema.decodeUnknownSync(LocalDate);
const wall = Schema.decodeUnknownSync(WallTime);
const zones = timeZoneNames.map((name) => decodeZone(name));
// Without links, which are other names of the same zones.
const listed = Intl.supportedValuesOf("timeZone").map((name) => decodeZone(name));
const MINUTE_MS = 60_000;
const minuteText = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** The clock changes of a zone, found by bisecting days whose offsets at their ends differ. */
const clockChanges = (zone: TimeZoneName, from: number, to: number): ReadonlyArray<number> => {
  const shift = (ms: number) => Date.parse(`${clock(zone, ms).replace(" ", "T")}Z`) - ms;
  const found: Array<number> = [];
  let after = shift(from);
  for (let day = from; day < to; day += DAY_MS) {
    let [low, high] = [day, day + DAY_MS];
    const before = after;
    after = shift(high);
    if (after === before) continue;
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (shift(middle) === before) low = middle;
      else high = middle;
    }
    found.push(high);
  }
  return found;
};

/** Finds the earliest instant with a wall time; for one in a gap, the time moved forward by the gap. */
const byTrial = (zone: TimeZoneName, change: number): ((wallMs: number) => number) => {
  const earliest = new Map<string, number>();
  for (let ms = change + 30 * 60 * MINUTE_MS; ms >= change - 30 * 60 * MINUTE_MS; ms -= 15 * MINUTE_MS)
    earliest.set(clock(zone, ms), ms);
  const gapStart = Date.parse(`${clock(zone, change - 1000).replace(" ", "T")}Z`) + 1000;
  return (wallMs) => earliest.get(`${minuteText(wallMs)}:00`) ?? change + (wallMs - gapStart);
};

describe("Every zone of the tz database", () => {
  it("each day of two years begins at its first instant, and days are contiguous (E1.2)", () => {
    const wrong: Array<string> = [];
    for (const [index, zone] of listed.entries()) {
      const days = daysOf(zone, date("2026-01-01"), date("2027-12-31"));
      const isUsual = (at: number) => (days[at + 1]?.fromMs ?? 0) - (days[at]?.fromMs ?? 0) === DAY_MS;
      for (const [at, day] of days.entries()) {
        // Of days of usual length only every fifth is checked: an error would also move the days after it.
        if ((index + at) % 5 > 0 && isUsual(at - 1) && isUsual(at)) continue;
        const begun = clock(zone, day.fromMs).startsWith(day.date);
        if (!begun || clock(zone, day.fromMs - 1000).slice(0, 10) >= day.date)
          wrong.push(`${zone} ${day.date}`);
      }
    }
    assert.deepStrictEqual(wrong, []);
  });

  it("every quarter of an hour around each clock change agrees with a search by trial (E1.1)", () => {
    let changes = 0;
    for (const zone of listed) {
      for (const change of clockChanges(zone, Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1))) {
        changes++;
        const expectedAt = byTrial(zone, change);
        const around = Math.round((change + offsetAt(zone, change - 1)) / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
        for (
          let wallMs = around - 150 * MINUTE_MS;
          wallMs <= around + 150 * MINUTE_MS;
          wallMs += 15 * MINUTE_MS
        ) {
          const text = minuteText(wallMs);
          assert.strictEqual(startInstant(zone, wall(text)), expectedAt(wallMs), `${zone} ${text}`);
        }
      }
    }
    assert.isAbove(changes, 300);
  });

  it("every minute from 1970 to 2100 agrees with Effect's DateTime", () => {
    const minutes = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) / MINUTE_MS });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
        const text = minuteText(minute * MINUTE_MS);
        const other = DateTime.makeZonedUnsafe(text.replace(" ", "T") + ":00Z", {
          timeZone: DateTime.zoneMakeNamedUnsafe(zone),
          adjustForTimeZone: true,
        });
        assert.strictEqual(startInstant(zone, wall(text)), DateTime.toEpochMillis(other), `${zone} ${text}`);
      }),
      { numRuns: 3_000, seed: 20261121 },
    );
  });

  it("dates and minutes of instants agree with Intl", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
        (zone, ms) => {
          assert.strictEqual<string>(wallTimeAt(zone, ms), clock(zone, ms).slice(0, 16));
          assert.strictEqual<string>(dateAt(zone, ms), clock(zone, ms).slice(0, 10));
        },
      ),
      { numRuns: 3_000, seed: 20261121 },
    );
  });
});
