/** Drafts of forms in this tab. */
import { draftKey, keepDraft, readDraft } from "../../session/Drafts.ts";
import { environment, workspaceId } from "../../session/Scope.ts";
import { tabDraftKey } from "../../session/TabDrafts.ts";

/** Sentences by the API's field name. */
export type Problems = Readonly<Record<string, ReadonlyArray<string>>>;

/** The values of a form, those that it began with, and what is wrong with them. */
interface FormDraft {
  readonly base: object;
  readonly values: object;
  readonly problems: Problems;
  readonly refusal: string | null;
}

/** Drafts that were left to a form, until it begins. */
const left = new Map<string, FormDraft>();

/** The key of a draft in this tab; null for none. */
export const formDraftKey = (name: string | null): string | null =>
  name === null || workspaceId.value === null
    ? null
    : tabDraftKey(draftKey(workspaceId.value, environment.value, name));

/** The draft of a form that begins; nothing without one. */
export const takeFormDraft = (key: string | null): Partial<FormDraft> => {
  if (key === null) return {};
  const draft = left.get(key) ?? (readDraft(key) as Partial<FormDraft> | undefined);
  left.delete(key);
  return draft ?? {};
};

/** Leaves a draft to the form of a name, which begins later. */
export const leaveFormDraft = (name: string, draft: FormDraft): void => {
  const key = formDraftKey(name);
  if (key === null) return;
  keepDraft(key, { base: draft.base, values: draft.values });
  left.set(key, draft);
};
