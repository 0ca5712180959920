import { Schema } from "effect";
import { contentFields } from "../../notifications/MessageContent.ts";
import { appOptions } from "../../notifications/push/PushOptions.ts";
import { Question } from "../../notifications/Survey.ts";
import { Timestamp } from "../../wire/Text.ts";

const id = (description: string, example: string) =>
  Schema.String.annotate({ description, format: "uuid", examples: [example] });

/** A message as its device sees it, with the content as it was sent. */
export const Message = Schema.Struct({
  id: id("Id of the message.", "c1e07f3a-9d24-8b56-91f8-2a6d4e7b03c5"),
  campaign_id: id(
    "Id of the campaign that sent it, also if that campaign was deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
  ),
  notification_id: id("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
  ...contentFields,
  questions: Schema.Array(Question).annotate({
    description: "The questions of a survey with their ids; empty for a message.",
  }),
  ...appOptions,
  silent: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Present if it shows nothing; it is in no inbox then.",
      examples: [true],
    }),
  ),
  variant: Schema.NullOr(Schema.String).annotate({
    description: "The variant of the notification that it is, `control` included; null without variants.",
    examples: [null],
  }),
  delivered_at: Schema.NullOr(Timestamp).annotate({
    description: "When it was delivered; null for a push that is still being sent or has failed.",
    examples: ["2026-11-21T09:30:00+00:00"],
  }),
  opened_at: Schema.NullOr(Timestamp).annotate({
    description: "When it was first opened; null until then.",
    examples: ["2026-11-21T09:31:12+00:00"],
  }),
  clicked_at: Schema.NullOr(Timestamp).annotate({
    description: "When its button was first clicked; null until then.",
    examples: ["2026-11-21T09:31:20+00:00"],
  }),
}).annotate({ identifier: "DeviceMessage" });
export type Message = typeof Message.Type;
