/** Flags for plans, frequency caps and quiet hours. */
import { Effect } from "effect";
import { Flag } from "effect/cli";
import { Plan } from "../workspaces/Plan.ts";
import { badUsage } from "./CommandRefused.ts";
import { optional, optionalFlag } from "./Flags.ts";

/** Keys of a plan, such as `--plan max_campaigns=500 --plan surveys=false --plan max_locations=none`. */
export const planFlag = optional(
  Flag.KeyValuePair("plan").pipe(
    Flag.withDescription("A key of the plan and its value; none for no limit. May be repeated"),
  ),
);

const parseValue = (key: string, text: string): unknown => {
  if (text === "none" || text === "null") return null;
  if (text === "true") return true;
  if (text === "false") return false;
  if (key === "media_kinds") return text.split(",").filter((kind) => kind !== "");
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

/** Parses the plan of a request. An unknown key is bad usage, because the server would ignore it. */
export const parsePlan = Effect.fnUntraced(function* (flag: Record<string, string> | undefined) {
  if (flag === undefined) return undefined;
  const known = Object.keys(Plan.fields);
  const unknown = Object.keys(flag).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    return yield* badUsage(`A plan has no key ${unknown.join(", ")}. It has: ${known.join(", ")}.`);
  return Object.fromEntries(Object.entries(flag).map(([key, text]) => [key, parseValue(key, text)]));
});

/** A flag with parts that a pattern names: `parse` gives null for `none`, undefined if it was not given. */
const flagOfParts = <A>(
  name: string,
  description: string,
  {
    example,
    pattern,
    read,
  }: {
    readonly pattern: RegExp;
    readonly example: string;
    readonly read: (parts: Readonly<Record<string, string>>) => A;
  },
) => ({
  flag: optionalFlag(name, description),
  parse: Effect.fnUntraced(function* (text: string | undefined) {
    if (text === undefined) return undefined;
    if (text === "none") return null;
    const { groups } = pattern.exec(text) ?? {};
    if (groups !== undefined) return read(groups);
    return yield* badUsage(`--${name} must be such as ${example}, or none; it is "${text}".`);
  }),
});

/** A frequency cap, such as `3/day`, or `none`. */
export const cap = flagOfParts(
  "frequency-cap",
  "Maximum deliveries of a campaign to one device, such as 3/day, 5/week or 10/month; none for no cap",
  {
    pattern: /^(?<count>\d+)\/(?<period>\w+)$/,
    example: "3/day",
    read: ({ count, ...period }) => ({ ...period, count: Number(count) }),
  },
);

/** The most deliveries a minute, or `none`. */
export const pace = flagOfParts(
  "max-per-minute",
  "Maximum deliveries in any minute, such as 60000; none for no limit",
  { pattern: /^(?<count>\d+)$/, example: "60000", read: ({ count }) => Number(count) },
);

/** The holdout of a campaign, or `none`. */
export const holdout = flagOfParts("holdout", "Percent of the people who get nothing of it, 0 to 50", {
  pattern: /^(?<percent>\d+(?:\.\d+)?)$/,
  example: "10",
  read: ({ percent }) => Number(percent),
});

/** Quiet hours, such as `22:00-07:00/hold`, or `none`. */
export const quietHours = flagOfParts(
  "quiet-hours",
  "Hours of the day without messages, in each device's time zone, such as 22:00-07:00/hold or " +
    "22:00-07:00/drop; none for none",
  {
    pattern: /^(?<from>[\d:]+)-(?<to>[\d:]+)\/(?<action>\w+)$/,
    example: "22:00-07:00/hold",
    read: (parts) => parts,
  },
);
