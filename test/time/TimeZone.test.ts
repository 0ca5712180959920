import { assert, describe, it } from "@effect/vitest";
import { Result, Schema } from "effect";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { offsetAt, TimeZoneName, timeZoneNames } from "../../src/time/TimeZone.ts";

const read = Schema.decodeUnknownResult(TimeZoneName);
const zone = Schema.decodeUnknownSync(TimeZoneName);

describe("TimeZoneName", () => {
  it(
    "TimeZoneName accepts every name of the runtime, and the links of the tz database " +
      "(campaigns.f_timezone)",
    () => {
      for (const name of [...Intl.supportedValuesOf("timeZone"), ...timeZoneNames])
        assert.strictEqual(zone(name), name);
      for (const link of [
        "UTC",
        "Etc/UTC",
        "GMT",
        "Europe/Kyiv",
        "Asia/Calcutta",
        "Asia/Kolkata",
        "US/Pacific",
        "EST",
      ])
        assert.strictEqual(zone(link), link);
    },
  );

  it("every accepted name has an offset", () => {
    for (const name of timeZoneNames)
      assert.isTrue(Math.abs(offsetAt(zone(name), 1.8e12)) <= 14 * 3_600_000, name);
  });

  it("TimeZoneName decodes to the tz database's spelling, from any case and without blanks", () => {
    const spelled = {
      utc: "UTC",
      "europe/kyiv": "Europe/Kyiv",
      "ASIA/CALCUTTA": "Asia/Calcutta",
      "america/port_of_spain": "America/Port_of_Spain",
      "AMERICA/PORT-AU-PRINCE": "America/Port-au-Prince",
      "antarctica/dumontdurville": "Antarctica/DumontDUrville",
      "etc/gmt+5": "Etc/GMT+5",
      " Europe/Amsterdam ": "Europe/Amsterdam",
    };
    for (const [sent, kept] of Object.entries(spelled)) assert.strictEqual(zone(sent), kept);
  });

  it("TimeZoneName refuses offsets, ICU abbreviations and made-up names (campaigns.f_timezone)", () => {
    const refused = [
      "+02:00",
      "+0200",
      "Z",
      "UTC+2",
      "GMT+5",
      "BST",
      "PST",
      "IST",
      "JST",
      "SystemV/AST4",
      "Factory",
    ];
    for (const name of [
      ...refused,
      "Mars/Olympus",
      "Europe",
      "",
      "Europe/Amster dam",
      "__proto__",
      "constructor",
    ])
      assert.isTrue(Result.isFailure(read(name)), name);
  });

  it("the refusal of a time zone says what would be right", () => {
    const result = read("+02:00");
    assert.isTrue(Result.isFailure(result));
    if (Result.isFailure(result))
      assert.include(String(result.failure), "The {field} must be a name of the IANA");
  });
});

describe("offsetAt", () => {
  it("offsetAt caches no wrong offset, on days with a clock change and after many days", () => {
    const amsterdam = zone("Europe/Amsterdam");
    const change = Date.UTC(2026, 2, 29, 1);
    for (let round = 0; round < 2; round++) {
      assert.strictEqual(offsetAt(amsterdam, change - 1), 3_600_000);
      assert.strictEqual(offsetAt(amsterdam, change), 7_200_000);
      for (let day = 0; day < 1000; day++) offsetAt(amsterdam, day * DAY_MS);
    }
  });

  it("offsetAt counts the seconds of old offsets", () => {
    assert.strictEqual(offsetAt(zone("Africa/Monrovia"), Date.UTC(1971, 0, 1)), -(44 * 60 + 30) * 1000);
  });
});
