import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { parseInstant } from "../../src/time/Instant.ts";

describe("parseInstant (D3)", () => {
  it("parseInstant reads every date-time that JavaScript writes, to the millisecond (D3)", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          assert.strictEqual(parseInstant(date.toISOString()), date.getTime());
        },
      ),
    );
  });

  it("parseInstant accepts offsets and dates, and reads UTC without an offset (D3)", () => {
    const noon = Date.parse("2026-11-21T12:00:00Z");
    for (const text of [
      "2026-11-21T12:00:00Z",
      "2026-11-21T13:00:00+01:00",
      "2026-11-21T13:00:00 01:00",
      "2026-11-21T06:30:00-0530",
      "2026-11-21T13:00:00+01",
      "2026-11-21 12:00",
      "2026-11-21t12:00:00.000z",
    ]) {
      assert.strictEqual(parseInstant(text), noon, text);
    }
    assert.strictEqual(parseInstant("2026-11-21"), Date.parse("2026-11-21T00:00:00Z"));
  });

  it("parseInstant refuses impossible dates and times, and anything else (D3)", () => {
    for (const text of [
      "2026-02-30",
      "2025-02-29T00:00:00Z",
      "2026-13-01",
      "2026-11-21T24:00:00Z",
      "2026-11-21T12:60:00Z",
      "2026-11-21T12:00:00+24:00",
      "0000-01-01",
      "yesterday",
      "1763726400",
      "2026-11-21T12:00:00Z; DROP TABLE campaign",
      "",
    ]) {
      assert.isNull(parseInstant(text), text);
    }
  });
});
