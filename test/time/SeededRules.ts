import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Dice } from "../sending/Dice.ts";
import { addDays } from "../../src/time/DayNumbers.ts";
import type { LocalDate } from "../../src/time/LocalTime.ts";
import { ruleDays } from "../../src/time/RecurrenceDays.ts";
import { parseRule } from "../../src/time/RecurrenceRule.ts";

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** A rule with its first day. */
export interface SeededRule {
  readonly text: string;
  readonly first: LocalDate;
}

/** The first items, at most so many. */
export const taken = <A>(items: Iterable<A>, most: number): ReadonlyArray<A> => {
  const found: Array<A> = [];
  for (const item of items) if (found.push(item) === most) break;
  return found;
};

/** The days of a rule that are compared: the first twelve within forty years. */
const daysOf = ({ first, text }: SeededRule): string => {
  const rule = parseRule(text);
  // Positions that no period has: python-dateutil finds no day.
  if (typeof rule === "string" && rule.includes("BYSETPOS: no ")) return "";
  if (typeof rule === "string") throw new Error(rule);
  const last = `${Number(first.slice(0, 4)) + 40}-12-31` as LocalDate;
  return taken(ruleDays(rule, first, first, last), 12).join(",");
};

/** The digest of a group of rules with their days, as `scripts/recurrence/reference.py` makes it. */
export const digestOf = (group: ReadonlyArray<SeededRule>): string => {
  const lines = group.map((rule) => `${rule.first} ${rule.text} ${daysOf(rule)}\n`);
  return createHash("sha256").update(lines.join("")).digest("hex").slice(0, 8);
};

/** The digests by python-dateutil, each of a hundred rules. */
export const recordedDigests: ReadonlyArray<string> = readFileSync(
  new URL("dateutil.txt", import.meta.url),
  "utf8",
)
  .trim()
  .split(/\s+/);

/** Valid recurrence rules from a seed, all parts in all combinations. */
export function* seededRules(count: number): Generator<SeededRule> {
  const dice = new Dice(20_261_124);
  const some = (most: number, entry: () => string) =>
    [...new Set(Array.from({ length: 1 + dice.below(most) }, entry))].join(",");
  const signed = (max: number) => `${dice.chance(0.35) ? "-" : ""}${1 + dice.below(max)}`;
  const entry = <A>(items: ReadonlyArray<A>) => dice.one(items) as A;

  for (let made = 0; made < count; made++) {
    const frequency = entry(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
    const isNumbered = frequency === "MONTHLY" || frequency === "YEARLY";
    const first = addDays("2000-01-01" as LocalDate, dice.below(36_525));
    const parts = [`FREQ=${frequency}`];
    if (dice.chance(0.5))
      parts.push(`INTERVAL=${dice.chance(0.9) ? 1 + dice.below(6) : 1 + dice.below(366)}`);
    const byMonth = dice.chance(0.3);
    const most = frequency === "YEARLY" && !byMonth && dice.chance(0.3) ? 53 : 5;
    const byDay = dice.chance(0.5);
    if (byDay)
      parts.push(
        `BYDAY=${some(4, () => `${isNumbered && dice.chance(0.5) ? signed(most) : ""}${entry(weekdays)}`)}`,
      );
    const byMonthDay = frequency !== "WEEKLY" && dice.chance(0.35);
    if (byMonthDay) parts.push(`BYMONTHDAY=${some(4, () => signed(31))}`);
    if (byMonth) parts.push(`BYMONTH=${some(4, () => String(1 + dice.below(12)))}`);
    if ((byDay || byMonthDay || byMonth) && dice.chance(0.35))
      parts.push(`BYSETPOS=${some(3, () => signed(dice.chance(0.8) ? 6 : 366))}`);
    if (dice.chance(0.3)) parts.push(`WKST=${entry(weekdays)}`);
    const isCounted = dice.chance(0.3);
    if (isCounted) parts.push(`COUNT=${1 + dice.below(15)}`);
    if (!isCounted && dice.chance(0.3))
      parts.push(`UNTIL=${addDays(first, dice.below(4000)).replaceAll("-", "")}`);
    yield { text: parts.join(";"), first };
  }
}
