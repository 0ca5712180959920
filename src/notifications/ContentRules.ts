import type { MediaKind, Plan } from "../workspaces/Plan.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { ContentBody, ContentDraft } from "./NotificationDraft.ts";
import { checkQuestions, questionsWithIds } from "./QuestionMatching.ts";
import { type Question, questionCount } from "./Survey.ts";
import { checkTranslations } from "./translations/TranslationsDraft.ts";
import type { Variant } from "./variants/Variant.ts";

/** The kinds of the media files that exist, by their ids. */
export type MediaKinds = ReadonlyMap<string, MediaKind>;

/** The ids of the media files that a content and its variants name, each once. */
export const mediaIdsOf = (content: {
  readonly media_asset_id?: string | null;
  readonly variants?: ReadonlyArray<Partial<Pick<Variant, "media_asset_id">>> | null;
}): ReadonlyArray<string> => {
  const all = [content, ...(content.variants ?? [])];
  return [...new Set(all.flatMap(({ media_asset_id: id }) => id?.toLowerCase() ?? []))];
};

/**
 * Checks a content against the plan and its fields against each other (contract F2, F4, F5). `stored` has the
 * stored questions, `media` the kinds of the media files.
 */
export const checkContent = (
  body: ContentBody,
  stored: ReadonlyArray<Question>,
  media: MediaKinds,
  plan: Plan,
): void => {
  const { fields, problems } = body;
  const { type } = fields;
  const [questions, variants] = [fields.questions ?? [], fields.variants ?? []];
  const pushes = [
    ["push.silent", fields.push] as const,
    ...variants.map(({ push }, index) => [`variants.${index}.push.silent`, push] as const),
  ];
  const refuse = (field: string, sentence: string) => problems.add(field, sentence);

  /** Checks the button and the media file of the content, or of a variant, whose other parts are its. */
  const checkParts = ({ cta_label, cta_url, media_asset_id }: Parts, path: string) => {
    const button = { cta_label: cta_label ?? fields.cta_label, cta_url: cta_url ?? fields.cta_url };
    const isOwn = path === "" || !isNone(cta_label) || !isNone(cta_url);
    const isMissing = (part: keyof typeof button) =>
      isOwn && isNone(button[part]) && !problems.has(part) && !problems.has(path + part);
    if (!isNone(button.cta_label) && isMissing("cta_url"))
      refuse(`${path}cta_url`, "A button needs an address as well as a label.");
    if (!isNone(button.cta_url) && isMissing("cta_label"))
      refuse(`${path}cta_label`, "A button needs a label as well as an address.");
    if (isNone(media_asset_id)) return;
    const field = `${path}media_asset_id`;
    const kind = media.get(media_asset_id.toLowerCase());
    if (type === "survey") refuse(field, "A survey has no media file: leave it out.");
    if (kind === undefined) {
      const where = "The media file must be one of this workspace and environment";
      refuse(field, `${where}: there is no media file with this id.`);
    } else if (!plan.media_kinds.includes(kind)) {
      refuse(field, `The plan does not include ${kind} files: choose another media file, or none.`);
    }
  };
  checkParts(fields, "");
  if (type === "survey") {
    if (!plan.surveys) refuse("type", "The plan does not include surveys: the type must be message.");
    if (questions.length === 0 && !problems.has("questions")) refuse("questions", questionCount);
    checkQuestions(questions, stored, problems);
    for (const [path, push] of pushes)
      if (push?.silent === true)
        refuse(path, "A survey is shown to be answered: leave this out, or make the type message.");
  } else if (type === "message" && questions.length > 0) {
    refuse("questions", "A message has no questions: leave them out, or make the type survey.");
  }
  if (!isNone(fields.translations)) checkTranslations(fields.translations, fields, problems);
  for (const [index, variant] of variants.entries()) {
    const path = `variants.${index}.`;
    checkParts(variant, path);
    if (isNone(variant.translations)) continue;
    const button = {
      cta_label: variant.cta_label ?? fields.cta_label ?? null,
      cta_url: variant.cta_url ?? fields.cta_url ?? null,
    };
    checkTranslations(variant.translations, button, problems, path);
  }
};

type Parts = Partial<Pick<Variant, "cta_label" | "cta_url" | "media_asset_id">>;

const isNone = (value: unknown): value is null | undefined => value === undefined || value === null;

/**
 * The content to store for a valid draft; `stored` has the stored questions, whose ids matched questions
 * keep.
 */
export const contentOf = (
  draft: Omit<ContentDraft, "name">,
  stored: ReadonlyArray<Question>,
  media: MediaKinds,
  newId: () => string,
): MessageContent => ({
  type: draft.type,
  headline: draft.headline,
  body: draft.body,
  cta_label: draft.cta_label ?? null,
  cta_url: draft.cta_url ?? null,
  media_asset_id: draft.media_asset_id?.toLowerCase() ?? null,
  media_kind: kindIn(media, draft.media_asset_id),
  questions: draft.type === "survey" ? questionsWithIds(draft.questions ?? [], stored, newId) : [],
  template: draft.template ?? null,
  translations: draft.translations ?? null,
  push: draft.push ?? null,
  variants: (draft.variants ?? []).map((variant) => ({
    ...variant,
    media_kind: kindIn(media, variant.media_asset_id),
  })),
});

const kindIn = (media: MediaKinds, id: string | null | undefined): MediaKind | null =>
  isNone(id) ? null : (media.get(id.toLowerCase()) ?? null);
