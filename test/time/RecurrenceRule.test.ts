import { assert, describe, it } from "vitest";
import type { LocalDate } from "../../src/time/LocalTime.ts";
import { hundredYearsAfter, lastDate, lastDays, checked, ruleDays } from "../../src/time/RecurrenceDays.ts";
import { parseRule } from "../../src/time/RecurrenceRule.ts";
import { digestOf, recordedDigests, seededRules, taken } from "./SeededRules.ts";

const date = (text: string) => text as LocalDate;

const ruleOf = (text: string) => {
  const rule = parseRule(text);
  if (typeof rule === "string") throw new Error(rule);
  return rule;
};

/** The steps of a computation. */
const stepsOf = (work: () => unknown): number => {
  const before = checked.steps;
  work();
  return checked.steps - before;
};

/** The last day of a rule from 2026-11-24 on, `except` left out. */
const last = (text: string, except: ReadonlyArray<string> = [], to: string = lastDate) =>
  lastDays(ruleOf(text), date("2026-11-24"), date(to), except.map(date))?.kept;

/** Each number up to one, counted from the start and from the end. */
const list = (max: number) =>
  Array.from({ length: max }, (_, index) => `${index + 1},-${index + 1}`).join(",");

/** The first days of a rule, at most five. */
const days = (text: string, first: string, from = first) =>
  taken(ruleDays(ruleOf(text), date(first), date(from), date("9999-12-31")), 5).join(" ");

const wrongAt = (text: string) => {
  const rule = parseRule(text);
  return typeof rule === "string" ? /^The recurrence rule is wrong at (.+?): /.exec(rule)?.[1] : null;
};

