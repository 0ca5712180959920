import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { TimeOfDay } from "../../../src/time/LocalTime.ts";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { TimeZoneName } from "../../../src/time/TimeZone.ts";
import { quietAt } from "../../../src/workspaces/QuietHours.ts";
import { type OffsetPeriod, periodsOf, quietEnd } from "../sends/ZoneOracle.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)];
const decodeZone = Schema.decodeUnknownSync(TimeZoneName);
const time = Schema.decodeUnknownSync(TimeOfDay);
const hours = [
  ["22:00", "07:00"],
  ["23:30", "00:30"],
  ["00:00", "02:30"],
  ["02:30", "03:15"],
  ["01:30", "01:29"],
  ["12:00", "14:00"],
].map(([from = "", to = ""]) => ({ from: time(from), to: time(to), action: "hold" as const }));

describe("Quiet hours in every zone of the tz database over two years", () => {
  it("an instant is quiet, and until the same end, as in the oracle (E1, P2.2, X24)", () => {
    const wrong: Array<string> = [];
    let [checked, changes] = [0, 0];
    const check = (zone: TimeZoneName, periods: ReadonlyArray<OffsetPeriod>, at: number) => {
      for (const each of hours) {
        const until = quietAt(each, zone, at)?.until ?? null;
        const expected = quietEnd(periods, each, at);
        checked++;
        if (until !== expected && wrong.length < 20)
          wrong.push(`${zone} ${each.from}-${each.to} ${new Date(at).toISOString()}: ${until}, ${expected}`);
      }
    };
    for (const [index, name] of Intl.supportedValuesOf("timeZone").entries()) {
      const zone = decodeZone(name);
      const periods = periodsOf(zone, first, last);
      // Of ordinary days every 21st, at another time in each zone.
      for (let day = first + (index % 21) * DAY_MS; day < last; day += 21 * DAY_MS)
        check(zone, periods, day + ((index * 37 + day / DAY_MS) % 1440) * MINUTE_MS);
      for (const { to } of periods) {
        if (to < first || to >= last) continue;
        changes++;
        for (let at = to - 26 * HOUR_MS; at <= to + 26 * HOUR_MS; at += 67 * MINUTE_MS)
          check(zone, periods, at);
        for (const edge of [-1, 0, 30 * MINUTE_MS, HOUR_MS, 90 * MINUTE_MS]) check(zone, periods, to + edge);
      }
    }
    assert.deepStrictEqual(wrong, []);
    assert.isAbove(changes, 300);
    assert.isAbove(checked, 100_000);
  });
});
