import { assert, describe, it } from "@effect/vitest";
import { reportRange } from "../../../src/reports/ReportRange.ts";
import { noCoverage, splitScope } from "../../../src/reports/rollups/reading/ScopeSplit.ts";
import type { LocalDate } from "../../../src/time/LocalTime.ts";
import type { TimeZoneName } from "../../../src/time/TimeZone.ts";

const filters = {
  campaign: null,
  location: null,
  locationGroup: null,
  activation: null,
  campaignStatus: null,
  contentType: null,
};
const at = (date: string) => Date.parse(`${date}T00:00:00Z`);
const range = reportRange("UTC" as TimeZoneName, "2026-09-20" as LocalDate, "2026-11-05" as LocalDate);
const scope = { range, filters, now: 0 };
const { fromMs, toMs } = range;
const split = (rolledUpFrom: number, monthsBefore = "2026-11-01") => {
  const { parts, raw, rolledUp } = splitScope(scope, { rolledUpFrom, monthsBefore });
  const period = (part: typeof raw) => part && [part.range.fromMs, part.range.toMs];
  return { parts, raw: period(raw), rolledUp: period(rolledUp) };
};

describe("The split of a report's scope", () => {
  it("a scope is read from rollups behind the rebuilt instant, and counted in source rows before it", () => {
    const cut = at("2026-10-10");
    assert.deepInclude(split(cut), { raw: [fromMs, cut], rolledUp: [cut, toMs] });
    for (const rolledUpFrom of [-Infinity, fromMs]) {
      assert.deepInclude(split(rolledUpFrom), { raw: undefined, rolledUp: [fromMs, toMs] });
    }
    for (const rolledUpFrom of [toMs, Infinity]) {
      assert.deepInclude(split(rolledUpFrom), { raw: [fromMs, toMs], rolledUp: undefined });
    }
    assert.isUndefined(splitScope(scope, noCoverage).rolledUp);
  });

  it("whole months that have rows are read as months, and the days beside them as days", () => {
    const days = (first: string, last: string) => ({ span: "day" as const, first, last });
    assert.deepStrictEqual(split(-Infinity).parts, [
      days("2026-09-20", "2026-09-30"),
      { span: "month", first: "2026-10-01", last: "2026-10-01" },
      days("2026-11-01", "2026-11-05"),
    ]);
    assert.deepStrictEqual(split(-Infinity, "2026-10-01").parts, [days("2026-09-20", "2026-11-05")]);
    assert.deepStrictEqual(splitScope(scope, noCoverage).parts, [days("2026-09-20", "2026-11-05")]);
  });
});
