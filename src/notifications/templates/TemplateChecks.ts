import { Effect } from "effect";
import type { Problems } from "../../wire/Problems.ts";
import { fieldSentence } from "../../wire/FieldSentence.ts";
import { mapSliced } from "../../workers/TimeSlices.ts";
import { type ContentBody, type WrittenPart, writtenParts } from "../NotificationDraft.ts";
import type { Translation } from "../translations/Translation.ts";
import { cachedTemplate } from "./TemplateCache.ts";
import { countTags, maxCharactersTogether, maxTags, maxTagsTogether, tooMuch } from "./TemplateLimits.ts";

interface TemplateField {
  readonly path: string;
  readonly text: string;
}

const checkTemplate = ({ path, text }: TemplateField, problems: Problems): void => {
  if (problems.has(path)) return;
  const parsed = cachedTemplate(text);
  if (parsed._tag === "Parsed") return;
  for (const { line, reason } of parsed.problems) {
    const sentence = `The {field} is not a valid template: line ${line}: ${reason}.`;
    problems.add(path, fieldSentence(sentence, path.split(".")));
  }
};

/** The texts that can be templates, with their paths. */
const templatesOf = (
  texts: Omit<Translation, "questions"> | WrittenPart,
  questions: ReadonlyArray<{ readonly question_text?: string }>,
  path: string,
): ReadonlyArray<TemplateField> =>
  [
    ...(["headline", "body", "cta_label", "cta_url"] as const).map((field) => [field, texts[field]] as const),
    ...questions.map(
      ({ question_text }, index) => [`questions.${index}.question_text`, question_text] as const,
    ),
  ].flatMap(([field, text]) => (typeof text === "string" ? [{ path: path + field, text }] : []));

const sumOf = (fields: ReadonlyArray<TemplateField>, measure: (text: string) => number): number =>
  fields.reduce((sum, { text }) => sum + measure(text), 0);

/**
 * Checks the templates of a notification, its translations and its variants (contract O1, O1.4–O1.9, O1.11),
 * one after the other in time slices, if all together are within their limits.
 */
export const checkTemplates = Effect.fnUntraced(function* ({ fields, problems }: ContentBody) {
  if (fields.template !== "liquid") return;
  const templates = writtenParts(fields).flatMap(({ part, path }) => [
    ...templatesOf(part, path === "" ? (fields.questions ?? []) : [], path),
    ...(part.push?.actions ?? []).flatMap(({ url }, index) =>
      typeof url !== "string" ? [] : [{ path: `${path}push.actions.${index}.url`, text: url }],
    ),
    ...Object.entries(part.translations ?? {}).flatMap(([tag, translation]) =>
      templatesOf(translation, translation.questions ?? [], `${path}translations.${tag}.`),
    ),
  ]);
  // A text with too many tags is refused without being parsed, and has no part in the sums.
  const isShort = ({ text }: TemplateField): boolean => countTags(text) <= maxTags;
  const short = templates.filter(isShort);
  const tooManyTags = sumOf(short, countTags) > maxTagsTogether;
  const tooManyCharacters = sumOf(short, ({ length }) => length) > maxCharactersTogether;
  // Only translations and variants can make so many: each text has its own limit.
  if (tooManyTags) problems.add("translations", tooMuch.tagsTogether);
  if (tooManyCharacters) problems.add("translations", tooMuch.charactersTogether);
  const parsed =
    tooManyTags || tooManyCharacters ? templates.filter((template) => !isShort(template)) : templates;
  yield* mapSliced(parsed, (template) => checkTemplate(template, problems));
});
