import { assert, describe, it } from "vitest";
import {
  daysOf,
  noRecurrence,
  recurrenceValuesOf,
  recurrenceWords,
  ruleOf,
  sentRecurrence,
  writtenEndOf,
} from "../../console/campaigns/RecurrenceForm.ts";
import type { Campaign } from "../../console/data/Resources.ts";

/** A Tuesday, the fourth of its month. */
const start = "2026-11-24 09:00";

const campaign = (rule: string, ends_at: string | null) =>
  ({
    ends_at,
    recurrence: { rule, except: [] },
    starts_at: "2026-11-24T08:00:00+00:00",
    timezone: "Europe/Amsterdam",
  }) as unknown as Campaign;

describe("the form of a recurrence", () => {
  it("makes the rule of what is chosen (console.recurrence)", () => {
    const rule = (values: Partial<typeof noRecurrence>) => ruleOf({ ...noRecurrence, ...values }, start);
    assert.strictEqual(rule({ repeat: "DAILY" }), "FREQ=DAILY");
    assert.strictEqual(
      rule({ repeat: "WEEKLY", repeat_every: "2", repeat_on: "TH,MO" }),
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH",
    );
    assert.strictEqual(rule({ repeat: "MONTHLY" }), "FREQ=MONTHLY");
    assert.strictEqual(rule({ repeat: "MONTHLY", repeat_on: "week" }), "FREQ=MONTHLY;BYDAY=4TU");
    assert.strictEqual(rule({ repeat: "MONTHLY", repeat_on: "last week" }), "FREQ=MONTHLY;BYDAY=-1TU");
    assert.strictEqual(rule({ repeat: "MONTHLY", repeat_on: "last" }), "FREQ=MONTHLY;BYMONTHDAY=-1");
    assert.strictEqual(rule({ repeat: "YEARLY", repeat_count: "3" }), "FREQ=YEARLY;COUNT=3");
    assert.strictEqual(rule({ repeat: "rule", repeat_rule: " FREQ=DAILY " }), "FREQ=DAILY");
    assert.isNull(sentRecurrence(noRecurrence, start));
  });

  it("shows a stored recurrence so that saving it changes nothing (console.recurrence)", () => {
    for (const rule of [
      "FREQ=DAILY",
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH",
      "FREQ=WEEKLY;BYDAY=TH,MO",
      "FREQ=MONTHLY;BYDAY=4TU",
      "FREQ=MONTHLY;BYDAY=1MO",
      "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
      "COUNT=3;FREQ=DAILY",
      "FREQ=DAILY;UNTIL=20261231",
    ]) {
      const recurrence = { rule, except: ["2026-12-24", "2026-12-31"] };
      assert.deepStrictEqual(sentRecurrence(recurrenceValuesOf(recurrence, start), start), recurrence, rule);
    }
    assert.strictEqual(
      recurrenceValuesOf({ rule: "FREQ=MONTHLY;BYDAY=4TU", except: [] }, start).repeat_on,
      "week",
    );
    assert.strictEqual(
      recurrenceValuesOf({ rule: "FREQ=MONTHLY;BYDAY=1MO", except: [] }, start).repeat,
      "rule",
    );
  });

  it("tells a last day that was written from one that the rule ends on (console.recurrence)", () => {
    assert.strictEqual(writtenEndOf(campaign("FREQ=DAILY", "2026-12-24T22:59:59+00:00")), "2026-12-24");
    assert.strictEqual(writtenEndOf(campaign("FREQ=DAILY;COUNT=3", "2026-11-26T22:59:59+00:00")), "");
    assert.strictEqual(
      writtenEndOf(campaign("FREQ=DAILY;COUNT=3", "2026-12-24T22:59:59+00:00")),
      "2026-12-24",
    );
    assert.strictEqual(writtenEndOf(campaign("FREQ=DAILY", null)), "");
  });

  it("has the next dates without exceptions, and the sentence of a wrong rule (console.recurrence)", () => {
    const next = (rule: string, to = "") =>
      daysOf({ rule, except: ["2026-12-07"] }, start, { from: "2026-11-30", to, most: 3 });
    assert.deepStrictEqual(next("FREQ=WEEKLY;BYDAY=MO"), ["2026-11-30", "2026-12-14", "2026-12-21"]);
    assert.deepStrictEqual(next("FREQ=WEEKLY;BYDAY=MO", "2026-12-14"), ["2026-11-30", "2026-12-14"]);
    assert.include(next("FREQ=HOURLY") as string, "FREQ");
  });

  it("says a recurrence in words (console.recurrence)", () => {
    const words = (rule: string) => recurrenceWords({ rule, except: [] }, start);
    assert.strictEqual(words("FREQ=DAILY"), "Every day");
    assert.strictEqual(
      words("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=10"),
      "Every 2 weeks on Monday, Thursday, 10 times",
    );
    assert.strictEqual(words("FREQ=MONTHLY;BYDAY=4TU"), "Every month on the fourth Tuesday");
    assert.strictEqual(words("FREQ=YEARLY"), "Every year");
    assert.strictEqual(words("FREQ=YEARLY;BYMONTHDAY=6"), "FREQ=YEARLY;BYMONTHDAY=6");
  });
});
