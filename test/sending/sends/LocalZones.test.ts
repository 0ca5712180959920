import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { firstInstantOf, lastInstantOf, localInstant, nextCheck } from "../../../src/campaigns/LocalSend.ts";
import { nextCheckOf, partsOf } from "../../../src/sending/sends/local/LocalParts.ts";
import { WallTime } from "../../../src/time/LocalTime.ts";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { TimeZoneName } from "../../../src/time/TimeZone.ts";
import { begun, periodsOf, shown } from "./ZoneOracle.ts";

const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)];
const decodeZone = Schema.decodeUnknownSync(TimeZoneName);
const toWall = Schema.decodeUnknownSync(WallTime);
const zones = Intl.supportedValuesOf("timeZone").map((name) => decodeZone(name));
const timelines = zones.map((zone) => ({ zone, periods: periodsOf(zone, first, last) }));
const utc = decodeZone("UTC");
const times = ["02:30", "00:00", "23:59", "09:00", "01:15"];
const wallOf = (day: number, time: string) => toWall(`${new Date(day).toISOString().slice(0, 10)} ${time}`);
/** Days around the clock changes of any zone, and every ninth day. */
const changes = new Set(
  timelines.flatMap(({ periods }) =>
    periods.flatMap(({ shift, to }) =>
      to >= first && to < last ? [Math.floor((to + shift) / DAY_MS) * DAY_MS] : [],
    ),
  ),
);
const days = Array.from(
  { length: (last - first) / DAY_MS - 2 },
  (_, index) => first + (index + 1) * DAY_MS,
).filter((day, index) => changes.has(day) || index % 9 === 0);

describe("Local times in every zone of the tz database over two years", () => {
  it("each zone has its part when its clock first shows the time, at most 40 parts in all (P3.7, E1)", () => {
    const wrong: Array<string> = [];
    for (const [index, day] of days.entries()) {
      const time = times[index % times.length] ?? "09:00";
      const localAt = wallOf(day, time);
      const expected = new Map<number, Array<TimeZoneName>>();
      for (const { periods, zone } of timelines) {
        const instant = shown(periods, Date.parse(`${localAt.replace(" ", "T")}:00Z`));
        if (localInstant(zone, localAt) !== instant) wrong.push(`${zone} ${localAt}`);
        expected.set(instant, [...(expected.get(instant) ?? []), zone]);
      }
      const state = { localAt, late: "skip", plannedAt: 0, nextAt: 0, hasRun: false } as const;
      const parts = partsOf(state, zones, utc, 0);
      assert.isAtMost(parts.length, 40);
      assert.deepStrictEqual<unknown>(
        parts.map((part) => [part.dueAt, part.zones, part.status]),
        [...expected].toSorted(([a], [b]) => a - b).map(([at, members]) => [at, members, "scheduled"]),
      );
    }
    assert.deepStrictEqual(wrong, []);
    assert.isAbove(days.length, 100);
  });

  it("a worker checks whenever a zone shows the time, and the world ends at UTC-12 (P3.1)", () => {
    for (const [index, day] of days.entries()) {
      const localAt = wallOf(day, times[index % times.length] ?? "09:00");
      const checks = new Set<number>();
      for (let at = nextCheck(localAt, 0); at !== null; at = nextCheck(localAt, at)) checks.add(at);
      assert.strictEqual(Math.min(...checks), firstInstantOf(localAt));
      assert.strictEqual(Math.max(...checks), lastInstantOf(localAt));
      const missed = timelines.filter(({ zone }) => !checks.has(localInstant(zone, localAt)));
      assert.deepStrictEqual(
        missed.map(({ zone }) => zone),
        [],
      );
    }
  });

  it("a part is missed exactly when the day of each of its zones is over (X25.2)", () => {
    for (const [index, day] of days.entries()) {
      if (index % 8 !== 0) continue;
      const localAt = wallOf(day, "21:00");
      for (const { periods, zone } of timelines) {
        const ends = begun(periods, day + DAY_MS) - 1000;
        const state = { localAt, late: "skip", plannedAt: 0, nextAt: 0, hasRun: false } as const;
        const statusAt = (now: number) => partsOf(state, [zone], utc, now)[0]?.status;
        assert.deepStrictEqual(
          [statusAt(ends), statusAt(ends + 1)],
          ["running", "missed"],
          `${zone} ${localAt}`,
        );
      }
    }
  });
});

describe("Parts of a send at a local time", () => {
  const localAt = toWall("2026-11-23 09:00");
  const [tokyo, york] = [decodeZone("Asia/Tokyo"), decodeZone("America/New_York")];
  const noon = Date.UTC(2026, 10, 23, 12);
  const state = { localAt, late: "skip", plannedAt: 0, nextAt: 0, hasRun: false } as const;

  it("fixed parts are not given again, and passed ones go out only with late send (P3.4, X27.1)", () => {
    const statuses = (more: object, now = noon) =>
      partsOf({ ...state, ...more }, [tokyo, york, null], utc, now).map(({ status }) => status);
    assert.deepStrictEqual(statuses({}), ["running", "running", "scheduled"]);
    assert.deepStrictEqual(statuses({ plannedAt: noon }), ["skipped", "skipped", "scheduled"]);
    assert.deepStrictEqual(statuses({ plannedAt: noon, late: "send" }), ["running", "running", "scheduled"]);
    assert.deepStrictEqual(statuses({ nextAt: noon }), ["scheduled"]);
    // Late ones go out although the day is over there, as the client has chosen.
    const later = noon + DAY_MS;
    assert.deepStrictEqual(statuses({ plannedAt: later, late: "send" }, later), [
      "running",
      "running",
      "running",
    ]);
  });

  it("a send waits for all zones until a part has run, then for those of devices (X27.2)", () => {
    const checkedAt = (hasRun: boolean, all: ReadonlyArray<TimeZoneName | null>, now = noon) =>
      nextCheckOf({ ...state, nextAt: now, hasRun }, partsOf({ ...state, nextAt: now }, all, utc, now), now);
    assert.strictEqual(checkedAt(false, []), noon + 15 * 60_000);
    assert.strictEqual(checkedAt(true, [york]), noon + 15 * 60_000);
    assert.isNull(checkedAt(true, [tokyo]));
    assert.isNull(checkedAt(false, [], lastInstantOf(localAt)));
  });
});
