/** Interactions: a device opens a message, or clicks its button (contract M1). */
import { Schema } from "effect";
import { Instant } from "../../time/Instant.ts";
import { nullableInstant, shownId } from "../../wire/ShownFields.ts";

/** A click is an open, too. */
export type InteractionType = "opened" | "clicked";

/** The optional body of an interaction. */
export const InteractionDraft = Schema.Struct({
  occurred_at: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({
        description:
          "When it happened, as an ISO 8601 date-time; now if left out. Not before the delivery, and at " +
          "most 5 minutes ahead. Up to 5 minutes before the delivery count as the instant of the delivery.",
        examples: ["2026-11-21T09:31:12Z"],
        format: "date-time",
      }).pipe(Schema.decodeTo(Instant)),
    ),
  ),
}).annotate({ identifier: "InteractionDraft" });
export type InteractionDraft = typeof InteractionDraft.Type;

/** When a message was first opened and clicked. */
export const Interaction = Schema.Struct({
  message_id: shownId("Id of the message.", "c1e07f3a-9d24-8b56-91f8-2a6d4e7b03c5"),
  opened_at: nullableInstant("When it was first opened.", "2026-11-21T09:31:12+00:00"),
  clicked_at: nullableInstant(
    "When its button was first clicked; null until then.",
    "2026-11-21T09:31:20+00:00",
  ),
}).annotate({ identifier: "Interaction" });
export type Interaction = typeof Interaction.Type;

/** How far a device's clock may differ from the server's. */
const toleranceMillis = 5 * 60_000;

/** The instant that an interaction counts with (epoch milliseconds), or the problem with its time. */
export type InteractionTime =
  { readonly _tag: "Counted"; readonly at: number } | { readonly _tag: "Refused"; readonly problem: string };

/**
 * The time of an interaction of now with a message that was delivered at `deliveredAt` (contract M1, X1a).
 */
export const interactionTime = (occurredAt: number, deliveredAt: number, now: number): InteractionTime => {
  if (occurredAt > now + toleranceMillis) {
    return {
      _tag: "Refused",
      problem: "The occurred at lies over 5 minutes ahead: check the device's clock.",
    };
  }
  if (occurredAt < deliveredAt - toleranceMillis) {
    return {
      _tag: "Refused",
      problem: "The occurred at lies before the delivery of the message: send when it happened.",
    };
  }
  return { _tag: "Counted", at: Math.max(occurredAt, deliveredAt) };
};
