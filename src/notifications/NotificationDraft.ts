import { Effect, Schema } from "effect";
import { readJson, type RequestInput } from "../wire/RequestBody.ts";
import { ParsedBody, parseFields } from "../wire/ParsedBody.ts";

import { optionalOrNull, optionalText, text } from "../wire/Text.ts";
import { NotificationType, TemplateLanguage } from "./MessageContent.ts";
import { trigger, type TriggerDraft, unreadTrigger, withoutEmpty, withWhere } from "./TriggerDraft.ts";
import { type PushOptions, PushOptionsDraft } from "./push/PushOptions.ts";
import { parsePushOptions } from "./push/PushOptionsParsing.ts";
import { QuestionDraft } from "./Survey.ts";
import { parseQuestions, type ParsedQuestion } from "./SurveyParsing.ts";
import { maxLengths } from "./TextLimits.ts";
import type { Translations } from "./translations/Translation.ts";
import { parseTranslations, TranslationsDraft } from "./translations/TranslationParsing.ts";
import type { Variant } from "./variants/Variant.ts";
import { parseVariants, VariantsDraft } from "./variants/VariantParsing.ts";

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
};

const questions = Schema.optionalKey(
  Schema.NullOr(
    Schema.Array(QuestionDraft).annotate({
      description: "One to five questions of a survey; none for a message.",
      examples: [[{ question_text: "How was your visit?", type: "RATING" }]],
    }),
  ),
);

const translations = Schema.optionalKey(Schema.NullOr(TranslationsDraft));
const push = optionalOrNull(PushOptionsDraft);
const variants = optionalOrNull(VariantsDraft);

/** The fields whose parts are parsed each by itself. */
interface Parsed {
  readonly translations?: Translations | null;
  readonly push?: PushOptions | null;
  /** Missing if they are left out, which keeps them while people are enrolled (contract U7). */
  readonly variants?: ReadonlyArray<Variant>;
}

/** The content of a notification: the write fields without those of a trigger. */
export const ContentDraft = Schema.Struct({ ...content, questions, translations, push, variants }).annotate({
  identifier: "ContentDraft",
});
export type ContentDraft = Omit<typeof ContentDraft.Type, "translations" | "push" | "variants"> & Parsed;

/** Body of a new notification on a campaign, and of an update, which replaces the whole notification. */
export const NotificationDraft = Schema.Struct({
  ...content,
  questions,
  translations,
  push,
  variants,
  ...trigger,
}).annotate({
  identifier: "NotificationDraft",
});
export type NotificationDraft = ContentDraft & TriggerDraft;

type Sent<A> = Omit<A, "questions" | keyof Parsed> &
  Parsed & { readonly questions?: ReadonlyArray<ParsedQuestion> };

/** A parsed body with the fields of a content; questions and choices are parsed each by itself. */
export type ContentBody = ParsedBody<Sent<ContentDraft>>;
/** A parsed body with the fields of a notification. */
export type NotificationBody = ParsedBody<Sent<NotificationDraft>>;

/** The words of a content or of one of its variants, as far as they could be parsed. */
export type WrittenPart = Partial<
  Pick<Variant, "headline" | "body" | "cta_label" | "cta_url" | "translations" | "push">
>;

/** The words of a content (path "") and of its variants, with the paths of their fields. */
export const writtenParts = (
  fields: ContentBody["fields"],
): ReadonlyArray<{ readonly path: string; readonly part: WrittenPart }> => [
  { path: "", part: fields },
  ...(fields.variants ?? []).map((part, index) => ({ path: `variants.${index}.`, part })),
];

type Json = { readonly [field: string]: unknown };

const ContentHead = Schema.Struct(content);
const NotificationHead = Schema.Struct({ ...content, ...unreadTrigger });

/** Adds the questions, translations, push options and variants, whose parts are parsed each by itself. */
const withLists = <A extends object>(read: ParsedBody<A>, body: Json): ParsedBody<Sent<A>> => {
  const questions = parseQuestions(body["questions"], read.problems);
  const translations = parseTranslations(body["translations"], read.problems);
  const push = parsePushOptions(body["push"], read.problems);
  const variants = parseVariants(body["variants"], read.problems);
  return new ParsedBody<Sent<A>>(
    { ...read.fields, ...(questions && { questions }), translations, push, ...(variants && { variants }) },
    read.problems,
  );
};

/** Reads a request's body as a notification with its trigger. */
export const readNotification = (input: RequestInput) =>
  Effect.map(readJson(input), (body): NotificationBody =>
    withLists(withWhere(parseFields(NotificationHead, withoutEmpty(body))), body),
  );

/** Reads a request's body as content alone; fields of a trigger are ignored. */
export const readContent = (input: RequestInput) =>
  Effect.map(readJson(input), (body): ContentBody => withLists(parseFields(ContentHead, body), body));

/**
 * Parses the content of a notification that is not stored. Its name may be left out, and its type, which is
 * then `message`.
 */
export const parseContent = (body: Json): ContentBody =>
  withLists(parseFields(ContentHead, { name: "Draft", type: "message", ...body }), body);
