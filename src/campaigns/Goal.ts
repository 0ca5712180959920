import { Schema } from "effect";
import { shownInteger, shownText } from "../wire/ShownFields.ts";

/** The things that can be the goal of a campaign. */
export const GoalType = Schema.Literals(["opened", "clicked", "answered", "visit", "event"]).annotate({
  description:
    "`opened`, `clicked` and `answered` are those of a message of the campaign; `visit` is an enter of one " +
    "of the locations, `event` a custom event.",
  examples: ["visit"],
});

const locations = (description: string, example: string) =>
  Schema.optionalKey(
    Schema.Array(Schema.String.annotate({ format: "uuid" })).annotate({
      description: `${description}. With neither list any location counts.`,
      examples: [[example]],
    }),
  );

/** The thing that people who are enrolled in an experiment do to count as converted (contract U5). */
export const Goal = Schema.Struct({
  type: GoalType,
  within_hours: shownInteger("It counts for so many hours after the person was enrolled.", 72),
  event: Schema.optionalKey(shownText("Name of the custom event of `event`.", "order.placed")),
  location_ids: locations("Locations of `visit`", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"),
  location_group_ids: locations("Location groups of `visit`", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e02"),
}).annotate({ identifier: "Goal" });
export type Goal = typeof Goal.Type;

/** The lists of locations of a goal. */
export const goalLists = ["location_ids", "location_group_ids"] as const;

/** A goal on write: a list that is left out, null or empty names no location, an event null none. */
export type SentGoal = Omit<Goal, (typeof goalLists)[number] | "event"> & {
  readonly [list in (typeof goalLists)[number]]?: ReadonlyArray<string> | null;
} & { readonly event?: string | null };

/** The goal to store, with each location once; lists without a location are left out. */
export const storedGoal = (sent: SentGoal | null | undefined): Goal | null => {
  if (sent === null || sent === undefined) return null;
  const { event, type, within_hours } = sent;
  const lists = goalLists.flatMap((list) => {
    const ids = [...new Set(sent[list] ?? [])];
    return ids.length === 0 ? [] : [[list, ids] as const];
  });
  return { type, within_hours, ...(event && { event }), ...Object.fromEntries(lists) };
};
