import type { MediaKind, Plan } from "../workspaces/Plan.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { ContentDraft, SentContent } from "./NotificationDraft.ts";
import { checkQuestions, identify } from "./SurveyIdentity.ts";
import { questionCount } from "./SurveyParsing.ts";

/**
 * Adds what is wrong with a content, whose stored revision (of a new one: null) and media file (of none, or an unknown one: null)
 * are given (contract F2, F4, F5).
 */
export const checkContent = (
  sent: SentContent,
  stored: MessageContent | null,
  media: MediaKind | null,
  plan: Plan,
): void => {
  const { fields, problems } = sent;
  const { questions, type } = fields;
  const refuse = (field: string, sentence: string) => problems.add(field, sentence);

  if (fields.cta_label !== undefined && fields.cta_label !== null && isNone(fields.cta_url)) {
    if (!problems.has("cta_url")) refuse("cta_url", "A button needs an address as well as a label.");
  }
  if (fields.cta_url !== undefined && fields.cta_url !== null && isNone(fields.cta_label)) {
    if (!problems.has("cta_label")) refuse("cta_label", "A button needs a label as well as an address.");
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
    if (questions !== undefined) checkQuestions(questions, stored?.questions ?? [], problems);
  } else if (type === "message" && questions !== undefined && questions.length > 0) {
    refuse("questions", "A message has no questions: leave them out, or make the type survey.");
  }
};

const isNone = (value: string | null | undefined): boolean => value === undefined || value === null;

/** The content to store of a draft without problems; questions that stay what they were keep their ids. */
export const contentOf = (
  draft: Omit<ContentDraft, "name">,
  stored: MessageContent | null,
  media: MediaKind | null,
  newId: () => string,
): MessageContent => ({
  type: draft.type,
  headline: draft.headline,
  body: draft.body,
  cta_label: draft.cta_label ?? null,
  cta_url: draft.cta_url ?? null,
  media_asset_id: draft.media_asset_id ?? null,
  media_kind: media,
  questions: draft.type === "survey" ? identify(draft.questions ?? [], stored?.questions ?? [], newId) : [],
});
