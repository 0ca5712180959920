import { Effect, Schema } from "effect";
import { TimeOfDay, WallTime } from "../time/LocalTime.ts";
import { readJson, type RequestInput } from "../wire/RequestBody.ts";
import { ParsedBody, parseFields } from "../wire/ParsedBody.ts";
import { shownText } from "../wire/ShownFields.ts";
import { flag, optionalOrNull, optionalText, text, whole } from "../wire/Text.ts";
import { PropertyRule } from "../rules/Rule.ts";
import { parsePropertyRule } from "../rules/RuleParsing.ts";
import { EventName } from "./EventFacts.ts";
import { NotificationType, TemplateLanguage } from "./MessageContent.ts";
import { TriggerType } from "./Notification.ts";
import { type PushOptions, PushOptionsDraft } from "./push/PushOptions.ts";
import { parsePushOptions } from "./push/PushOptionsParsing.ts";
import { QuestionDraft } from "./Survey.ts";
import { parseQuestions, type ParsedQuestion } from "./SurveyParsing.ts";
import { maxLengths } from "./TextLimits.ts";
import type { Translations } from "./translations/Translation.ts";
import { parseTranslations, TranslationsDraft } from "./translations/TranslationParsing.ts";

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

const timeSentence =
  "The {field} must be a time from 00:00 to 23:59, written HH:MM (or YYYY-MM-DD HH:MM on the campaign's " +
  "day).";
const isTimeOfDay = Schema.is(TimeOfDay);
const isWallTime = Schema.is(WallTime);

const sendAt = shownText(
  "When it is sent: HH:MM on the campaign's day, in the campaign's time zone. Not in the past; with " +
    "`local`, not in the past everywhere in the world.",
  "09:30",
).check(
  Schema.makeFilter((sent: string) => {
    const time = sent.trim();
    return isTimeOfDay(time) || (time.length > 10 && isWallTime(time)) ? true : timeSentence;
  }),
);

const minutes = (description: string, example: number) =>
  Schema.optionalKey(Schema.NullOr(whole({ min: 1, max: 1440, description, example })));

const window = (description: string, example: string) =>
  Schema.optionalKey(Schema.NullOr(WallTime.annotate({ description, examples: [example as WallTime] })));

const triggerOf = <Where extends Schema.Top>(where: Where) => ({
  trigger_type: TriggerType,
  trigger_config: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        send_at: Schema.optionalKey(Schema.NullOr(sendAt)),
        local: Schema.optionalKey(
          Schema.NullOr(
            flag("Send it at that time in the time zone of each device, else in the campaign's.", true),
          ),
        ),
        late: Schema.optionalKey(
          Schema.NullOr(
            Schema.Literals(["send", "skip"]).annotate({
              description:
                "With `local`: where the time has passed, `send` it at once or `skip` it (the default).",
              examples: ["skip"],
            }),
          ),
        ),
        minutes: minutes(
          "Of `on_dwell`, which requires it: it fires once a device has been inside for so many minutes " +
            "without an exit.",
          10,
        ),
        max_silence_minutes: minutes(
          "Of `on_dwell`: it does not fire for a device that has reported no event and no position in the " +
            "last minutes; null for no limit.",
          5,
        ),
        event: optionalOrNull(
          EventName.annotate({
            description: "Of `on_event`, which requires it: the name of the event that triggers it.",
            examples: ["basket.filled"],
          }),
        ),
        where: optionalOrNull(where),
        delay_minutes: optionalOrNull(
          whole({
            min: 0,
            max: 43_200,
            description: "Of `on_event`: the minutes from the event until it fires; left out or 0: at once.",
            example: 60,
          }),
        ),
        unless_event: optionalOrNull(
          EventName.annotate({
            description:
              "Of `on_event` with a delay: it does not fire if the same person, or device without one, has " +
              "this event meanwhile.",
            examples: ["order.placed"],
          }),
        ),
      }).annotate({ identifier: "TriggerConfigDraft" }),
    ).annotate({
      description:
        "The time of sending of a push campaign's notification, the minutes of an `on_dwell` trigger, " +
        "or the event of an `on_event` trigger; none for `on_enter` and `on_exit`.",
      examples: [{ send_at: "09:30" }],
    }),
  ),
  starts_at: window(
    "Start of a window within a geo campaign, in its time zone: YYYY-MM-DD (00:00 that day) or YYYY-MM-DD " +
      "HH:MM.",
    "2026-11-25 09:00",
  ),
  ends_at: window(
    "End of a window within a geo campaign, in its time zone: YYYY-MM-DD (the end of that day) or " +
      "YYYY-MM-DD HH:MM.",
    "2026-11-30",
  ),
});

