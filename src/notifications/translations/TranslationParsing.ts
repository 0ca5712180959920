import { Predicate, Schema } from "effect";
import { fieldSentence } from "../../wire/SchemaProblems.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import type { Problems } from "../../wire/Problems.ts";
import { optionalText } from "../../wire/Text.ts";
import type { ParsedQuestion } from "../SurveyParsing.ts";
import { maxLengths } from "../TextLimits.ts";
import { isLanguageTag, type Translation, type Translations } from "./Translation.ts";

const maxTranslations = 50;

type Json = { readonly [field: string]: unknown };

const textPart = (max: number, description: string, example: string) =>
  optionalText({ max, description, example });

const Texts = Schema.Struct({
  headline: textPart(maxLengths.headline, "The headline.", "Welkom in onze winkel"),
  body: textPart(maxLengths.body, "The text.", "Laat dit zien voor een gratis koffie."),
  cta_label: textPart(maxLengths.cta_label, "Label of the button.", "Bekijk de aanbieding"),
  cta_url: textPart(
    maxLengths.cta_url,
    "Address that the button opens.",
    "https://example.com/nl/aanbieding",
  ),
});
const QuestionText = Schema.Struct({
  question_text: textPart(maxLengths.question_text, "The question.", "Hoe was je bezoek?"),
});
const ChoiceText = Schema.Struct({ text: textPart(maxLengths.choice, "The choice.", "Goed") });

/** Translations in requests: every part may be left out or null. */
export const TranslationsDraft = Schema.Record(
  Schema.String,
  Schema.Struct({
    ...Texts.fields,
    questions: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(
          Schema.NullOr(
            Schema.Struct({
              ...QuestionText.fields,
              choices: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.NullOr(Schema.String)))),
            }).annotate({ identifier: "TranslatedQuestionDraft" }),
          ),
        ),
      ),
    ),
  }).annotate({ identifier: "TranslationDraft" }),
).annotate({
  description:
    "The texts in other languages, by BCP 47 tags, at most 50. Whatever one leaves out is that of the " +
    "notification itself. A survey's translation has all of its " +
    "questions, and all choices of those that it translates.",
  examples: [{ nl: { headline: "Welkom in onze winkel", body: "Laat dit zien voor een gratis koffie." } }],
});

const isObject = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value);

/** Parses the translations of a body; problems are named `translations.<tag>.…` (contract O2). */
export const parseTranslations = (value: unknown, problems: Problems): Translations | null => {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) {
    problems.add("translations", "The translations must be an object with a language tag for each.");
    return null;
  }
  const entries = Object.entries(value);
  if (entries.length > maxTranslations) {
    problems.add("translations", `A notification can have at most ${maxTranslations} translations.`);
    return null;
  }
  const seen = new Set<string>();
  const parsed = entries.flatMap(([tag, sent]): ReadonlyArray<readonly [string, Translation]> => {
    const path = `translations.${tag}`;
    if (!isLanguageTag(tag)) {
      problems.add(path, "The name of a translation must be a BCP 47 language tag, such as nl or pt-BR.");
      return [];
    }
    if (seen.has(tag.toLowerCase())) {
      problems.add(path, "There is a translation with this language tag already, in other letter case.");
    }
    seen.add(tag.toLowerCase());
    return sent === null ? [] : [[tag, parseTranslation(sent, path, problems)]];
  });
  return parsed.length === 0 ? null : Object.fromEntries(parsed);
};

/** Parses an object's fields and leaves out those without a value. */
const parseParts = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  sent: unknown,
  path: string,
  problems: Problems,
): { readonly [field: string]: string } => {
  if (!isObject(sent)) {
    problems.add(path, fieldSentence("The {field} must be an object.", path.split(".")));
    return {};
  }
  const parsed = parseFields(schema, sent);
  for (const [name, sentences] of Object.entries(parsed.problems.fields)) {
    for (const sentence of sentences) problems.add(`${path}.${name}`, sentence);
  }
  return Object.fromEntries(
    Object.entries(parsed.fields).filter(([, text]) => text !== null && text !== undefined),
  ) as { readonly [field: string]: string };
};

const parseTranslation = (sent: unknown, path: string, problems: Problems): Translation => {
  const texts = parseParts(Texts, sent, path, problems);
  const questions = isObject(sent) ? (sent["questions"] ?? null) : null;
  if (questions === null) return texts;
  if (!Array.isArray(questions)) {
    problems.add(`${path}.questions`, "The questions of a translation must be a list.");
    return texts;
  }
  // The survey has at most five; `checkTranslations` compares the number.
  return {
    ...texts,
    questions: questions
      .slice(0, 10)
      .map((question: unknown, index) => parseQuestion(question, `${path}.questions.${index}`, problems)),
  };
};

const parseQuestion = (
  sent: unknown,
  path: string,
  problems: Problems,
): NonNullable<Translation["questions"]>[number] => {
  if (sent === null) return {};
  const text = parseParts(QuestionText, sent, path, problems);
  const choices = isObject(sent) ? (sent["choices"] ?? null) : null;
  if (choices === null) return text;
  if (!Array.isArray(choices)) {
    problems.add(`${path}.choices`, "The choices of a translation must be a list of texts.");
    return text;
  }
  return {
    ...text,
    choices: choices.slice(0, 10).map((choice: unknown, index) => {
      const choicePath = `${path}.choices.${index}`;
      const parsed = parseFields(ChoiceText, { text: choice });
      for (const sentence of parsed.problems.fields["text"] ?? []) problems.add(choicePath, sentence);
      return parsed.fields.text ?? null;
    }),
  };
};

/** The notification that translations belong to, as far as it could be parsed. */
interface Translated {
  readonly cta_label?: string | null;
  readonly cta_url?: string | null;
  readonly questions?: ReadonlyArray<ParsedQuestion>;
}

/** Checks translations against their notification, or a variant of it (contract O2, O2.5, O2.7). */
export const checkTranslations = (
  translations: Translations,
  { cta_label, cta_url, questions = [] }: Translated,
  problems: Problems,
  prefix = "",
): void => {
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
  translated: ReadonlyArray<string | null> | undefined,
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
