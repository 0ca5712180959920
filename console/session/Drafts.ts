/**
 * Texts typed into forms, kept in this browser by workspace and environment. They survive a refusal, the end
 * of a session, a reload and a restart of the server, and are forgotten on "Sign out".
 */

const prefix = "waypost.draft.";

/** The key of a form in a workspace and environment. */
export const draftKey = (workspace: string, environment: string, form: string): string =>
  `${prefix}${workspace}.${environment}.${form}`;

/** The draft of a form; undefined for none. */
export const readDraft = (key: string): unknown => {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    // A browser may forbid storage; a damaged draft is none.
    return undefined;
  }
};

/** Keeps a draft; undefined forgets it. */
export const keepDraft = (key: string, draft: unknown): void => {
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without storage the draft lives as long as the page.
  }
};

/** The keys of drafts that begin with a text. */
export const draftKeys = (start = prefix): ReadonlyArray<string> => {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(start));
  } catch {
    // A browser that forbids storage has none.
    return [];
  }
};

/** Forgets all drafts. */
export const forgetDrafts = (): void => {
  for (const key of draftKeys()) keepDraft(key, undefined);
};
