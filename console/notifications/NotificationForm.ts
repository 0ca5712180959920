/** The values of the editor of a notification, and how they become a draft of the API. */
import type {
  ContentDraft,
  NotificationDraft,
  Campaign,
  Notification,
  ShownQuestion,
} from "../data/Resources.ts";
import type { Typed } from "../data/Typed.ts";
import { dayOf, today } from "../parts/DisplayFormats.ts";
import { numberOrNull } from "../parts/form/TypedNumber.ts";
import { sentWallTime, wallEndAt, wallTimeAt } from "../parts/WallClock.ts";
import { serverNow } from "../data/ServerTime.ts";
import { type PushValues, pushValues, sentPush } from "./PushForm.ts";
import { sentTranslations, type TranslationValues, translationValues } from "./TranslationForm.ts";
import { sentVariants, type VariantValues, variantValues } from "./VariantForm.ts";

/** A question while it is edited. Its choices are lines of one text. */
export interface QuestionValues {
  /** Null for a new question. */
  readonly id: string | null;
  readonly question_text: string;
  readonly type: ShownQuestion["type"];
  readonly required: boolean;
  readonly choices: string;
}

/** Typed and chosen values. */
export interface MessageValues {
  readonly name: string;
  readonly type: Notification["type"];
  readonly headline: string;
  readonly body: string;
  readonly media_asset_id: string;
  readonly cta_label: string;
  readonly cta_url: string;
  readonly trigger_type: Notification["trigger_type"];
  readonly send_at: string;
  /** "" for the campaign's time zone, else what happens where a local time has passed. */
  readonly late: "" | "send" | "skip";
  readonly minutes: string;
  readonly max_silence_minutes: string;
  readonly event: string;
  /** The rule over the event's properties. */
  readonly where: NonNullable<Notification["trigger_config"]>["where"] | null;
  readonly delay_minutes: string;
  readonly unless_event: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly questions: ReadonlyArray<QuestionValues>;
  /** "" for literal texts. */
  readonly template: "" | "liquid";
  readonly translations: ReadonlyArray<TranslationValues>;
  readonly push: PushValues;
  readonly variants: ReadonlyArray<VariantValues>;
  /** The version that was changed, which a save expects; empty for a new notification. */
  readonly version: string;
}

/** A question without a text. */
export const newQuestion: QuestionValues = {
  id: null,
  question_text: "",
  type: "RATING",
  required: false,
  choices: "",
};

/** Whether a question of this type has choices. */
export const hasChoices = (type: QuestionValues["type"]): boolean =>
  type === "SINGLE_CHOICE" || type === "MULTIPLE_CHOICE";

/** The trigger that notifications of a type of campaign start with. */
export const firstTrigger = (type: Campaign["type"]): MessageValues["trigger_type"] =>
  (({ geo: "on_enter", push: "fixed_time", event: "on_event" }) as const)[type];

/** The values that a new notification of a campaign starts with. */
export const newMessage = (type: Campaign["type"]): MessageValues => ({
  name: "",
  type: "message",
  headline: "",
  body: "",
  media_asset_id: "",
  cta_label: "",
  cta_url: "",
  trigger_type: firstTrigger(type),
  send_at: "",
  late: "",
  minutes: "",
  max_silence_minutes: "",
  event: "",
  where: null,
  delay_minutes: "",
  unless_event: "",
  starts_at: "",
  ends_at: "",
  questions: [],
  template: "",
  translations: [],
  push: pushValues(null),
  variants: [],
  version: "",
});

const questionValues = ({ choices, ...question }: ShownQuestion): QuestionValues => ({
  ...question,
  choices: choices.join("\n"),
});

