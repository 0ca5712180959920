/** Languages: those that are offered, their names, and the translation that a device in one of them gets. */
import type { TranslationValues } from "./TranslationForm.ts";

/** Tags that are offered; any other one can be typed. */
export const commonLanguages = ["en", "nl", "de", "fr", "es", "it", "pl", "pt", "sv", "tr", "ja", "ar"];

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** The name of a language in English; the tag itself if it is none. */
export const languageName = (tag: string): string => {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
};

/** The common languages, and those that a notification is translated into. */
export const languagesOf = (translations: ReadonlyArray<TranslationValues>): ReadonlyArray<string> => [
  ...new Set([...commonLanguages, ...translations.map(({ tag }) => tag.trim()).filter((tag) => tag !== "")]),
];

/** The translation for a language: the one of its tag, else of its tag without the last part, and so on. */
export const translationFor = (
  translations: ReadonlyArray<TranslationValues>,
  language: string,
): TranslationValues | undefined => {
  const parts = language.toLowerCase().split("-");
  for (let count = parts.length; count > 0; count--) {
    const wanted = parts.slice(0, count).join("-");
    const found = translations.find(({ tag }) => tag.trim().toLowerCase() === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
};
