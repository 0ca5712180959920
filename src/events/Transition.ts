import { Result, Schema } from "effect";
import type { TriggerType } from "../notifications/Notification.ts";
import { describedInstant } from "../time/Instant.ts";
import { DAY_MS } from "../time/DayNumbers.ts";
import { wholly } from "../wire/PartReader.ts";
import { Uuid } from "../wire/Text.ts";

/** The type of an event. */
export const TransitionType = Schema.Literals(["enter", "exit"]).annotate({
  description: "Whether the device entered or left the location.",
  examples: ["enter"],
});
export type TransitionType = typeof TransitionType.Type;

/** An enter or exit of a location, as a device reports it. */
export const Transition = Schema.Struct({
  id: Uuid.annotate({
    description: "The device's own id of the event. An event with the same id is a duplicate.",
    examples: ["5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a11"],
  }),
  type: TransitionType,
  location_id: Uuid.annotate({
    description: "Id of the location.",
    examples: ["01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"],
  }),
  occurred_at: describedInstant(
    "When it happened, as an ISO 8601 date-time; at most 366 days ago and 5 minutes ahead.",
  ),
}).annotate({
  identifier: "Transition",
  message: "Each event must be an object with an id, a type, a location_id and an occurred_at.",
});
export type Transition = typeof Transition.Type;

/** A reported event with the problem of its time, or the reasons why it cannot be read. */
export type EventReading<Event> =
  { readonly event: Event; readonly problem: string | null } | { readonly reasons: ReadonlyArray<string> };

const read = wholly(Transition);

/** Reads one enter or exit of a request, with all its problems. */
export const readTransition = (input: unknown, now: number): EventReading<Transition> =>
  Result.match(read(input), {
    onFailure: (reasons) => ({ reasons }),
    onSuccess: (event) => ({ event, problem: timeProblem(event.occurred_at, now) }),
  });

/** The trigger type of notifications that an event can fire. */
export const triggerOf = (type: TransitionType): TriggerType => (type === "enter" ? "on_enter" : "on_exit");

const maxAgeMillis = 366 * DAY_MS;
/** How far ahead of its receipt an event may have occurred. */
export const maxAheadMillis = 5 * 60_000;
const maxTriggerAgeMillis = 15 * 60_000;

/** The age in days from which an event may already be compacted. Retention is at least a day longer. */
export const lateDays = 59;

/** Whether an event reported now is so old that it may have been recorded and compacted before. */
export const isLate = (occurredAt: number, now: number): boolean => now - occurredAt >= lateDays * DAY_MS;

/** The problem with the time of an event or position that is reported now; null for none (contract L1). */
export const timeProblem = (
  occurredAt: number,
  now: number,
  noun: "event" | "position" = "event",
  maxMillis = maxAgeMillis,
): string | null => {
  if (now - occurredAt > maxMillis)
    return `The ${noun}'s time lies over ${maxMillis / DAY_MS} days back: such old ${noun}s are not taken.`;
  if (occurredAt - now > maxAheadMillis)
    return `The ${noun}'s time lies over 5 minutes ahead: check the device's clock.`;
  return null;
};

/** Whether an event reported now can trigger campaigns. One over 15 minutes old only counts (contract L1). */
export const isRecent = (occurredAt: number, now: number): boolean => now - occurredAt <= maxTriggerAgeMillis;

/** The earliest and latest time of an event that can trigger campaigns if reported at one of these times. */
export const triggerSpan = (times: ReadonlyArray<number>) => ({
  from: Math.min(...times) - maxTriggerAgeMillis,
  to: Math.max(...times) + maxAheadMillis,
});
export type TriggerSpan = ReturnType<typeof triggerSpan>;
