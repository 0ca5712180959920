import { assert, describe, it } from "vitest";
import { endOfChanged, newCampaign } from "../../console/campaigns/CampaignForm.ts";
import { daysOf } from "../../console/campaigns/RecurrenceDates.ts";
import { choicesOf, noRecurrence, recurrenceWords, ruleOf } from "../../console/campaigns/RecurrenceForm.ts";

/** A Tuesday, the fourth of its month. */
const start = "2026-11-24 09:00";

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
    assert.strictEqual(rule({}), "");
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
      const chosen = choicesOf(rule, start);
      if (chosen.repeat !== "rule") assert.strictEqual(ruleOf(chosen, start), rule);
    }
    assert.strictEqual(choicesOf("FREQ=MONTHLY;BYDAY=4TU", start).repeat_on, "week");
    for (const rule of ["FREQ=MONTHLY;BYDAY=1MO", "COUNT=3;FREQ=DAILY", "FREQ=DAILY;UNTIL=20261231"])
      assert.strictEqual(choicesOf(rule, start).repeat, "rule");
    assert.deepStrictEqual(choicesOf("", start), noRecurrence);
  });

  it("has the next dates without exceptions, and the sentence of a wrong rule (console.recurrence)", () => {
    const next = (rule: string, to = "") =>
      daysOf({ rule, except: ["2026-12-07"] }, start, { from: "2026-11-30", to, most: 3 });
    assert.deepStrictEqual(next("FREQ=WEEKLY;BYDAY=MO"), ["2026-11-30", "2026-12-14", "2026-12-21"]);
    assert.deepStrictEqual(next("FREQ=WEEKLY;BYDAY=MO", "2026-12-14"), ["2026-11-30", "2026-12-14"]);
    assert.include(next("FREQ=HOURLY") as string, "FREQ");
  });

  it("finds the end of a rule that ends by itself again when its days change (console.recurrence)", () => {
    const stored = { ...newCampaign("UTC"), ends_at: "2026-12-15", recurrence_rule: "FREQ=WEEKLY;COUNT=4" };
    assert.strictEqual(endOfChanged(stored, stored).ends_at, "");
    // An end that was typed meanwhile, and one of a rule without an end, stay.
    assert.strictEqual(endOfChanged({ ...stored, ends_at: "2026-12-08" }, stored).ends_at, "2026-12-08");
    const endless = { ...stored, recurrence_rule: "FREQ=WEEKLY" };
    assert.strictEqual(endOfChanged(endless, endless).ends_at, "2026-12-15");
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
