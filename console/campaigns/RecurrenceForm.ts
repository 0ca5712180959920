/** The choices of "Repeats" in the campaign editor, and the rule of RFC 5545 that they are. */
import type { Recurrence } from "../data/Resources.ts";

/** The values of a form with a recurrence. Without a rule it has one day; commas separate dates. */
export interface RecurringValues {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly timezone: string;
  readonly recurrence_rule: string;
  readonly recurrence_except: string;
}

/** The choices that make a rule. The last day is the campaign's own end. */
export interface RecurrenceValues {
  /** How often, or a typed rule; empty for a campaign of one day. */
  readonly repeat: "" | "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY" | "rule";
  readonly repeat_every: string;
  /** The weekdays of WEEKLY, such as `MO,TH`; of MONTHLY a value of `monthDays`. Empty: that of the start. */
  readonly repeat_on: string;
  readonly repeat_count: string;
}

/** A campaign of one day. */
export const noRecurrence: RecurrenceValues = {
  repeat: "",
  repeat_every: "1",
  repeat_on: "",
  repeat_count: "",
};

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

/** The rule of choices; `start` is the first day. Empty for a campaign of one day. */
export const ruleOf = (values: RecurrenceValues, start: string): string => {
  const { repeat, repeat_count: count, repeat_every: every, repeat_on: on } = values;
  if (repeat === "" || repeat === "rule") return "";
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

/** The choices of a rule. One that the plain form cannot make stays a typed one. */
export const choicesOf = (rule: string, start: string): RecurrenceValues => {
  if (rule === "") return noRecurrence;
  const parts = new Map(rule.split(";").map((part) => part.split("=") as [string, string]));
  const plain: RecurrenceValues = {
    repeat: (parts.get("FREQ") ?? "") as RecurrenceValues["repeat"],
    repeat_every: parts.get("INTERVAL") ?? "1",
    repeat_on: parts.get("BYDAY") ?? "",
    repeat_count: parts.get("COUNT") ?? "",
  };
  const candidates = [plain, ...monthDays(start).map(({ value }) => ({ ...plain, repeat_on: value }))];
  const found = candidates.find((values) => ruleOf(values, start) === rule);
  return found ?? { ...noRecurrence, repeat: "rule" };
};

const units = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };

/** A recurrence in words, such as "Every 2 weeks on Monday, 10 times"; a rule of its own as it is. */
export const recurrenceWords = (recurrence: Recurrence, start: string): string => {
  const values = choicesOf(recurrence.rule, start);
  const { repeat, repeat_count: count, repeat_every: every, repeat_on: on } = values;
  if (repeat === "" || repeat === "rule") return recurrence.rule;
  const unit = every === "1" ? units[repeat] : `${every} ${units[repeat]}s`;
  const days = weekdayKeys.filter((key) => on.split(",").includes(key)).map((key) => weekdays[key]);
  const month = monthDays(start).find(({ value }) => value === on)?.text ?? "";
  const where =
    repeat === "MONTHLY" ? ` ${month.replace("On", "on")}` : days.length > 0 ? ` on ${days.join(", ")}` : "";
  return `Every ${unit}${where}${count === "" ? "" : `, ${count} times`}`;
};
