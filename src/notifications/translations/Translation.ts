import { Schema } from "effect";
import { shownText } from "../../wire/ShownFields.ts";

const part = (description: string, example: string) => Schema.optionalKey(shownText(description, example));

const TranslatedQuestion = Schema.Struct({
  question_text: part("The question.", "Hoe was je bezoek?"),
  choices: Schema.optionalKey(
    Schema.Array(Schema.NullOr(Schema.String)).annotate({
      description: "The choices, in the order of the survey; null for one that is not translated.",
      examples: [["Goed", "Kan beter"]],
    }),
  ),
}).annotate({ identifier: "TranslatedQuestion" });

/** The texts of a notification in one language. Parts that are left out are those of the notification. */
export const Translation = Schema.Struct({
  headline: part("The headline.", "Welkom in onze winkel"),
  body: part("The text.", "Laat dit zien voor een gratis koffie."),
  cta_label: part("Label of the button.", "Bekijk de aanbieding"),
  cta_url: part("Address that the button opens.", "https://example.com/nl/aanbieding"),
  questions: Schema.optionalKey(
    Schema.Array(TranslatedQuestion).annotate({
      description: "The questions of a survey, in its order; `{}` for one that is not translated.",
    }),
  ),
}).annotate({ identifier: "Translation" });
export type Translation = typeof Translation.Type;

/** Translations by their language tags, as the author wrote these. */
export const Translations = Schema.Record(Schema.String, Translation).annotate({
  description:
    "The texts in other languages, by BCP 47 tags, at most 50. A device gets the one that a lookup of its " +
    "`locale` finds (RFC 4647: `de-AT` finds `de-AT`, else `de`), and whatever it leaves out from the " +
    "notification itself. The lookup does not know that `zh-TW` is `zh-Hant`.",
  examples: [{ nl: { headline: "Welkom in onze winkel" } }],
});
export type Translations = typeof Translations.Type;

/** Whether a text is a language tag: what `Intl.getCanonicalLocales` takes (contract O2.7). */
export const isLanguageTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

/** Whether a text is a locale as devices have it: underscores count as hyphens (contract O2.4). */
export const isDeviceLocale = (locale: string): boolean => isLanguageTag(locale.replaceAll("_", "-"));

/**
 * The tag that RFC 4647 lookup finds for a locale (section 3.4): the locale itself, else without its last
 * subtag, and so on. A single letter or digit goes with the subtag behind it. Underscores, as Android and
 * Java write them, count as hyphens. Null if there is none.
 */
export const lookupTag = (tags: Iterable<string>, locale: string | null): string | null => {
  if (locale === null) return null;
  const known = new Map<string, string>();
  for (const tag of tags) known.set(tag.toLowerCase(), tag);
  const subtags = locale.trim().toLowerCase().replaceAll("_", "-").split("-");
  while (subtags.length > 0) {
    const found = known.get(subtags.join("-"));
    if (found !== undefined) return found;
    subtags.pop();
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
  return null;
};
