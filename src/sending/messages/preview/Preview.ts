import { Schema } from "effect";
import { SentAttributes } from "../../../devices/Attributes.ts";
import { EventProperties } from "../../../notifications/EventFacts.ts";
import { ContentDraft } from "../../../notifications/NotificationDraft.ts";
import { asSent } from "../../../wire/Parts.ts";
import { nullableId, nullableText, shownInteger } from "../../../wire/ShownFields.ts";
import { optionalOrNull, optionalText, Uuid } from "../../../wire/Text.ts";
import { Message } from "../../rendering/Message.ts";

const optionalId = (description: string, example: string) =>
  Schema.optionalKey(Schema.NullOr(Uuid.annotate({ description, examples: [example] })));

/** Body of a preview. */
export const PreviewDraft = Schema.Struct({
  notification: Schema.optionalKey(
    asSent(
      Schema.NullOr(
        ContentDraft.annotate({
          description:
            "A draft with the fields of a notification. `name`, `type` (then `message`) and the trigger " +
            "may be left out.",
        }),
      ),
    ),
  ),
  campaign_id: optionalId(
    "The campaign of the notification; together with `notification_id`.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
  ),
  notification_id: optionalId(
    "The stored notification to preview, instead of a draft.",
    "01980a6c-3e77-7a18-b2c4-91d5e6f70a11",
  ),
  device_id: optionalId(
    "The registered device to preview it for; null for a device of which nothing is known.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64",
  ),
  locale: optionalText({
    max: 64,
    description: "The language and region to preview it in, a BCP 47 tag, instead of a device.",
    example: "nl-NL",
  }),
  attributes: Schema.optionalKey(Schema.NullOr(SentAttributes)),
  location_id: optionalId(
    "The location whose event triggers it; not read on a push campaign.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b65",
  ),
  event: optionalOrNull(
    asSent(EventProperties.annotate({ description: "Properties of the custom event that triggers it." })),
  ),
}).annotate({ identifier: "PreviewDraft" });
export type PreviewDraft = typeof PreviewDraft.Type;

const fieldNames = (description: string) =>
  Schema.Array(Schema.String).annotate({ description, examples: [["body"]] });

const PayloadPreview = Schema.Struct({
  payload: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "The payload as the provider gets it, with an id of zeros and without the device's address.",
    examples: [{ aps: { alert: { title: "Welcome in our store" } } }],
  }),
  bytes: shownInteger("Its size as JSON in bytes.", 412),
  cut: fieldNames("The fields that were shortened or left out to fit the provider's limit."),
}).annotate({ identifier: "PayloadPreview" });

const { campaign_id, id: _id, notification_id, ...shown } = Message.fields;

/** A message as a device would get it. */
export const Preview = Schema.Struct({
  failure: nullableText(
    "Why the message would fail; null if it would not.",
    "The headline renders empty for this device.",
  ),
  message: Schema.NullOr(
    Schema.Struct({
      id: nullableId("Null: there is no message.", "c1e07f3a-9d24-8b56-91f8-2a6d4e7b03c5"),
      campaign_id: Schema.NullOr(campaign_id),
      notification_id: Schema.NullOr(notification_id),
      ...shown,
    }).annotate({ identifier: "PreviewMessage" }),
  ).annotate({ description: "The message in the device's inbox; null if it would fail." }),
  cut: fieldNames("The fields of the message whose rendered texts were cut at their limits."),
  pushes: Schema.NullOr(
    Schema.Struct({ fcm: PayloadPreview, apns: PayloadPreview, webpush: PayloadPreview }).annotate({
      identifier: "PreviewPushes",
    }),
  ).annotate({ description: "The message as a push of each provider; null if it would fail." }),
}).annotate({ identifier: "Preview" });
export type Preview = typeof Preview.Type;