describe("recurrence rules", () => {
  it("5,000 seeded rules meet the days that python-dateutil finds (Z18)", () => {
    const rules = [...seededRules(5000)];
    const digests = Array.from({ length: 50 }, (_, index) =>
      digestOf(rules.slice(index * 100, index * 100 + 100)),
    );
    assert.deepStrictEqual(digests, recordedDigests.slice(0, 50));
  });

  it("examples of RFC 5545 meet its days (V1)", () => {
    // The RFC's DTSTART is 1997-09-02, a Tuesday.
    const first = "1997-09-02";
    for (const [text, expected] of [
      ["FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12"],
      [
        "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH;COUNT=8",
        "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30",
      ],
      [
        "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
        "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04",
      ],
      ["FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29"],
      ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"],
      ["FREQ=YEARLY;BYDAY=20MO", "1998-05-18 1999-05-17 2000-05-15 2001-05-14 2002-05-20"],
      [
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
        "1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29",
      ],
    ] as const)
      assert.strictEqual(days(text, first), expected, text);
    assert.strictEqual(
      days("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04"),
      "1997-09-04 1997-10-07 1997-11-06",
    );
    assert.strictEqual(
      days("FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05"),
      "1996-11-05 2000-11-07 2004-11-02 2008-11-04 2012-11-06",
    );
    // The week of the first day, with a week that begins on Monday and on Sunday.
    const weeks = (start: string) =>
      days(`FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=${start}`, "1997-08-05");
    assert.strictEqual(weeks("MO"), "1997-08-05 1997-08-10 1997-08-19 1997-08-24");
    assert.strictEqual(weeks("SU"), "1997-08-05 1997-08-17 1997-08-19 1997-08-31");
  });

  it("a plain weekday beside a numbered one means all of them (Z18)", () => {
    assert.strictEqual(
      days("FREQ=MONTHLY;BYDAY=1MO,FR", "2026-11-24"),
      "2026-11-27 2026-12-04 2026-12-07 2026-12-11 2026-12-18",
    );
  });

  it("BYSETPOS picks from the whole period, also before the first day (Z18)", () => {
    assert.strictEqual(
      days("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2", "2026-11-26"),
      "2026-12-02 2026-12-09 2026-12-16 2026-12-23 2026-12-30",
    );
    assert.strictEqual(
      days("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=3;COUNT=2", "2026-11-26"),
      "2026-11-27 2026-12-04",
    );
  });

  it("COUNT counts from the first day that is met, wherever the days are read from (V1)", () => {
    assert.strictEqual(days("FREQ=DAILY;COUNT=4", "2026-11-24", "2026-11-26"), "2026-11-26 2026-11-27");
    assert.strictEqual(
      days("FREQ=DAILY;INTERVAL=3", "2026-11-24", "2026-11-26"),
      "2026-11-27 2026-11-30 2026-12-03 2026-12-06 2026-12-09",
    );
    assert.strictEqual(days("FREQ=WEEKLY;UNTIL=20261201", "2026-11-24", "2026-11-30"), "2026-12-01");
  });

  it("a month without the day of the first one is left out", () => {
    assert.strictEqual(
      days("FREQ=MONTHLY", "2026-12-31"),
      "2026-12-31 2027-01-31 2027-03-31 2027-05-31 2027-07-31",
    );
    assert.strictEqual(
      days("FREQ=YEARLY", "2028-02-29"),
      "2028-02-29 2032-02-29 2036-02-29 2040-02-29 2044-02-29",
    );
  });

  it("a part that is wrong is named (Z18)", () => {
    for (const [text, part] of [
      ["", '""'],
      ["RRULE:FREQ=DAILY", '"RRULE:FREQ=DAILY"'],
      ["freq=DAILY", '"freq=DAILY"'],
      ["FREQ=daily", "FREQ"],
      ["FREQ=HOURLY", "FREQ"],
      ["INTERVAL=2", "FREQ"],
      ["FREQ=DAILY;FREQ=DAILY", "FREQ"],
      ["FREQ=DAILY;", '""'],
      ["FREQ=DAILY;INTERVAL", "INTERVAL"],
      ["FREQ=DAILY;INTERVAL=", "INTERVAL"],
      ["FREQ=DAILY;INTERVAL=0", "INTERVAL"],
      ["FREQ=DAILY;INTERVAL=367", "INTERVAL"],
      ["FREQ=DAILY;INTERVAL=+1", "INTERVAL"],
      ["FREQ=DAILY;INTERVAL=1.5", "INTERVAL"],
      ["FREQ=DAILY;BYHOUR=9", '"BYHOUR=9"'],
      ["FREQ=YEARLY;BYWEEKNO=20", '"BYWEEKNO=20"'],
      ["FREQ=YEARLY;BYYEARDAY=1", '"BYYEARDAY=1"'],
      ["FREQ=DAILY;BYDAY=1MO", "BYDAY"],
      ["FREQ=WEEKLY;BYDAY=-1FR", "BYDAY"],
      ["FREQ=WEEKLY;BYDAY=XX", "BYDAY"],
      ["FREQ=WEEKLY;BYDAY=MO,", "BYDAY"],
      ["FREQ=WEEKLY;BYDAY=MO TU", "BYDAY"],
      ["FREQ=YEARLY;BYDAY=54MO", "BYDAY"],
      ["FREQ=YEARLY;BYDAY=0MO", "BYDAY"],
      ["FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY"],
      ["FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY"],
      ["FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY"],
      ["FREQ=YEARLY;BYMONTH=13", "BYMONTH"],
      ["FREQ=YEARLY;BYMONTH=-1", "BYMONTH"],
      ["FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS"],
      ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", "BYSETPOS"],
      ["FREQ=DAILY;BYDAY=MO;BYSETPOS=2,-366", "BYSETPOS"],
      ["FREQ=WEEKLY;BYDAY=MO;BYSETPOS=8", "BYSETPOS"],
      ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-32,32", "BYSETPOS"],
      ["FREQ=WEEKLY;WKST=XX", "WKST"],
      ["FREQ=WEEKLY;WKST=MO,TU", "WKST"],
      ["FREQ=DAILY;COUNT=0", "COUNT"],
      ["FREQ=DAILY;COUNT=1001", "COUNT"],
      ["FREQ=DAILY;COUNT=3;UNTIL=20271231", "UNTIL"],
      ["FREQ=DAILY;UNTIL=2027-12-31", "UNTIL"],
      ["FREQ=DAILY;UNTIL=20270231", "UNTIL"],
      ["FREQ=DAILY;UNTIL=20271231T090000Z", "UNTIL"],
      ["FREQ=DAILY;__proto__=1", '"__proto__=1"'],
    ] as const)
      assert.strictEqual(wrongAt(text), part, text);
  });

  it("a rule ends a hundred years after its first day, that day included (TR5)", () => {
    assert.strictEqual(last("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;COUNT=1000"), "2112-02-29");
    assert.strictEqual(last("FREQ=DAILY;UNTIL=99991231"), "2126-11-24");
    assert.strictEqual(last("FREQ=YEARLY;COUNT=1000"), "2126-11-24");
    assert.strictEqual(last("FREQ=YEARLY;COUNT=100"), "2125-11-24");
    assert.strictEqual(last("FREQ=YEARLY;COUNT=1000", ["2126-11-24"]), "2125-11-24");
    const met = (text: string, first: string) => days(text, first, "2120-01-01");
    assert.strictEqual(met("FREQ=YEARLY;INTERVAL=50", "2026-11-24"), "2126-11-24");
    assert.strictEqual(met("FREQ=YEARLY;INTERVAL=100", "2026-11-24"), "2126-11-24");
    assert.strictEqual(met("FREQ=YEARLY;INTERVAL=101;BYMONTH=11", "2026-11-24"), "");
    assert.strictEqual(met("FREQ=YEARLY;INTERVAL=100;BYMONTHDAY=25;BYMONTH=11", "2026-11-24"), "");
    // 2100 has no leap day, nor has 2300: a hundred years after a leap day is March 1 there.
    assert.strictEqual(hundredYearsAfter(date("2200-02-29")), "2300-03-01");
    assert.strictEqual(hundredYearsAfter(date("9900-01-01")), lastDate);
  });

  it("a list of every number is each day; positions beyond the longest period pick nothing (Z18)", () => {
    const all = `FREQ=MONTHLY;BYMONTHDAY=${list(31)};BYSETPOS=${list(366)}`;
    assert.strictEqual(days(all, "2026-11-24"), "2026-11-24 2026-11-25 2026-11-26 2026-11-27 2026-11-28");
    const positions = (text: string) => ruleOf(text).positions;
    assert.deepStrictEqual(positions("FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=-366,2,8,366"), [2]);
    assert.lengthOf(positions(all), 62);
  });

  it("a period without days costs nothing, whatever picks its days (B3, TR5)", () => {
    const parts = `BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYSETPOS=${list(366)};COUNT=1000`;
    const februaries = 101 * 28 + 25;
    for (const [text, most] of [
      // Months, and the days of each February.
      [`FREQ=DAILY;${parts.replace(list(366), "1")}`, 2 * 1201 + februaries],
      [`FREQ=MONTHLY;${parts}`, 2 * 1201 + februaries],
      [`FREQ=YEARLY;${parts}`, 101 * 13 + februaries],
      ["FREQ=MONTHLY;INTERVAL=12;BYMONTH=2;COUNT=5", 2 * 101],
      // Every day, once.
      ["FREQ=DAILY;UNTIL=99991231", 2 * 1201 + 36_585],
      // One month is enough to see that it is met.
      ["FREQ=DAILY", 62],
    ] as const) {
      const to = text === "FREQ=DAILY" ? "2026-11-24" : lastDate;
      assert.isAtMost(
        stepsOf(() => last(text, [], to)),
        most,
        text.slice(0, 60),
      );
    }
  });

  it("the last day is that before the exceptions at the end", () => {
    const except = ["2026-11-28", "2026-11-27"];
    assert.strictEqual(last("FREQ=DAILY;COUNT=5", except), "2026-11-26");
    assert.strictEqual(last("FREQ=DAILY;UNTIL=20261128", except), "2026-11-26");
    assert.isNull(last("FREQ=DAILY;COUNT=2;BYMONTHDAY=27,28", except));
  });
});
