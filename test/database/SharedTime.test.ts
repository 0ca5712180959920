import { assert, it } from "@effect/vitest";
import { epochAt, firstTime, nextTime } from "../../src/database/SharedTime.ts";

const noon = 1_800_000_000_000;
/** A reading by a round trip of `rtt` milliseconds from `before` on. */
const reading = (epochMillis: number, before: number, rtt: number) => ({
  epochMillis,
  before,
  after: before + rtt,
});

it("shared time is read in the middle of the round trip, and continues by the monotonic clock", () => {
  const time = firstTime(reading(noon, 100, 10));
  assert.strictEqual(epochAt(time, 105), noon);
  assert.strictEqual(epochAt(time, 1_105), noon + 1_000);
});

it("a reading that agrees within its uncertainty changes nothing", () => {
  const time = firstTime(reading(noon, 0, 2));
  assert.deepStrictEqual(nextTime(time, reading(noon + 5_008, 5_000, 30)), { time, stepMillis: 0 });
});

it("a more exact reading replaces a slow first one without counting as a step", () => {
  const slow = firstTime(reading(noon, 0, 8_000));
  const { stepMillis, time } = nextTime(slow, reading(noon + 9_000, 10_000, 2));
  assert.strictEqual(stepMillis, 0);
  assert.strictEqual(epochAt(time, 20_001), noon + 19_000);
});

it("a correction of less than a second never makes time go back", () => {
  const time = firstTime(reading(noon, 0, 2));
  const shown = epochAt(time, 5_002);
  const next = nextTime(time, reading(noon + 4_600, 5_000, 2));
  assert.strictEqual(next.stepMillis, 0);
  const later = Array.from({ length: 100 }, (_, index) => epochAt(next.time, 5_002 + 10 * index));
  assert.strictEqual(later[0], shown);
  assert.deepStrictEqual(
    later,
    later.toSorted((a, b) => a - b),
  );
  assert.strictEqual(later.at(-1), noon + 4_600 + 991);
});

it("a step of the shared clock is followed at once, in both directions", () => {
  for (const stepMillis of [7_200_000, -7_200_000]) {
    const time = firstTime(reading(noon, 0, 2));
    const next = nextTime(time, reading(noon + 5_000 + stepMillis, 5_000, 2));
    assert.strictEqual(next.stepMillis, stepMillis);
    assert.strictEqual(epochAt(next.time, 5_001), noon + 5_000 + stepMillis);
  }
});

it("a further reading that took over a second is not used", () => {
  const time = firstTime(reading(noon, 0, 2));
  assert.deepStrictEqual(nextTime(time, reading(noon + 60_000, 5_000, 1_001)), { time, stepMillis: 0 });
});
