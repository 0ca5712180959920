import { Schema } from "effect";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Readable } from "../wire/Parts.ts";
import { optionalOrNull, optionalText, text } from "../wire/Text.ts";
import { NotificationType, TemplateLanguage } from "./MessageContent.ts";
import { pushDraft } from "./push/PushOptions.ts";
import { QuestionsDraft } from "./Survey.ts";
import { maxLengths } from "./TextLimits.ts";
import { translationsDraft } from "./translations/TranslationsDraft.ts";
import { trigger } from "./TriggerDraft.ts";
import type { Variant } from "./variants/Variant.ts";
import { variantsDraft } from "./variants/VariantsDraft.ts";

const content = {
  name: text({
    max: 255,
    description: "Internal label, not shown to people.",
    example: "Welcome with coffee",
  }),
  type: NotificationType,
  headline: text({
    max: maxLengths.headline,
    description: "Headline, shown to people.",
    example: "Welcome in our store",
  }),
  body: text({
    max: maxLengths.body,
    description:
      "Text shown to people. A push is shortened to the size limit of its provider; the inbox has the " +
      "whole text.",
    example: "Show this message for a free coffee.",
  }),
  template: Schema.optionalKey(
    Schema.NullOr(
      TemplateLanguage.annotate({ message: 'The template must be "liquid", or null for literal texts.' }),
    ),
  ),
  media_asset_id: optionalText({
    max: 255,
    description: "Id of a media file of the workspace; not for surveys.",
    example: "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91",
  }),
  cta_label: optionalText({
    max: maxLengths.cta_label,
    description: "Label of the button; together with the address or not at all.",
    example: "See the offer",
  }),
  cta_url: optionalText({
    max: maxLengths.cta_url,
    description:
      "Address that the button opens. An http or https address must be public and answer within 5 seconds " +
      "with a status below 500 other than 404 and 410; deep links of an app are not checked.",
    example: "https://example.com/offer",
  }),
  questions: optionalOrNull(QuestionsDraft),
  translations: translationsDraft,
  push: pushDraft,
  // Left out, they are kept while people are enrolled (contract U7).
  variants: variantsDraft,
};

/** The content of a notification: the write fields without those of a trigger. */
export const ContentDraft = Schema.Struct(content).annotate({ identifier: "ContentDraft" });
export type ContentDraft = typeof ContentDraft.Type;

/** Body of a new notification on a campaign, and of an update, which replaces the whole notification. */
export const NotificationDraft = Schema.Struct({ ...content, ...trigger }).annotate({
  identifier: "NotificationDraft",
});
export type NotificationDraft = typeof NotificationDraft.Type;

/** A parsed body with the fields of a content. */
export type ContentBody = ParsedBody<ContentDraft, Readable<ContentDraft>>;
/** A parsed body with the fields of a notification. */
export type NotificationBody = ParsedBody<NotificationDraft, Readable<NotificationDraft>>;

/** The words of a content or of one of its variants, as far as they could be parsed. */
export type WrittenPart = Readable<
  Pick<Variant, "headline" | "body" | "cta_label" | "cta_url" | "translations" | "push">
>;

/** The words of a content (path "") and of its variants, with the paths of their fields. */
export const writtenParts = (
  fields: ContentBody["fields"],
): ReadonlyArray<{ readonly path: string; readonly part: WrittenPart }> => [
  { path: "", part: fields },
  ...(fields.variants ?? []).map((part, index) => ({ path: `variants.${index}.`, part })),
];
