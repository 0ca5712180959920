/** Flags for plans, frequency caps and quiet hours. */
import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import { Plan } from "../workspaces/Plan.ts";
import { badUsage } from "./CommandRefused.ts";
import { optionalFlag } from "./Flags.ts";

/** Keys of a plan, such as `--plan max_campaigns=500 --plan surveys=false --plan max_locations=none`. */
export const planFlag = Flag.KeyValuePair("plan").pipe(
  Flag.withDescription("A key of the plan and its value; none for no limit. May be repeated"),
  Flag.optional,
);

const parseValue = (key: string, text: string): unknown => {
  if (text === "none" || text === "null") return null;
  if (text === "true") return true;
  if (text === "false") return false;
  if (key === "media_kinds") return text.split(",").filter((kind) => kind !== "");
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

/** Parses the plan of a request. An unknown key is bad usage, because the server would ignore it. */
export const parsePlan = Effect.fnUntraced(function* (flag: Option.Option<Record<string, string>>) {
  if (Option.isNone(flag)) return undefined;
  const known = Object.keys(Plan.fields);
  const unknown = Object.keys(flag.value).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    return yield* badUsage(`A plan has no key ${unknown.join(", ")}. It has: ${known.join(", ")}.`);
  return Object.fromEntries(Object.entries(flag.value).map(([key, text]) => [key, parseValue(key, text)]));
});

/** The named groups of a flag's value: null for `none`, undefined if the flag was not given. */
const parseParts = Effect.fnUntraced(function* (
  flag: Option.Option<string>,
  name: string,
  pattern: RegExp,
  example: string,
) {
  if (Option.isNone(flag)) return undefined;
  if (flag.value === "none") return null;
  const { groups } = pattern.exec(flag.value) ?? {};
  return groups ?? (yield* badUsage(`--${name} must be such as ${example}, or none; it is "${flag.value}".`));
});

/** A frequency cap, such as `3/day`, or `none`. */
export const capFlag = optionalFlag(
  "frequency-cap",
  "Maximum deliveries of a campaign to one device, such as 3/day, 5/week or 10/month; none for no cap",
);

/** Parses the cap of a request: null for `none`, undefined if the flag was not given. */
export const parseCap = (flag: Option.Option<string>) =>
  Effect.map(
    parseParts(flag, "frequency-cap", /^(?<count>\d+)\/(?<period>\w+)$/, "3/day"),
    (parts) => parts && { ...parts, count: Number(parts["count"]) },
  );

/** The most deliveries a minute, or `none`. */
export const paceFlag = optionalFlag(
  "max-per-minute",
  "Maximum deliveries in any minute, such as 60000; none for no limit",
);

/** Parses the pace of a request: null for `none`, undefined if the flag was not given. */
export const parsePace = (flag: Option.Option<string>) =>
  Effect.map(
    parseParts(flag, "max-per-minute", /^(?<count>\d+)$/, "60000"),
    (parts) => parts && Number(parts["count"]),
  );

/** Parses the holdout of a request: null for `none`, undefined if the flag was not given. */
export const parseHoldout = (flag: Option.Option<string>) =>
  Effect.map(
    parseParts(flag, "holdout", /^(?<percent>\d+(?:\.\d+)?)$/, "10"),
    (parts) => parts && Number(parts["percent"]),
  );

/** Quiet hours, such as `22:00-07:00/hold`, or `none`. */
export const quietHoursFlag = optionalFlag(
  "quiet-hours",
  "Hours of the day without messages, in each device's time zone, such as 22:00-07:00/hold or " +
    "22:00-07:00/drop; none for none",
);

/** Parses the quiet hours of a request: null for `none`, undefined if the flag was not given. */
export const parseQuietHours = (flag: Option.Option<string>) =>
  parseParts(flag, "quiet-hours", /^(?<from>[\d:]+)-(?<to>[\d:]+)\/(?<action>\w+)$/, "22:00-07:00/hold");
