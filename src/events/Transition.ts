import { Schema } from "effect";
import { Instant } from "../time/Instant.ts";
import { DAY_MS } from "../time/TimeZone.ts";
import { Uuid } from "../wire/Text.ts";

/** Whether a device came in or went out. */
export const TransitionType = Schema.Literals(["enter", "exit"]).annotate({
  description: "Whether the device entered or left the location.",
  examples: ["enter"],
});
export type TransitionType = typeof TransitionType.Type;

/** A device's enter or exit of a location, as the device reports it. */
export const Transition = Schema.Struct({
  id: Uuid.annotate({
    description: "The device's own id of the event: the same again is a duplicate.",
    examples: ["5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a11"],
  }),
  type: TransitionType,
  location_id: Uuid.annotate({
    description: "Id of the location.",
    examples: ["01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"],
  }),
  occurred_at: Schema.String.annotate({
    description: "When it happened, as an ISO 8601 date-time; at most 366 days ago and 5 minutes ahead.",
    examples: ["2026-11-21T09:30:00Z"],
    format: "date-time",
  }).pipe(Schema.decodeTo(Instant)),
}).annotate({
  identifier: "Transition",
  message: "Each event must be an object with an id, a type, a location_id and an occurred_at.",
});
export type Transition = typeof Transition.Type;

const oldest = 366 * DAY_MS;

/** Days after which an event comes late: those of its time may be packed by then, for retention is at least a day more. */
export const lateDays = 59;

/** Whether an event that is reported now comes so late that the same may have been taken and packed before. */
export const isLate = (occurredAt: number, now: number): boolean => now - occurredAt >= lateDays * DAY_MS;
const furthestAhead = 5 * 60_000;
const freshest = 15 * 60_000;

/** What is wrong with the time of an event or a position that is reported now, as a sentence, or null (contract L1). */
export const timeProblem = (
  occurredAt: number,
  now: number,
  noun: "event" | "position" = "event",
): string | null => {
  if (now - occurredAt > oldest)
    return `The ${noun}'s time lies over 366 days back: such old ${noun}s are not taken.`;
  if (occurredAt - now > furthestAhead)
    return `The ${noun}'s time lies over 5 minutes ahead: check the device's clock.`;
  return null;
};

/** Whether an event that is reported now is recent enough to fire: one over 15 minutes old only counts (contract L1). */
export const isRecent = (occurredAt: number, now: number): boolean => now - occurredAt <= freshest;

/** The earliest and latest time of an event that can fire when it is reported now. */
export const triggerSpan = (now: number) => ({ from: now - freshest, to: now + furthestAhead });
