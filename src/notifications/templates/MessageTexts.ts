/** The texts of a message as one device gets them: translated and rendered (contract O1, O2). */
import { codePoints } from "../../wire/CodePoints.ts";
import { isSendable } from "../ButtonAddress.ts";
import type { MessageContent } from "../MessageContent.ts";
import { maxLengths } from "../TextLimits.ts";
import type { Question } from "../Survey.ts";
import { lookupTag, type Translation } from "../translations/Translation.ts";
import type { Variant } from "../variants/Variant.ts";
import { cachedTemplate } from "./TemplateCache.ts";
import type { TemplateValues } from "./TemplateRun.ts";

/** The texts of a message that depend on its recipient. */
export type MessageTexts = Pick<
  MessageContent,
  "headline" | "body" | "cta_label" | "cta_url" | "questions" | "push"
>;

/** A content, as far as the texts of its messages depend on it. */
export type TextSource = MessageTexts &
  Pick<MessageContent, "template" | "translations"> & {
    /** The variant whose words come before the content's own; none for control. */
    readonly variantTexts?: Omit<Variant, "key" | "weight"> | null;
  };

/** The texts for one recipient, or why they cannot be rendered, as a sentence. */
export type RenderedTexts =
  | {
      readonly _tag: "Rendered";
      readonly texts: MessageTexts;
      /** The fields that were cut at their limits. */
      readonly cut: ReadonlyArray<string>;
      /** The variables that the texts read. */
      readonly variables: ReadonlySet<string>;
      /** The tag of the translation that was taken; null for none. */
      readonly language: string | null;
    }
  | { readonly _tag: "Failed"; readonly reason: string };

/** Whether the texts of a content depend on the locale of the device. */
export const isTranslated = ({
  translations,
  variantTexts,
}: Pick<TextSource, "translations" | "variantTexts">) =>
  translations !== null || (variantTexts?.translations ?? null) !== null;

/** Whether a content is the same for every device. */
export const isSameForAll = (content: Pick<TextSource, "template" | "translations" | "variantTexts">) =>
  content.template === null && !isTranslated(content);

/** Whether a content with variants is the same for every device, apart from the variant. */
export const isSameForAllVariants = (
  content: Pick<TextSource, "template" | "translations"> & {
    readonly variants: ReadonlyArray<Pick<Variant, "translations">>;
  },
) => isSameForAll(content) && content.variants.every(({ translations }) => translations === null);

const translatedQuestion = (
  question: Question,
  translation: NonNullable<Translation["questions"]>[number] | undefined,
): Question => ({
  ...question,
  question_text: translation?.question_text ?? question.question_text,
  choices: question.choices.map((choice, index) => ({
    ...choice,
    text: translation?.choices?.[index] ?? choice.text,
  })),
});

const translatedQuestions = (questions: ReadonlyArray<Question>, translation: Translation | undefined) =>
  translation?.questions === undefined
    ? questions
    : questions.map((question, index) => translatedQuestion(question, translation.questions?.[index]));

const tagIn = (translations: TextSource["translations"], locale: string | null): string | null =>
  translations === null ? null : lookupTag(Object.keys(translations), locale);

/**
 * The texts of a content for a locale, and the tag of the translation that was taken. Each part comes from
 * the first that has it: the variant's translation, the variant, the content's translation, the content.
 */
const textsFor = (
  content: TextSource,
  locale: string | null,
): { readonly texts: MessageTexts; readonly language: string | null } => {
  const { translations, variantTexts: variant = null } = content;
  const tag = tagIn(translations, locale);
  const translation = tag === null ? undefined : translations?.[tag];
  if (translation === undefined && variant === null) return { texts: content, language: null };
  const variantTag = tagIn(variant?.translations ?? null, locale);
  const layers = [
    variantTag === null ? undefined : variant?.translations?.[variantTag],
    variant,
    translation,
  ];
  const part = <Name extends "headline" | "body" | "cta_label" | "cta_url">(name: Name) =>
    layers.find((layer) => (layer?.[name] ?? null) !== null)?.[name] ?? content[name];
  const isOwnLanguage = variantTag === null && (variant?.headline ?? variant?.body ?? null) !== null;
  const [label, url] = [part("cta_label"), part("cta_url")];
  const texts = {
    headline: part("headline") ?? content.headline,
    body: part("body") ?? content.body,
    // Variants that are kept while the content loses its button may have half of one.
    cta_label: url === null ? null : label,
    cta_url: label === null ? null : url,
    questions: translatedQuestions(content.questions, translation),
    push: variant?.push ?? content.push,
  };
  return { texts, language: isOwnLanguage ? null : (variantTag ?? tag) };
};

/** The texts of a content that is the same for every device. */
export const ownTexts = (content: TextSource): MessageTexts => textsFor(content, null).texts;

/**
 * The questions of a survey in all its languages: that of a locale first, then the survey's own, then the
 * others (contract O2.6).
 */
