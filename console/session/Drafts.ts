/**
 * Texts typed into forms, kept in this browser by workspace and environment. They survive a refusal, the end
 * of a session, a reload and a restart of the server, and are forgotten on "Sign out".
 */

const prefix = "waypost.draft.";

/** The key of a form in a workspace and environment. */
export const draftKey = (workspace: string, environment: string, form: string): string =>
  `${prefix}${workspace}.${environment}.${form}`;

/** Uses the browser's storage. A browser may forbid it, and what is kept may be damaged. */
export const withStorage = <Value>(use: () => Value, otherwise: Value): Value => {
  try {
    return use();
  } catch {
    return otherwise;
  }
};

/** The draft of a form; undefined for none. */
export const readDraft = (key: string): unknown =>
  withStorage((): unknown => JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined, undefined);

/** Keeps a draft; undefined forgets it. */
export const keepDraft = (key: string, draft: unknown): void =>
  withStorage(() => {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  }, undefined);

/** The keys of drafts that begin with a text. */
export const draftKeys = (start = prefix): ReadonlyArray<string> =>
  withStorage(() => Object.keys(localStorage).filter((key) => key.startsWith(start)), []);

/** Forgets all drafts. */
export const forgetDrafts = (): void => {
  for (const key of draftKeys()) keepDraft(key, undefined);
};
