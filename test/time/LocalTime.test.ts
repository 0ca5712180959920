import { assert, describe, it } from "@effect/vitest";
import { Brand, Result, Schema } from "effect";
import { addDays } from "../../src/time/DayNumbers.ts";
import {
  dateAt,
  dayEnd,
  dayRange,
  daysBetween,
  daysOf,
  dayStart,
  endInstant,
  LocalDate,
  periodStart,
  startInstant,
  TimeOfDay,
  utcText,
  wallParts,
  WallTime,
  wallTimeAt,
} from "../../src/time/LocalTime.ts";
import { TimeZoneName } from "../../src/time/TimeZone.ts";

const zone = Schema.decodeUnknownSync(TimeZoneName);
const date = Schema.decodeUnknownSync(LocalDate);
const wall = Schema.decodeUnknownSync(WallTime);
const utc = (text: string) => Date.parse(`${text}Z`);

const accepted = (schema: Schema.Codec<unknown, unknown>, inputs: ReadonlyArray<unknown>) =>
  inputs.filter((input) => Result.isSuccess(Schema.decodeUnknownResult(schema)(input)));

describe("Local dates and times", () => {
  it("a wall time is a real day from 1970 to 9999 with an optional time to the minute", () => {
    for (const text of [
      "2026-11-21",
      "2028-02-29",
      "1970-01-01",
      "9999-12-31",
      "2026-11-21 00:00",
      "2026-11-21 23:59",
    ])
      assert.strictEqual(wall(text), text);
    assert.strictEqual(wall(" 2026-11-21 "), "2026-11-21");
    assert.deepStrictEqual<unknown>(wallParts(wall("2026-11-21")), {
      date: "2026-11-21",
      time: null,
    });
    assert.deepStrictEqual<unknown>(wallParts(wall("2026-11-21 09:05")), {
      date: "2026-11-21",
      time: "09:05",
    });
  });

  it("an impossible day or time is refused (E1.3)", () => {
    const noDay = [
      "2026-02-30",
      "2026-02-29",
      "2100-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-04-31",
      "2026-01-00",
    ];
    assert.deepStrictEqual(accepted(LocalDate, [...noDay, "1969-12-31", "0001-01-01", "0000-00-00"]), []);
    assert.deepStrictEqual(
      accepted(WallTime, [...noDay, "2026-11-21 24:00", "2026-11-21 12:60", "2026-02-30 10:00"]),
      [],
    );
    assert.deepStrictEqual(accepted(TimeOfDay, ["24:00", "12:60", "29:00"]), []);
  });

  it("any other format is refused (E1.3, campaigns.w2)", () => {
    const other = [
      "2026-1-2",
      "20261121",
      "21-11-2026",
      "2026/11/21",
      "+2026-11-21",
      "２０２６-11-21",
      "",
      "tomorrow",
      5,
    ];
    const times = [
      "2026-11-21T10:00",
      "2026-11-21 10:00:00",
      "2026-11-21  10:00",
      "2026-11-21 9:00",
      "2026-11-21 10:00Z",
    ];
    assert.deepStrictEqual(accepted(LocalDate, [...other, "2026-11-21 10:00"]), []);
    assert.deepStrictEqual(
      accepted(WallTime, [...other, ...times, "2026-11-21 10", "2026-11-21\t10:00", "2026-11-21-10:00"]),
      [],
    );
    assert.deepStrictEqual(accepted(TimeOfDay, ["9:00", "09:00:00", "0900", "", "9am"]), []);
  });

  it("a refusal says what would be right", () => {
    const result = Schema.decodeUnknownResult(WallTime)("2026-02-30");
    assert.isTrue(Result.isFailure(result));
    if (Result.isFailure(result))
      assert.include(String(result.failure), "The {field} must be an existing date");
  });
});