export const questionsInLanguages = (
  { questions, translations }: Pick<TextSource, "questions" | "translations">,
  locale: string | null,
): ReadonlyArray<ReadonlyArray<Question>> => {
  if (translations === null) return [questions];
  const own = lookupTag(Object.keys(translations), locale);
  const inTag = (tag: string) => translatedQuestions(questions, translations[tag]);
  const others = Object.keys(translations).filter((tag) => tag !== own);
  return [...(own === null ? [] : [inTag(own)]), questions, ...others.map(inTag)];
};

const characters = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The beginning of a text with at most `max` code points. Does not cut within a grapheme cluster. */
const cutAt = (text: string, max: number): string => {
  if (text.length <= max || codePoints(text) <= max) return text;
  let end = 0;
  let count = 0;
  for (const { index, segment } of characters.segment(text)) {
    count += codePoints(segment);
    if (count > max) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
};

/** A rendering failed. The message is a whole sentence. */
class RenderingFailed extends Error {}

/** Renders the templates of one message. */
class TextRenderer {
  readonly cut: Array<string> = [];
  readonly variables = new Set<string>();
  readonly #values: TemplateValues;

  constructor(values: TemplateValues) {
    this.#values = values;
  }

  /** Renders a field, whole. */
  whole(field: string, text: string): string {
    const parsed = cachedTemplate(text);
    // It was parsed when it was saved; a newer version may be stricter.
    if (parsed._tag === "Refused") throw new RenderingFailed(`The ${field} is no valid template.`);
    for (const name of parsed.template.variables) this.variables.add(name);
    const rendering = parsed.template.render(this.#values);
    if (rendering._tag === "Failed") throw new RenderingFailed(`The ${field} ${rendering.reason}`);
    return rendering.text.trim();
  }

  /** Renders a field and cuts it at its limit. */
  upTo(max: number, field: string, path: string, text: string): string {
    const whole = this.whole(field, text);
    const result = cutAt(whole, max);
    if (result !== whole) this.cut.push(path);
    return result;
  }
}

const renderAll = (texts: MessageTexts, renderer: TextRenderer): MessageTexts => {
  const headline = renderer.upTo(maxLengths.headline, "headline", "headline", texts.headline);
  if (headline === "") throw new RenderingFailed("The headline renders empty for this device.");
  const body = renderer.whole("body", texts.body);
  const label =
    texts.cta_label === null
      ? ""
      : renderer.upTo(maxLengths.cta_label, "button label", "cta_label", texts.cta_label);
  const addressOf = (name: string, text: string | null): string | null => {
    const url = text === null ? "" : renderer.whole(name, text);
    return isSendable(url) && codePoints(url) <= maxLengths.cta_url ? url : null;
  };
  const url = addressOf("button address", texts.cta_url);
  // Without a label, or with an address that cannot be opened, the message goes without its button.
  const hasButton = label !== "" && url !== null;
  return {
    headline,
    body,
    cta_label: hasButton ? label : null,
    cta_url: hasButton ? url : null,
    questions: texts.questions.map((question, index) => ({
      ...question,
      question_text: renderer.upTo(
        maxLengths.question_text,
        "question",
        `questions.${index}.question_text`,
        question.question_text,
      ),
    })),
    push: texts.push && {
      ...texts.push,
      actions:
        texts.push.actions?.map((action) => ({ ...action, url: addressOf("action address", action.url) })) ??
        null,
    },
  };
};

/** The texts of a content for a device. `values` is called only for a template. */
export const renderTexts = (
  content: TextSource,
  locale: string | null,
  values: () => TemplateValues,
): RenderedTexts => {
  const { language, texts } = textsFor(content, locale);
  if (content.template === null) return { _tag: "Rendered", texts, cut: [], variables: new Set(), language };
  const renderer = new TextRenderer(values());
  try {
    const { cut, variables } = renderer;
    return { _tag: "Rendered", texts: renderAll(texts, renderer), cut, variables, language };
  } catch (error) {
    if (error instanceof RenderingFailed) return { _tag: "Failed", reason: error.message };
    throw error;
  }
};

/** The variables that the texts of a content and its variant read, in all its languages together. */
export const variablesOf = (content: TextSource): ReadonlySet<string> => {
  if (content.template === null) return new Set();
  const parts = [content, ...(content.variantTexts ? [content.variantTexts] : [])];
  const words = parts.flatMap((part) => [part, ...Object.values(part.translations ?? {})]);
  const languages = words.flatMap((each) => [
    each.headline,
    each.body,
    each.cta_label,
    each.cta_url,
    ...("questions" in each ? (each.questions ?? []) : []).map(({ question_text }) => question_text),
  ]);
  const all = [...languages, ...parts.flatMap(({ push }) => push?.actions ?? []).map(({ url }) => url)];
  const parsed = all.flatMap((text) => (typeof text === "string" ? cachedTemplate(text) : []));
  return new Set(parsed.flatMap((each) => (each._tag === "Parsed" ? [...each.template.variables] : [])));
};
