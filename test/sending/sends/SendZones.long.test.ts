import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { sendInstant } from "../../../src/campaigns/CampaignDates.ts";
import { capWindow } from "../../../src/sending/deliveries/FrequencyCap.ts";
import { outcomeAt } from "../../../src/sending/sends/Send.ts";
import { dayEnd, LocalDate, TimeOfDay } from "../../../src/time/LocalTime.ts";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { TimeZoneName } from "../../../src/time/TimeZone.ts";
import { begun, periodBegun, shown, type OffsetPeriod, periodsOf } from "./ZoneOracle.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)];
const decodeZone = Schema.decodeUnknownSync(TimeZoneName);
const toDate = Schema.decodeUnknownSync(LocalDate);
const toTime = Schema.decodeUnknownSync(TimeOfDay);
const zones = Intl.supportedValuesOf("timeZone").map((name) => decodeZone(name));

const textOf = (local: number) => new Date(local).toISOString();
/** Collects differences, at most 20 lines. */
class Wrong {
  readonly lines: Array<string> = [];
  expect(actual: number | string | undefined, expected: number | string, what: () => string): void {
    if (actual !== expected && this.lines.length < 20)
      this.lines.push(`${what()}: ${actual} and not ${expected}`);
  }
}

const timelines = zones.map((zone, index) => ({ index, zone, periods: periodsOf(zone, first, last) }));
/** Of ordinary days each zone checks every fourth, and its neighbours check others. */
const isItsTurn = (index: number, day: number) => (index + day / DAY_MS) % 4 === 0;
const usualTimes = ["02:30", "00:00", "23:59"];

describe("Every zone of the tz database over two years", () => {
  it("a send is due when the zone's clock first shows its time, or as far behind a gap (E1, L2.1)", () => {
    const wrong = new Wrong();
    const check = (zone: TimeZoneName, periods: ReadonlyArray<OffsetPeriod>, day: number, time: string) => {
      const local = Date.parse(`${textOf(day).slice(0, 10)}T${time}:00Z`);
      // The campaign starts at some time of that day.
      const startsAt = begun(periods, day) + ((day / DAY_MS) % 22) * HOUR_MS;
      const due = sendInstant({ startsAt, timezone: zone }, toTime(time));
      wrong.expect(due, shown(periods, local), () => `${zone} ${textOf(local)}`);
      return due;
    };
    let changes = 0;
    for (const { index, periods, zone } of timelines) {
      for (let day = first; day < last; day += DAY_MS)
        if (isItsTurn(index, day))
          check(zone, periods, day, usualTimes[(day / DAY_MS) % usualTimes.length] ?? "12:00");
      for (const [at, { shift, to }] of periods.entries()) {
        const next = periods[at + 1];
        if (next === undefined || to < first || to >= last) continue;
        changes++;
        const edges = [to + shift, to + next.shift].toSorted((a, b) => a - b);
        const [low = 0, high = 0] = edges;
        for (let local = low - 2 * MINUTE_MS; local <= high + 2 * MINUTE_MS; local += MINUTE_MS) {
          const day = Math.floor(local / DAY_MS) * DAY_MS;
          const due = check(zone, periods, day, textOf(local).slice(11, 16));
          const endsAt = dayEnd(zone, toDate(textOf(day).slice(0, 10)));
          const conditions = { paused: false, closing: false, endsAt, dueAt: due };
          wrong.expect(outcomeAt(conditions, due), "running", () => `${zone} ${textOf(local)}`);
        }
      }
    }
    assert.deepStrictEqual(wrong.lines, []);
    assert.isAbove(changes, 300);
  });

  it("caps count from the first instant of the calendar day, the ISO week and the month (L4.2)", () => {
    const wrong = new Wrong();
    const lengths = new Set<number>();
    for (const { index, periods, zone } of timelines) {
      let to = begun(periods, first);
      for (let day = first; day < last; day += DAY_MS) {
        const from = to;
        to = begun(periods, day + DAY_MS);
        lengths.add((to - from) / HOUR_MS);
        if (to - from === DAY_MS && !isItsTurn(index, day)) continue;
        for (const period of ["day", "week", "month"] as const) {
          // Weeks and months alternate between both ends of the day.
          const ends = period === "day" ? [from, to - 1] : [(day / DAY_MS) % 2 === 0 ? from : to - 1];
          for (const at of ends) {
            const window = capWindow({ count: 1, period }, null, zone, at);
            wrong.expect(
              window?.since,
              periodBegun(periods, period, day),
              () => `${zone}, the ${period} of ${new Date(at).toISOString()}`,
            );
          }
        }
      }
    }
    assert.deepStrictEqual(wrong.lines, []);
    // Lord Howe changes by half an hour, Troll by two hours.
    assert.deepStrictEqual(
      [...lengths].toSorted((a, b) => a - b),
      [22, 23, 23.5, 24, 24.5, 25, 26],
    );
  });
});
