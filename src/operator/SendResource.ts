import { Schema } from "effect";
import { SendStatus } from "../sending/Send.ts";
import { Timestamp } from "../wire/Text.ts";

const id = (description: string, example: string) =>
  Schema.String.annotate({ description, format: "uuid", examples: [example] });
const count = (description: string, example: number) =>
  Schema.Int.annotate({ description, examples: [example] });

/** One send of a notification of a push campaign in the operator interface. */
export const SendResource = Schema.Struct({
  id: id("Id of the send; moving it to another time keeps the id.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61"),
  campaign_id: id("Its campaign, also if that is deleted.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  notification_id: id(
    "The notification that it sends, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63",
  ),
  due_at: Timestamp.annotate({
    description: "When it is due, in UTC.",
    examples: ["2026-11-27T08:30:00+00:00"],
  }),
  status: SendStatus,
  targeted: count(
    "Devices that it has a delivery for so far; those that a frequency cap excludes have none.",
    1200,
  ),
  delivered: count("How many of them the message was delivered to.", 1187),
  failed: count("How many of them it could not be delivered to.", 13),
  started_at: Schema.NullOr(Timestamp).annotate({
    description: "When it started; null if it has not.",
    examples: ["2026-11-27T08:30:00+00:00"],
  }),
  finished_at: Schema.NullOr(Timestamp).annotate({
    description: "When it was done, skipped, missed or cancelled; null until then.",
    examples: ["2026-11-27T08:30:04+00:00"],
  }),
}).annotate({ identifier: "Send" });
export type SendResource = typeof SendResource.Type;