describe("Instants at clock changes (E1)", () => {
  const starts: ReadonlyArray<readonly [string, string, string, string]> = [
    ["gap of an hour", "America/New_York", "2026-03-08 02:30", "2026-03-08T07:30:00"],
    ["last minute before a gap", "America/New_York", "2026-03-08 01:59", "2026-03-08T06:59:00"],
    ["end of a gap", "America/New_York", "2026-03-08 03:00", "2026-03-08T07:00:00"],
    ["fold: the earlier", "America/New_York", "2026-11-01 01:30", "2026-11-01T05:30:00"],
    ["just after a fold", "America/New_York", "2026-11-01 02:00", "2026-11-01T07:00:00"],
    ["gap of half an hour", "Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03T15:45:00"],
    ["fold of half an hour", "Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04T14:45:00"],
    ["gap of two hours", "Antarctica/Troll", "2026-03-29 01:30", "2026-03-29T01:30:00"],
    ["fold of two hours", "Antarctica/Troll", "2026-10-25 01:30", "2026-10-24T23:30:00"],
    ["midnight in a gap", "Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00"],
    ["midnight in a gap, later minute", "America/Sao_Paulo", "2018-11-04 00:30", "2018-11-04T03:30:00"],
    ["midnight in a fold", "America/Havana", "2026-11-01", "2026-11-01T04:00:00"],
    ["quarter-hour offset", "Asia/Kathmandu", "2026-11-21 00:00", "2026-11-20T18:15:00"],
    ["a skipped day moves on by the gap", "Pacific/Apia", "2011-12-30 12:00", "2011-12-30T22:00:00"],
    ["a plain day", "UTC", "2026-11-21 10:00", "2026-11-21T10:00:00"],
  ];
  it.each(starts)("a start is resolved to its instant: %s, in %s at %s", (_, name, text, expected) => {
    assert.strictEqual(utcText(startInstant(zone(name), wall(text))), `${expected}+00:00`);
  });

  const ends: ReadonlyArray<readonly [string, string, string, string]> = [
    ["a plain day", "Europe/Amsterdam", "2026-11-21", "2026-11-21T22:59:59"],
    ["before midnight in a gap", "Africa/Cairo", "2026-04-23", "2026-04-23T21:59:59"],
    ["before midnight in a fold", "America/Havana", "2026-10-31", "2026-11-01T03:59:59"],
    ["the hour before midnight comes twice", "Africa/Cairo", "2026-10-29", "2026-10-29T21:59:59"],
    ["fold from past midnight", "America/St_Johns", "2010-11-06", "2010-11-07T02:29:59"],
    ["gap across midnight", "America/Toronto", "1919-03-30", "1919-03-31T04:29:59"],
    ["before a skipped day", "Pacific/Apia", "2011-12-29", "2011-12-30T09:59:59"],
    ["with a time", "Europe/Amsterdam", "2026-11-21 18:30", "2026-11-21T17:30:00"],
    [
      "west of UTC on the last day that can be written",
      "America/New_York",
      "9999-12-31",
      "9999-12-31T23:59:59",
    ],
  ];
  it.each(ends)("an end is resolved to its instant: %s, in %s at %s", (_, name, text, expected) => {
    // Toronto's gap is before 1970, which wall times cannot express.
    const end = endInstant(zone(name), text < "1970" ? Brand.nominal<WallTime>()(text) : wall(text));
    assert.strictEqual(utcText(end), `${expected}+00:00`);
  });

  it("a moved time is shown as moved, and any instant on the clock of the zone (E1.1)", () => {
    const newYork = zone("America/New_York");
    assert.strictEqual<string>(
      wallTimeAt(newYork, startInstant(newYork, wall("2026-03-08 02:30"))),
      "2026-03-08 03:30",
    );
    assert.strictEqual<string>(wallTimeAt(newYork, utc("2026-11-01T06:30:59.999")), "2026-11-01 01:30");
    assert.strictEqual<string>(dateAt(zone("Pacific/Kiritimati"), utc("2026-11-20T10:00:00")), "2026-11-21");
  });
});

describe("Local days", () => {
  it("days are counted by the calendar, across leap days and years", () => {
    assert.strictEqual<string>(addDays(date("2028-02-28"), 2), "2028-03-01");
    assert.strictEqual<string>(addDays(date("2026-01-01"), -1), "2025-12-31");
    assert.strictEqual(daysBetween(date("2026-11-21"), date("2027-11-21")), 365);
    assert.strictEqual(daysBetween(date("2026-11-21"), date("2026-11-20")), -1);
  });

  it("a range of days ends just before the day after the last", () => {
    assert.deepStrictEqual(dayRange(zone("Europe/Amsterdam"), date("2026-03-28"), date("2026-03-29")), {
      fromMs: utc("2026-03-27T23:00:00"),
      toMs: utc("2026-03-29T22:00:00"),
    });
  });

  it("days are contiguous, and a skipped day is empty", () => {
    const days = daysOf(zone("Pacific/Apia"), date("2011-12-28"), date("2012-01-01"));
    assert.deepStrictEqual(
      days.map((day): ReadonlyArray<unknown> => [day.date, (day.toMs - day.fromMs) / 3_600_000]),
      [
        ["2011-12-28", 24],
        ["2011-12-29", 24],
        ["2011-12-30", 0],
        ["2011-12-31", 24],
        ["2012-01-01", 24],
      ],
    );
    days.slice(1).forEach((day, i) => assert.strictEqual(day.fromMs, days[i]?.toMs));
  });

  it("weeks begin on Monday (ISO) and months on the first, on the clock of the zone (L4.2)", () => {
    const cairo = zone("Africa/Cairo");
    const now = utc("2026-04-26T21:30:00");
    assert.strictEqual<string>(wallTimeAt(cairo, now), "2026-04-27 00:30");
    assert.strictEqual(periodStart(cairo, "day", now), utc("2026-04-26T21:00:00"));
    assert.strictEqual(periodStart(cairo, "week", now), utc("2026-04-26T21:00:00"));
    assert.strictEqual(periodStart(cairo, "week", now - 3_600_000), utc("2026-04-19T22:00:00"));
    assert.strictEqual(periodStart(cairo, "month", now), utc("2026-03-31T22:00:00"));
    assert.strictEqual(
      periodStart(zone("UTC"), "week", utc("2027-01-01T12:00:00")),
      utc("2026-12-28T00:00:00"),
    );
    assert.strictEqual(
      periodStart(zone("UTC"), "week", utc("1970-01-01T00:00:00")),
      utc("1969-12-29T00:00:00"),
    );
  });

  it("a day ends one second before the next begins (E1.2)", () => {
    const beirut = zone("Asia/Beirut");
    assert.strictEqual(dayEnd(beirut, date("2026-03-28")) + 1000, dayStart(beirut, date("2026-03-29")));
  });
});