/** The values of a notification that is there. */
export const valuesOfMessage = (
  message: Notification,
  { timezone }: Pick<Campaign, "timezone">,
  version: string,
): MessageValues => ({
  name: message.name,
  type: message.type,
  headline: message.headline,
  body: message.body,
  media_asset_id: message.media_asset_id ?? "",
  cta_label: message.cta_label ?? "",
  cta_url: message.cta_url ?? "",
  trigger_type: message.trigger_type,
  // The day is the campaign's: the time alone stays right when the campaign moves.
  send_at: message.trigger_config?.send_at?.slice(-5) ?? "",
  late: message.trigger_config?.late ?? "",
  minutes: String(message.trigger_config?.minutes ?? ""),
  max_silence_minutes: String(message.trigger_config?.max_silence_minutes ?? ""),
  event: message.trigger_config?.event ?? "",
  where: message.trigger_config?.where ?? null,
  delay_minutes: String(message.trigger_config?.delay_minutes ?? ""),
  unless_event: message.trigger_config?.unless_event ?? "",
  starts_at: message.starts_at === null ? "" : wallTimeAt(message.starts_at, timezone),
  ends_at: message.ends_at === null ? "" : wallEndAt(message.ends_at, timezone),
  questions: message.questions.map(questionValues),
  template: message.template ?? "",
  translations: translationValues(message.translations),
  push: pushValues(message.push),
  variants: variantValues(message.variants),
  version,
});

/** The values of a copy on another campaign, whose start may be later: a window that is over is left out. */
export const copyOfMessage = (message: Notification, campaign: Pick<Campaign, "timezone">): MessageValues => {
  const values = valuesOfMessage(message, campaign, "");
  const isOver = message.ends_at !== null && Date.parse(message.ends_at) <= serverNow();
  const hasBegun =
    message.starts_at !== null &&
    dayOf(Date.parse(message.starts_at), campaign.timezone) <= today(campaign.timezone);
  return {
    ...values,
    starts_at: isOver || hasBegun ? "" : values.starts_at,
    ends_at: isOver ? "" : values.ends_at,
    questions: values.questions.map((question) => ({ ...question, id: null })),
  };
};

/** Whether anything of a new message is typed or chosen. */
export const isWritten = (values: MessageValues): boolean => {
  const empty = { ...newMessage("geo"), name: values.name, trigger_type: values.trigger_type };
  return JSON.stringify({ ...empty, ...values }) !== JSON.stringify(empty);
};

const orNull = (text: string): string | null => text.trim() || null;

/** The choices of a question, one on each line. */
export const choicesOf = ({ choices, type }: QuestionValues): ReadonlyArray<string> =>
  hasChoices(type) ? choices.split("\n").filter((line) => line.trim() !== "") : [];

const sentQuestion = ({ id, ...question }: QuestionValues) => ({
  ...question,
  ...(id === null ? {} : { id }),
  choices: hasChoices(question.type) ? choicesOf({ id, ...question }).map((text) => ({ text })) : null,
});

const configOf = (values: MessageValues, sendAt: string | null) => {
  if (values.trigger_type === "fixed_time")
    return values.late === "" ? { send_at: sendAt } : { send_at: sendAt, local: true, late: values.late };
  if (values.trigger_type === "on_event")
    return {
      event: orNull(values.event),
      where: values.where ?? null,
      delay_minutes: numberOrNull(values.delay_minutes),
      unless_event: orNull(values.unless_event),
    };
  if (values.trigger_type !== "on_dwell") return null;
  return {
    minutes: numberOrNull(values.minutes),
    max_silence_minutes: numberOrNull(values.max_silence_minutes),
  };
};

/** The content of a draft: what devices get, whatever triggers it. */
export const contentDraftOf = (values: MessageValues): Typed<ContentDraft> => {
  const questions = values.type === "survey" ? values.questions : [];
  return {
    name: values.name,
    type: values.type,
    headline: values.headline,
    body: values.body,
    media_asset_id: values.type === "survey" ? null : orNull(values.media_asset_id),
    cta_label: orNull(values.cta_label),
    cta_url: orNull(values.cta_url),
    questions: values.type === "survey" ? questions.map(sentQuestion) : null,
    template: orNull(values.template),
    translations: sentTranslations(
      values.translations,
      questions.map((question) => choicesOf(question).length),
    ),
    push: sentPush(values.push),
    variants: sentVariants(values.variants, values.type === "survey"),
  };
};

/** The body of a write. */
export const messageDraftOf = (values: MessageValues): Typed<NotificationDraft> => {
  const isFixed = values.trigger_type === "fixed_time";
  const sendAt = orNull(sentWallTime(values.send_at));
  return {
    ...contentDraftOf(values),
    trigger_type: values.trigger_type,
    trigger_config: configOf(values, sendAt),
    starts_at: isFixed ? null : orNull(sentWallTime(values.starts_at)),
    ends_at: isFixed ? null : orNull(sentWallTime(values.ends_at)),
  };
};