const trigger = triggerOf(PropertyRule);
/** As it is read: each condition of a rule is parsed by itself. */
const unreadTrigger = triggerOf(Schema.Unknown);

/** The content of a notification: the write fields without those of a trigger. */
export const ContentDraft = Schema.Struct({ ...content, questions, translations, push }).annotate({
  identifier: "ContentDraft",
});
export type ContentDraft = Omit<typeof ContentDraft.Type, "translations" | "push"> & {
  readonly translations?: Translations | null;
  readonly push?: PushOptions | null;
};

/** The trigger of a notification on one campaign. */
export const TriggerDraft = Schema.Struct(trigger).annotate({ identifier: "TriggerDraft" });
export type TriggerDraft = typeof TriggerDraft.Type;

/** Body of a new notification on a campaign, and of an update, which replaces the whole notification. */
export const NotificationDraft = Schema.Struct({
  ...content,
  questions,
  translations,
  push,
  ...trigger,
}).annotate({
  identifier: "NotificationDraft",
});
export type NotificationDraft = ContentDraft & TriggerDraft;

type Sent<A> = Omit<A, "questions" | "translations" | "push"> & {
  readonly questions?: ReadonlyArray<ParsedQuestion>;
  readonly translations?: Translations | null;
  readonly push?: PushOptions | null;
};

/** A parsed body with the fields of a content; questions and choices are parsed each by itself. */
export type ContentBody = ParsedBody<Sent<ContentDraft>>;
/** A parsed body with the fields of a notification. */
export type NotificationBody = ParsedBody<Sent<NotificationDraft>>;

type Json = { readonly [field: string]: unknown };

const ContentHead = Schema.Struct(content);
const NotificationHead = Schema.Struct({ ...content, ...unreadTrigger });
const TriggerHead = Schema.Struct(unreadTrigger);

/** Adds the questions, translations and push options, whose parts are parsed each by itself. */
const withLists = <A extends object>(read: ParsedBody<A>, body: Json): ParsedBody<Sent<A>> => {
  const questions = parseQuestions(body["questions"], read.problems);
  const translations = parseTranslations(body["translations"], read.problems);
  const push = parsePushOptions(body["push"], read.problems);
  return new ParsedBody<Sent<A>>(
    { ...read.fields, ...(questions && { questions }), translations, push },
    read.problems,
  );
};

/** An empty array counts as no trigger config (contract F2): some clients send one for an empty object. */
const withoutEmpty = (body: Json): Json => {
  const { trigger_config, ...rest } = body;
  return Array.isArray(trigger_config) && trigger_config.length === 0 ? rest : body;
};

type UnreadConfig = { readonly where?: unknown };
type Rule = Pick<TriggerDraft, "trigger_config">;

/** Adds the rule over the properties of an event. */
const withWhere = <A extends { readonly trigger_config?: object | null }>(read: ParsedBody<A>) => {
  const config = read.fields.trigger_config as UnreadConfig | null | undefined;
  if (config === undefined || config === null) return read as ParsedBody<A & Rule>;
  const sent = config.where ?? null;
  const where =
    sent === null ? null : parsePropertyRule(sent, "trigger_config.where", read.problems);
  const trigger_config = { ...config, where: where ?? null };
  return new ParsedBody({ ...read.fields, trigger_config } as Partial<A & Rule>, read.problems);
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

/** Reads a request's body as a trigger alone. */
export const readTrigger = (input: RequestInput) =>
  Effect.map(readJson(input), (body): ParsedBody<TriggerDraft> =>
    withWhere(parseFields(TriggerHead, withoutEmpty(body))),
  );
