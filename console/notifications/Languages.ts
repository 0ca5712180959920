/** Languages: those that are offered, their names, and the translation that a device in one of them gets. */
import type { TranslationValues } from "./TranslationForm.ts";

/** Tags that are offered; any other one can be typed. */
const commonLanguages = ["en", "nl", "de", "fr", "es", "it", "pl", "pt", "sv", "tr", "ja", "ar"];

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** The usual form of a tag: `nl` of "dut", `pt-BR` of "pt-br"; undefined for what is no language. */
export const languageTag = (text: string): string | undefined => {
  try {
    const [tag = ""] = Intl.getCanonicalLocales(text.trim());
    return languageName(tag) === tag ? undefined : tag;
  } catch {
    return undefined;
  }
};

let known: ReadonlyArray<string> | undefined;

/** Languages with two letters, the common ones first, and some that differ by region. */
export const knownLanguages = (): ReadonlyArray<string> => {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
  const all = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((tag) => languageTag(tag) === tag);
  const regional = [
    "en-GB",
    "en-US",
    "nl-BE",
    "de-AT",
    "de-CH",
    "fr-CA",
    "es-MX",
    "pt-BR",
    "zh-Hans",
    "zh-Hant",
  ];
  return (known ??= [...new Set([...commonLanguages, ...regional, ...all])]);
};

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
