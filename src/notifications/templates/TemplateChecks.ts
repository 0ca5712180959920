import type { Problems } from "../../wire/Problems.ts";
import { fieldSentence } from "../../wire/SchemaProblems.ts";
import type { ContentBody } from "../NotificationDraft.ts";
import type { Translation } from "../translations/Translation.ts";
import { cachedTemplate } from "./TemplateCache.ts";

type Text = string | null | undefined;

const checkTemplate = (text: Text, path: string, problems: Problems): void => {
  if (text === undefined || text === null || problems.has(path)) return;
  const parsed = cachedTemplate(text);
  if (parsed._tag === "Parsed") return;
  for (const { line, reason } of parsed.problems) {
    const sentence = `The {field} is not a valid template: line ${line}: ${reason}.`;
    problems.add(path, fieldSentence(sentence, path.split(".")));
  }
};

/** The texts that can be templates, with their paths. */
function* templatesOf(
  texts: Omit<Translation, "questions"> | ContentBody["fields"],
  questions: ReadonlyArray<{ readonly question_text?: string }>,
  path: string,
): Generator<readonly [Text, string]> {
  for (const field of ["headline", "body", "cta_label", "cta_url"] as const)
    yield [texts[field], path + field];
  for (const [index, { question_text }] of questions.entries())
    yield [question_text, `${path}questions.${index}.question_text`];
}

/** Checks the templates of a notification and its translations (contract O1, O1.4–O1.9). */
export const checkTemplates = ({ fields, problems }: ContentBody): void => {
  if (fields.template !== "liquid") return;
  for (const [text, path] of templatesOf(fields, fields.questions ?? [], ""))
    checkTemplate(text, path, problems);
  for (const [tag, translation] of Object.entries(fields.translations ?? {}))
    for (const [text, path] of templatesOf(translation, translation.questions ?? [], `translations.${tag}.`))
      checkTemplate(text, path, problems);
};
