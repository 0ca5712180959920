import type { MediaKind, Plan } from "../workspaces/Plan.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { ContentBody, ContentDraft } from "./NotificationDraft.ts";
import { checkQuestions, questionsWithIds } from "./QuestionMatching.ts";
import type { Question } from "./Survey.ts";
import { questionCount } from "./SurveyParsing.ts";
import { checkTranslations } from "./translations/TranslationParsing.ts";

/**
 * Checks a content against the plan and its fields against each other (contract F2, F4, F5). `stored` has the
 * stored questions, `media` the kind of the media file; null for none or an unknown one.
 */
export const checkContent = (
  body: ContentBody,
  stored: ReadonlyArray<Question>,
  media: MediaKind | null,
  plan: Plan,
): void => {
  const { fields, problems } = body;
  const { questions, type } = fields;
  const refuse = (field: string, sentence: string) => problems.add(field, sentence);

  if (!isNone(fields.cta_label) && isNone(fields.cta_url) && !problems.has("cta_url")) {
    refuse("cta_url", "A button needs an address as well as a label.");
  }
  if (!isNone(fields.cta_url) && isNone(fields.cta_label) && !problems.has("cta_label")) {
    refuse("cta_label", "A button needs a label as well as an address.");
  }
  if (!isNone(fields.media_asset_id)) {
    if (type === "survey") refuse("media_asset_id", "A survey has no media file: leave it out.");
    if (media === null) {
      refuse(
        "media_asset_id",
        "The media file must be one of this workspace and environment: there is no media file with this id.",
      );
    } else if (!plan.media_kinds.includes(media)) {
      refuse(
        "media_asset_id",
        `The plan does not include ${media} files: choose another media file, or none.`,
      );
    }
  }
  if (type === "survey") {
    if (!plan.surveys) refuse("type", "The plan does not include surveys: the type must be message.");
    if (questions !== undefined && questions.length === 0) refuse("questions", questionCount);
    if (questions !== undefined) checkQuestions(questions, stored, problems);
    if (fields.push?.silent === true)
      refuse("push.silent", "A survey is shown to be answered: leave this out, or make the type message.");
  } else if (type === "message" && questions !== undefined && questions.length > 0) {
    refuse("questions", "A message has no questions: leave them out, or make the type survey.");
  }
  if (!isNone(fields.translations)) checkTranslations(fields.translations, fields, problems);
};

const isNone = (value: unknown): value is null | undefined => value === undefined || value === null;

/**
 * The content to store for a valid draft; `stored` has the stored questions, whose ids matched questions
 * keep.
 */
export const contentOf = (
  draft: Omit<ContentDraft, "name">,
  stored: ReadonlyArray<Question>,
  media: MediaKind | null,
  newId: () => string,
): MessageContent => ({
  type: draft.type,
  headline: draft.headline,
  body: draft.body,
  cta_label: draft.cta_label ?? null,
  cta_url: draft.cta_url ?? null,
  media_asset_id: draft.media_asset_id?.toLowerCase() ?? null,
  media_kind: media,
  questions: draft.type === "survey" ? questionsWithIds(draft.questions ?? [], stored, newId) : [],
  template: draft.template ?? null,
  translations: draft.translations ?? null,
  push: draft.push ?? null,
});
