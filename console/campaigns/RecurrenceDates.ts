/** The dates of a recurrence, found by the rules of the server. Loaded where dates are shown. */
import { lastDate, ruleDays } from "../../src/time/RecurrenceDays.ts";
import { parseRule } from "../../src/time/RecurrenceRule.ts";
import type { Recurrence } from "../data/Resources.ts";

type Day = Parameters<typeof ruleDays>[1];

/** The days of a recurrence from one day to another, at most so many; the sentence of a wrong rule. */
export const daysOf = (
  { except, rule: text }: Recurrence,
  start: string,
  { from, most, to }: { readonly from: string; readonly to: string; readonly most: number },
): ReadonlyArray<string> | string => {
  const rule = parseRule(text);
  if (typeof rule === "string") return rule;
  const days: Array<string> = [];
  for (const day of ruleDays(rule, start.slice(0, 10) as Day, from as Day, (to || lastDate) as Day)) {
    if (except.includes(day)) continue;
    if (days.push(day) === most) break;
  }
  return days;
};
