import { Schema } from "effect";
import { atMost, inParts, keptAs, namedBy, type Readable, sentAs, sparse } from "../../wire/Parts.ts";
import type { Problems } from "../../wire/Problems.ts";
import { optionalOrNull, optionalText, textOrNull } from "../../wire/Text.ts";
import type { QuestionDraft } from "../Survey.ts";
import { maxLengths } from "../TextLimits.ts";
import { isLanguageTag, type Translations } from "./Translation.ts";

const maxTranslations = 50;

const textPart = (max: number, description: string, example: string) =>
  optionalText({ max, description, example });

/** Longer lists are refused by their number, when `checkTranslations` compares it. */
const bounded = sentAs((sent: unknown) =>
  Array.isArray(sent) ? (sent as ReadonlyArray<unknown>).slice(0, 10) : sent,
);

const notATag = "The name of a translation must be a BCP 47 language tag, such as nl or pt-BR.";

const QuestionTexts = Schema.Struct({
  question_text: textPart(maxLengths.question_text, "The question.", "Hoe was je bezoek?"),
  choices: optionalOrNull(
    Schema.Array(textOrNull({ max: maxLengths.choice, json: {} }))
      .annotate({ message: "The choices of a translation must be a list of texts." })
      .pipe(inParts(), bounded),
  ),
}).annotate({ identifier: "TranslatedQuestionDraft" });

const Texts = Schema.Struct({
  headline: textPart(maxLengths.headline, "The headline.", "Welkom in onze winkel"),
  body: textPart(maxLengths.body, "The text.", "Laat dit zien voor een gratis koffie."),
  cta_label: textPart(maxLengths.cta_label, "Label of the button.", "Bekijk de aanbieding"),
  cta_url: textPart(
    maxLengths.cta_url,
    "Address that the button opens.",
    "https://example.com/nl/aanbieding",
  ),
  questions: optionalOrNull(
    Schema.Array(Schema.NullOr(sparse(QuestionTexts)))
      .annotate({ message: "The questions of a translation must be a list." })
      .pipe(bounded),
  ),
}).annotate({ identifier: "TranslationDraft" });

/** Translations on write: every part may be left out or null (contract O2). Null if there are none. */
export const translationsDraft = optionalOrNull(
  Schema.Record(Schema.String, sparse(Texts))
    .annotate({
      description:
        "The texts in other languages, by BCP 47 tags, at most 50. Whatever one leaves out is that of the " +
        "notification itself. A survey's translation has all of its " +
        "questions, and all choices of those that it translates.",
      examples: [
        { nl: { headline: "Welkom in onze winkel", body: "Laat dit zien voor een gratis koffie." } },
      ],
      message: "The translations must be an object with a language tag for each.",
    })
    .check(atMost(maxTranslations, `A notification can have at most ${maxTranslations} translations.`))
    .pipe(
      namedBy((tag) => (isLanguageTag(tag) ? null : notATag)),
      inParts((_, problems, sent) => {
        const tags = Object.keys(sent).filter(isLanguageTag);
        for (const [index, tag] of tags.entries()) {
          if (tags.findIndex((other) => other.toLowerCase() === tag.toLowerCase()) < index)
            problems.add(tag, "There is a translation with this language tag already, in other letter case.");
        }
      }),
      keptAs((translations) =>
        Object.keys(translations).length === 0 ? null : (translations as Translations),
      ),
    ),
);

/** The notification that translations belong to, as far as it could be parsed. */
interface Translated {
  readonly cta_label?: string | null;
  readonly cta_url?: string | null;
  readonly questions?: ReadonlyArray<Readable<QuestionDraft>> | null;
}

/** Checks translations against their notification, or a variant of it (contract O2, O2.5, O2.7). */
export const checkTranslations = (
  translations: Readable<Translations>,
  { cta_label, cta_url, questions: own }: Translated,
  problems: Problems,
  prefix = "",
): void => {
  const questions = own ?? [];
  const hasButton = (cta_label ?? null) !== null || (cta_url ?? null) !== null;
  for (const [tag, translation] of Object.entries(translations)) {
    const path = `${prefix}translations.${tag}`;
    for (const field of ["cta_label", "cta_url"] as const) {
      if (translation[field] !== undefined && !hasButton && !problems.has(`${prefix}cta_label`)) {
        problems.add(`${path}.${field}`, "The notification has no button to translate: leave it out.");
      }
    }
    const translated = translation.questions;
    if (translated === undefined) continue;
    if (translated.length !== questions.length) {
      problems.add(
        `${path}.questions`,
        `A translation must have as many questions as the survey (${questions.length}), in its order.`,
      );
      continue;
    }
    translated.forEach(({ choices }, index) =>
      checkChoices(choices, questions[index]?.choices ?? [], `${path}.questions.${index}.choices`, problems),
    );
  }
};

const checkChoices = (
  translated: ReadonlyArray<string | null | undefined> | undefined,
  choices: ReadonlyArray<{ readonly text?: string }>,
  path: string,
  problems: Problems,
): void => {
  if (translated === undefined) return;
  if (translated.length !== choices.length) {
    problems.add(
      path,
      `A translation must have as many choices as the question (${choices.length}), in its order.`,
    );
    return;
  }
  const texts = new Set<string>();
  translated.forEach((text, index) => {
    const shown = text ?? choices[index]?.text;
    if (shown === undefined) return;
    if (texts.has(shown))
      problems.add(`${path}.${index}`, "The text of each choice must differ from the others'.");
    texts.add(shown);
  });
};
