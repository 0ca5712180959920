import fc from "fast-check";
import { assert, describe, it } from "vitest";
import { changesOf, comingSends, type SendTime } from "../../src/campaigns/recurrence/OccurrencePlan.ts";
import { occurrencesBetween, resolveEnds } from "../../src/campaigns/recurrence/Occurrences.ts";
import { addDays } from "../../src/time/DayNumbers.ts";
import { dateAt, dayStart, type LocalDate, type TimeOfDay, type WallTime } from "../../src/time/LocalTime.ts";
import { hundredYearsAfter, lastDate, checked, ruleDays } from "../../src/time/RecurrenceDays.ts";
import { parseRule } from "../../src/time/RecurrenceRule.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import type { NotificationId } from "../../src/wire/Ids.ts";
import { Problems } from "../../src/wire/Problems.ts";
import { taken } from "../time/SeededRules.ts";
import { cases } from "../FixedSeed.ts";

/**
 * The days of 100 years, with their weeks and months: the most that a walk over a rule checks. It takes one
 * to four milliseconds of CPU.
 */
const maxSteps = 50_000;

const zone = "Europe/Amsterdam" as TimeZoneName;
const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const signed = (max: number) => fc.integer({ min: -max, max }).filter((number) => number !== 0);
/** A part of a rule: some of its values, or all that there are. */
const part = (name: string, value: fc.Arbitrary<unknown>, all: ReadonlyArray<unknown>) =>
  fc
    .oneof(fc.array(value, { minLength: 1, maxLength: 5 }), fc.constant(all))
    .map((values) => `${name}=${values.join(",")}`);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const upTo = (max: number) => range(-max, max).filter((number) => number !== 0);
const some = (arbitrary: fc.Arbitrary<string>) => fc.option(arbitrary, { nil: "" });

/** Texts of rules with all parts, many of them rarely or never met. */
const texts = fc
  .constantFrom("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
  .chain((frequency) => {
    const isLong = frequency === "MONTHLY" || frequency === "YEARLY";
    const plain = fc.constantFrom(...weekdays);
    const numbered = fc.tuple(signed(53), plain).map(([number, day]) => `${number}${day}`);
    return fc.tuple(
      fc.constant(`FREQ=${frequency}`),
      some(
        fc
          .oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 366 }))
          .map((n) => `INTERVAL=${n}`),
      ),
      some(part("BYDAY", isLong ? fc.oneof(plain, numbered) : plain, weekdays)),
      frequency === "WEEKLY" ? fc.constant("") : some(part("BYMONTHDAY", signed(31), upTo(31))),
      some(part("BYMONTH", fc.oneof(fc.constant(2), fc.integer({ min: 1, max: 12 })), range(1, 12))),
      some(part("BYSETPOS", signed(366), upTo(366))),
      some(plain.map((day) => `WKST=${day}`)),
      some(
        fc.oneof(
          fc.integer({ min: 1, max: 1000 }).map((count) => `COUNT=${count}`),
          fc.constant("COUNT=1000"),
          fc.constant("UNTIL=99991231"),
        ),
      ),
    );
  })
  .map((parts) => parts.filter((each) => each !== "").join(";"))
  .filter((text) => typeof parseRule(text) !== "string");

const firstDays = fc.integer({ min: 0, max: 36_525 }).map((days) => addDays("2027-01-01" as LocalDate, days));

const time: SendTime = {
  notificationId: "note" as NotificationId,
  sendAt: "09:00" as TimeOfDay,
  late: null,
};

describe("the steps of recurrence rules", () => {
  it("no rule makes a call check more than the days of 100 years (TR5, B3)", () => {
    const stepsOf = <A>(work: () => A) => {
      const before = checked.steps;
      const result = work();
      return { result, steps: checked.steps - before };
    };
    let most = 0;
    fc.assert(
      fc.property(
        texts,
        firstDays,
        fc.option(fc.integer({ min: 0, max: 60_000 })),
        fc.integer({ min: 0, max: 40_000 }),
        (rule, first, written, later) => {
          const walk = <A>(work: () => A): A => {
            const { result, steps } = stepsOf(work);
            most = Math.max(most, steps);
            assert.isAtMost(steps, maxSteps, `${first} ${rule}`);
            return result;
          };
          const start = { startsAt: dayStart(zone, first), timezone: zone };
          const end = written === null ? null : (addDays(first, written) as string as WallTime);
          const days = taken(ruleDays(parsed(rule), first, first, lastDate), 1000);
          // The last dates that are met are left out, so that the end is before them.
          const recurrence = { rule, except: days.slice(-366) };
          const problems = new Problems();
          const { endsAt } = walk(() => resolveEnds(problems, recurrence, start, end));
          assert.strictEqual(problems.isEmpty, days.length > 0, `${first} ${rule}`);

          const dates = { ...start, endsAt, recurrence };
          const from = addDays(first, later);
          const now = dayStart(zone, from);
          walk(() => taken(occurrencesBetween(dates, from, hundredYearsAfter(from)), 100));
          walk(() => taken(occurrencesBetween({ ...dates, endsAt: null }, from, lastDate), 100));
          walk(() => changesOf(dates, [time], [], now));
          walk(() => comingSends(dates, [time], now - 86_400_000, now));
        },
      ),
      { numRuns: cases(150) },
    );
    assert.isAbove(most, 30_000);
  });

  it("the end and the exceptions are those of the days within 100 years (TR5, V1.3)", () => {
    fc.assert(
      fc.property(texts, firstDays, fc.array(fc.nat(40), { maxLength: 20 }), (rule, first, left) => {
        const days = [...ruleDays(parsed(rule), first, first, lastDate)];
        assert.isTrue(days.every((day) => first <= day && day <= hundredYearsAfter(first)));
        if (days.length === 0) return;
        const except = left.flatMap((back) => days.at(-1 - back) ?? []);
        const kept = days.filter((day) => !except.includes(day)).at(-1) ?? days.at(-1);
        const start = { startsAt: dayStart(zone, first), timezone: zone };
        const { endsAt } = resolveEnds(new Problems(), { rule, except }, start, null);
        const isEndless = !/COUNT|UNTIL/.test(rule);
        assert.strictEqual(endsAt === null ? undefined : dateAt(zone, endsAt), isEndless ? undefined : kept);
        const dates = { ...start, endsAt, recurrence: { rule, except } };
        const met = [...occurrencesBetween(dates, first, lastDate)];
        assert.deepStrictEqual(
          met,
          days.filter((day) => !except.includes(day)),
        );
      }),
      { numRuns: cases(50) },
    );
  });
});

function parsed(text: string) {
  const rule = parseRule(text);
  if (typeof rule === "string") throw new Error(rule);
  return rule;
}
