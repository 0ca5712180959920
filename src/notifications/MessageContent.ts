import { Schema } from "effect";
import { nullableText, shownId, shownText } from "../wire/ShownFields.ts";
import { MediaKind } from "../workspaces/Plan.ts";
import type { PushOptions } from "./push/PushOptions.ts";
import type { Question } from "./Survey.ts";
import type { Translations } from "./translations/Translation.ts";
import type { StoredVariant } from "./variants/Variant.ts";

/** The type of a notification: something to read, or questions to answer. */
export const NotificationType = Schema.Literals(["message", "survey"]).annotate({
  description: "`message` is something to read; `survey` also asks questions, if the plan includes surveys.",
  examples: ["message"],
});
export type NotificationType = typeof NotificationType.Type;

/** The language of templates; null for literal texts. */
export const TemplateLanguage = Schema.Literals(["liquid"]).annotate({
  description:
    "`liquid`: headline, text, button and question texts are Liquid templates over `device.attributes.*`, " +
    "`device.platform|locale|timezone`, `location.name|address|external_id` and `campaign.name`, rendered " +
    "for each device. They can use output, `if`, `unless` and `case`: at most 1,000 tags in a text, " +
    "5,000 tags and 250,000 characters in all languages together. Null: the texts are literal.",
  examples: ["liquid"],
});
export type TemplateLanguage = typeof TemplateLanguage.Type;

/** The media file of a message. */
const MessageMedia = Schema.Struct({
  id: shownId("Id of the media file.", "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91"),
  url: Schema.NullOr(
    shownText(
      "Address of the file; null once the file is deleted.",
      "https://push.example.com/media/3kq9/offer.webp",
    ),
  ),
  type: MediaKind,
}).annotate({ identifier: "MessageMedia" });

/** The fields that people see: a message on a device and the platform API share them. */
export const contentFields = {
  type: NotificationType,
  headline: shownText("The headline as people read it.", "Welcome in our store"),
  body: shownText("The text as people read it.", "Show this message for a free coffee."),
  media: Schema.NullOr(MessageMedia).annotate({
    description: "The media file shown; null for none.",
    examples: [null],
  }),
  cta_label: nullableText("Label of the button; null for no button.", "See the offer"),
  cta_url: nullableText("Address that the button opens; null for no button.", "https://example.com/offer"),
};

/** One revision of the content of a notification, as it is stored; `questions` is empty for a message. */
export interface MessageContent {
  readonly type: NotificationType;
  readonly headline: string;
  readonly body: string;
  readonly cta_label: string | null;
  readonly cta_url: string | null;
  readonly media_asset_id: string | null;
  /** The kind of the media file; null without one. */
  readonly media_kind: MediaKind | null;
  readonly questions: ReadonlyArray<Question>;
  readonly template: TemplateLanguage | null;
  readonly translations: Translations | null;
  /** How push services deliver and show it; null for their defaults. */
  readonly push: PushOptions | null;
  /** The variants, which shares of people get instead, in the order in which they were written. */
  readonly variants: ReadonlyArray<StoredVariant>;
}
