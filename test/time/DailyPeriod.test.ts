import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { dailyPeriodEnd } from "../../src/time/DailyPeriod.ts";
import { TimeOfDay } from "../../src/time/LocalTime.ts";
import { TimeZoneName } from "../../src/time/TimeZone.ts";

const zone = Schema.decodeUnknownSync(TimeZoneName);
const time = Schema.decodeUnknownSync(TimeOfDay);
/** The end of the period around an instant in UTC, as ISO text; null outside of it. */
const end = (name: string, from: string, to: string, at: string) => {
  const ms = dailyPeriodEnd(zone(name), { from: time(from), to: time(to) }, Date.parse(at));
  return ms === null ? null : new Date(ms).toISOString().replace(":00.000Z", "Z");
};

describe("Daily periods", () => {
  it("the start belongs to a period and the end does not, also past midnight (P2.2, X24)", () => {
    const night = (at: string) => end("UTC", "22:00", "07:00", at);
    assert.strictEqual(night("2026-11-21T21:59:59.999Z"), null);
    assert.strictEqual(night("2026-11-21T22:00:00Z"), "2026-11-22T07:00Z");
    assert.strictEqual(night("2026-11-22T00:00:00Z"), "2026-11-22T07:00Z");
    assert.strictEqual(night("2026-11-22T06:59:59.999Z"), "2026-11-22T07:00Z");
    assert.strictEqual(night("2026-11-22T07:00:00Z"), null);
    const noon = (at: string) => end("Asia/Kathmandu", "12:00", "13:30", at);
    assert.strictEqual(noon("2026-11-21T06:14:59.999Z"), null);
    assert.strictEqual(noon("2026-11-21T06:15:00Z"), "2026-11-21T07:45Z");
    assert.strictEqual(noon("2026-11-21T07:45:00Z"), null);
    // Midnight as the end is that of the next day.
    assert.strictEqual(end("UTC", "20:00", "00:00", "2026-11-21T23:59:00Z"), "2026-11-22T00:00Z");
    assert.strictEqual(end("UTC", "00:00", "06:00", "2026-11-21T00:00:00Z"), "2026-11-21T06:00Z");
  });

  it("an end in a gap moves forward, and in a fold it is the earlier instant (E1, P2.2, X24)", () => {
    // On 2027-03-28 clocks in Amsterdam jump from 02:00 to 03:00, at 01:00 UTC.
    assert.strictEqual(
      end("Europe/Amsterdam", "22:00", "02:30", "2027-03-28T00:00:00Z"),
      "2027-03-28T01:30Z",
    );
    // On 2026-10-25 they show 02:00 to 03:00 twice, from 00:00 to 02:00 UTC.
    assert.strictEqual(
      end("Europe/Amsterdam", "22:00", "02:30", "2026-10-25T00:29:00Z"),
      "2026-10-25T00:30Z",
    );
    assert.strictEqual(end("Europe/Amsterdam", "22:00", "02:30", "2026-10-25T01:00:00Z"), null);
    // A start in a fold is the earlier instant, too.
    assert.strictEqual(
      end("Europe/Amsterdam", "02:30", "08:00", "2026-10-25T01:10:00Z"),
      "2026-10-25T07:00Z",
    );
    // A period within the gap does not take place.
    for (const minute of ["00:59", "01:00", "01:15", "01:45"])
      assert.strictEqual(end("Europe/Amsterdam", "02:30", "03:15", `2027-03-28T${minute}:00Z`), null, minute);
  });

  it("periods that a clock change moves into each other end with the later one (E1, P2.2)", () => {
    assert.strictEqual(
      end("Europe/Amsterdam", "03:00", "02:30", "2027-03-28T00:30:00Z"),
      "2027-03-29T00:30Z",
    );
  });

  it("a period over a day that the zone skipped ends on the day after it (E1, P2.2)", () => {
    // Apia skipped 2011-12-30.
    assert.strictEqual(end("Pacific/Apia", "22:00", "07:00", "2011-12-30T09:00:00Z"), "2011-12-30T17:00Z");
    assert.strictEqual(end("Pacific/Apia", "22:00", "07:00", "2011-12-30T16:59:00Z"), "2011-12-30T17:00Z");
    assert.strictEqual(end("Pacific/Apia", "22:00", "07:00", "2011-12-30T17:00:00Z"), null);
  });
});
