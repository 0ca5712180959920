import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import { Plan } from "../workspaces/Plan.ts";
import { BadUsage } from "./CommandRefused.ts";

/** Keys of a plan, as `--plan max_campaigns=500 --plan surveys=false --plan max_locations=none`. */
export const planFlag = Flag.KeyValuePair("plan").pipe(
  Flag.withDescription("A key of the plan and its value, `none` for no limit; may be repeated"),
  Flag.optional,
);

const valueOf = (key: string, text: string): unknown => {
  if (text === "none" || text === "null") return null;
  if (text === "true") return true;
  if (text === "false") return false;
  if (key === "media_kinds") return text.split(",").filter((kind) => kind !== "");
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

/** The plan as a body has it; a key that no plan has is bad usage, since the server would ignore it. */
export const planOf = (
  flag: Option.Option<Record<string, string>>,
): Effect.Effect<{ readonly [key: string]: unknown } | undefined, BadUsage> => {
  if (Option.isNone(flag)) return Effect.succeed(undefined);
  const known = Object.keys(Plan.fields);
  const unknown = Object.keys(flag.value).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    const message = `A plan has no ${unknown.join(", ")}. It has: ${known.join(", ")}.`;
    return Effect.fail(new BadUsage({ message }));
  }
  return Effect.succeed(
    Object.fromEntries(Object.entries(flag.value).map(([key, text]) => [key, valueOf(key, text)])),
  );
};

/** A frequency cap as `3/day`, or `none`. */
export const capFlag = Flag.String("frequency-cap").pipe(
  Flag.withDescription(
    "Most deliveries of a campaign to one device, such as 3/day, 5/week, 10/month, or none",
  ),
  Flag.optional,
);

/** The cap as a body has it: null for `none`, undefined when it was not given. */
export const capOf = (
  flag: Option.Option<string>,
): Effect.Effect<{ readonly count: number; readonly period: string } | null | undefined, BadUsage> => {
  if (Option.isNone(flag)) return Effect.succeed(undefined);
  if (flag.value === "none") return Effect.succeed(null);
  const [, count, period] = /^(\d+)\/(\w+)$/.exec(flag.value) ?? [];
  return count === undefined || period === undefined
    ? Effect.fail(
        new BadUsage({ message: `The frequency cap "${flag.value}" must be such as 3/day, or none.` }),
      )
    : Effect.succeed({ count: Number(count), period });
};
