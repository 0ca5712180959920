import { Schema } from "effect";
import { SendStatus } from "../sending/Send.ts";
import { Timestamp } from "../wire/Text.ts";

const id = (description: string, example: string) =>
  Schema.String.annotate({ description, format: "uuid", examples: [example] });
const count = (description: string, example: number) =>
  Schema.Int.annotate({ description, examples: [example] });

/** One sending of a notification of a push campaign, as the operator sees it. */
export const ShownSend = Schema.Struct({
  id: id(
    "Id of the send; one that is moved to another time keeps it.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61",
  ),
  campaign_id: id("Its campaign, also if that is deleted.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  notification_id: id(
    "The notification that it sends, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63",
  ),
  due_at: Timestamp.annotate({
    description: "Its minute, in UTC.",
    examples: ["2026-11-27T08:30:00+00:00"],
  }),
  status: SendStatus,
  targeted: count("Devices that a delivery was made for so far; one that a cap keeps back is not.", 1200),
  delivered: count("Those of them that the message was delivered to.", 1187),
  failed: count("Those of them that it could not be delivered to.", 13),
  started_at: Schema.NullOr(Timestamp).annotate({
    description: "When it started; null if it has not.",
    examples: ["2026-11-27T08:30:00+00:00"],
  }),
  finished_at: Schema.NullOr(Timestamp).annotate({
    description: "When it was done, skipped, missed or cancelled; null until then.",
    examples: ["2026-11-27T08:30:04+00:00"],
  }),
}).annotate({ identifier: "Send" });
export type ShownSend = typeof ShownSend.Type;
