/** The values of "Repeats" in the campaign editor, and the rule of RFC 5545 that they are. */
import { lastDate, lastRuleDay, ruleDays } from "../../src/time/RecurrenceDays.ts";
import { parseRule } from "../../src/time/RecurrenceRule.ts";
import type { Campaign, Recurrence } from "../data/Resources.ts";
import { wallEndAt, wallTimeAt } from "../parts/WallClock.ts";

/** Typed and chosen values. The last day is the campaign's own end. */
export interface RecurrenceValues {
  /** How often, or a typed rule; empty for a campaign of one day. */
  readonly repeat: "" | "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY" | "rule";
  readonly repeat_every: string;
  /** The weekdays of WEEKLY, such as `MO,TH`; of MONTHLY a value of `monthDays`. Empty: that of the start. */
  readonly repeat_on: string;
  readonly repeat_count: string;
  readonly repeat_rule: string;
  /** Dates with commas between them. */
  readonly repeat_except: string;
}

/** A campaign of one day. */
export const noRecurrence: RecurrenceValues = {
  repeat: "",
  repeat_every: "1",
  repeat_on: "",
  repeat_count: "",
  repeat_rule: "",
  repeat_except: "",
};

type Day = Parameters<typeof ruleDays>[1];

/** The weekdays by their names in rules. */
export const weekdays = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};
const weekdayKeys = Object.keys(weekdays) as ReadonlyArray<keyof typeof weekdays>;
const ordinals = ["first", "second", "third", "fourth", "fifth"];

/** The choices of the day of a month, each with its part of a rule, for the day of the start. */
export const monthDays = (start: string) => {
  const day = Number(start.slice(8, 10));
  const weekday = weekdayKeys[(new Date(`${start.slice(0, 10)}T12:00:00Z`).getUTCDay() + 6) % 7] ?? "MO";
  const week = Math.ceil(day / 7);
  return [
    { value: "", text: `On day ${day}`, part: "" },
    {
      value: "week",
      text: `On the ${ordinals[week - 1]} ${weekdays[weekday]}`,
      part: `;BYDAY=${week}${weekday}`,
    },
    { value: "last week", text: `On the last ${weekdays[weekday]}`, part: `;BYDAY=-1${weekday}` },
    { value: "last", text: "On the last day", part: ";BYMONTHDAY=-1" },
  ];
};

/** The rule of the values; `start` is the first day. */
export const ruleOf = (values: RecurrenceValues, start: string): string => {
  const { repeat, repeat_count: count, repeat_every: every, repeat_on: on, repeat_rule: rule } = values;
  if (repeat === "rule") return rule.trim();
  const days = weekdayKeys.filter((key) => on.split(",").includes(key));
  const part =
    repeat === "MONTHLY"
      ? (monthDays(start).find(({ value }) => value === on)?.part ?? "")
      : repeat === "WEEKLY" && days.length > 0
        ? `;BYDAY=${days.join(",")}`
        : "";
  const interval = every.trim() === "1" ? "" : `;INTERVAL=${every.trim()}`;
  return `FREQ=${repeat}${interval}${part}${count.trim() === "" ? "" : `;COUNT=${count.trim()}`}`;
};

/** The recurrence of a write; null for a campaign of one day. */
export const sentRecurrence = (values: RecurrenceValues, start: string): Recurrence | null => {
  if (values.repeat === "") return null;
  const except = values.repeat_except.split(",").map((date) => date.trim());
  return { rule: ruleOf(values, start), except: except.filter((date) => date !== "") };
};

/** The values of a recurrence. A rule that the plain form cannot make stays a typed one. */
export const recurrenceValuesOf = (recurrence: Recurrence | null, start: string): RecurrenceValues => {
  if (recurrence === null) return noRecurrence;
  const { except, rule } = recurrence;
  const parts = new Map(rule.split(";").map((part) => part.split("=") as [string, string]));
  const plain: RecurrenceValues = {
    repeat: (parts.get("FREQ") ?? "") as RecurrenceValues["repeat"],
    repeat_every: parts.get("INTERVAL") ?? "1",
    repeat_on: parts.get("BYDAY") ?? "",
    repeat_count: parts.get("COUNT") ?? "",
    repeat_rule: "",
    repeat_except: except.join(", "),
  };
  const candidates = [plain, ...monthDays(start).map(({ value }) => ({ ...plain, repeat_on: value }))];
  const found = candidates.find((values) => ruleOf(values, start) === rule);
  return found ?? { ...noRecurrence, repeat: "rule", repeat_rule: rule, repeat_except: plain.repeat_except };
};

/** The last day that was written, as far as the rule does not end there by itself; empty for none. */
export const writtenEndOf = ({ ends_at: end, recurrence, starts_at: start, timezone }: Campaign): string => {
  if (end === null || recurrence === null) return "";
  const day = wallEndAt(end, timezone).slice(0, 10);
  const rule = parseRule(recurrence.rule);
  if (typeof rule === "string" || (rule.count === null && rule.until === null)) return day;
  const first = wallTimeAt(start, timezone).slice(0, 10) as Day;
  const except = new Set(recurrence.except.map((date) => date as Day));
  return lastRuleDay(rule, first, lastDate, except) === day ? "" : day;
};

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

const units = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };

/** A recurrence in words, such as "Every 2 weeks on Monday, 10 times"; a rule of its own as it is. */
export const recurrenceWords = (recurrence: Recurrence, start: string): string => {
  const values = recurrenceValuesOf(recurrence, start);
  const { repeat, repeat_count: count, repeat_every: every, repeat_on: on } = values;
  if (repeat === "" || repeat === "rule") return recurrence.rule;
  const unit = every === "1" ? units[repeat] : `${every} ${units[repeat]}s`;
  const days = weekdayKeys.filter((key) => on.split(",").includes(key)).map((key) => weekdays[key]);
  const month = monthDays(start).find(({ value }) => value === on)?.text ?? "";
  const where =
    repeat === "MONTHLY" ? ` ${month.replace("On", "on")}` : days.length > 0 ? ` on ${days.join(", ")}` : "";
  return `Every ${unit}${where}${count === "" ? "" : `, ${count} times`}`;
};
