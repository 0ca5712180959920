/** The values of translations while they are edited, and how they become those of a draft of the API. */
import type { Notification } from "../data/Resources.ts";

type ShownTranslations = NonNullable<Notification["translations"]>;

/** A question in another language. Its choices are lines of one text; an empty line is not translated. */
export interface TranslatedQuestionValues {
  readonly question_text: string;
  readonly choices: string;
}

/** The texts in one language. Empty ones are those of the notification itself. */
export interface TranslationValues {
  readonly tag: string;
  readonly headline: string;
  readonly body: string;
  readonly cta_label: string;
  readonly cta_url: string;
  readonly questions: ReadonlyArray<TranslatedQuestionValues>;
}

/** The most translations of a notification. */
export const maxTranslations = 50;

/** A question without a translation. */
export const untranslated: TranslatedQuestionValues = { question_text: "", choices: "" };

/** A translation without texts. */
export const newTranslation: TranslationValues = {
  tag: "",
  headline: "",
  body: "",
  cta_label: "",
  cta_url: "",
  questions: [],
};

/** The values of the translations of a notification. */
export const translationValues = (shown: ShownTranslations | null): ReadonlyArray<TranslationValues> =>
  Object.entries(shown ?? {}).map(([tag, texts]) => ({
    tag,
    headline: texts.headline ?? "",
    body: texts.body ?? "",
    cta_label: texts.cta_label ?? "",
    cta_url: texts.cta_url ?? "",
    questions: (texts.questions ?? []).map((question) => ({
      question_text: question.question_text ?? "",
      choices: (question.choices ?? []).map((choice) => choice ?? "").join("\n"),
    })),
  }));

/** The name under which the API knows a translation, and its problems. */
export const translationName = ({ tag }: TranslationValues): string => `translations.${tag.trim()}`;

/** The sentence at translations of the same language, by the API's field name; empty without any. */
export const repeatedTags = (
  translations: ReadonlyArray<TranslationValues>,
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const names = translations.map(translationName);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return Object.fromEntries(
    repeated.map((name) => [name, ["Each language can have one translation: change or remove one."]]),
  );
};

const orLeftOut = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ""));

/** The lines of a text without the empty ones at its end. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text.replace(/\s+$/, "") === "" ? [] : text.replace(/\s+$/, "").split("\n");

/** The choices of a question as they are sent: as many as the survey has, unless more were typed. */
const sentChoices = (typed: string, count: number): ReadonlyArray<string | null> | undefined => {
  const lines = linesOf(typed);
  if (lines.length === 0) return undefined;
  return Array.from({ length: Math.max(count, lines.length) }, (_, index) =>
    (lines[index] ?? "").trim() === "" ? null : (lines[index] ?? ""),
  );
};

const sentQuestions = (
  questions: ReadonlyArray<TranslatedQuestionValues>,
  choiceCounts: ReadonlyArray<number>,
) => {
  const sent = choiceCounts.map((count, index) => {
    const { choices, question_text: text } = questions[index] ?? untranslated;
    const translated = count === 0 ? undefined : sentChoices(choices, count);
    return {
      ...orLeftOut({ question_text: text }),
      ...(translated === undefined ? {} : { choices: translated }),
    };
  });
  return sent.some((question) => Object.keys(question).length > 0) ? { questions: sent } : {};
};

/**
 * The translations of a draft; null for none. `choiceCounts` has the number of choices of each question of
 * the survey.
 */
export const sentTranslations = (
  translations: ReadonlyArray<TranslationValues>,
  choiceCounts: ReadonlyArray<number>,
) =>
  translations.length === 0
    ? null
    : Object.fromEntries(
        translations.map(({ questions, tag, ...texts }) => [
          tag.trim(),
          { ...orLeftOut(texts), ...sentQuestions(questions, choiceCounts) },
        ]),
      );
