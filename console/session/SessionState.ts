/** Who is signed in. */
import { batch, signal } from "@preact/signals";
import type { Ability, ConsoleSession } from "../data/Resources.ts";
import { setServerTime } from "../data/ServerTime.ts";
import { forgetDrafts } from "./Drafts.ts";

/** The session; null while nobody is signed in. */
export const currentSession = signal<ConsoleSession | null>(null);

/** Whether it is known who is signed in. */
export const isSessionKnown = signal(false);

/** Why the last session ended, for the page on which one signs in. */
export const endedMessage = signal<string | null>(null);

/** Takes over a session. */
export const startSession = (session: ConsoleSession | null): void => {
  if (session !== null) setServerTime(session.now);
  currentSession.value = session;
  isReportsOnly.value = false;
  isSessionKnown.value = true;
  if (session !== null) endedMessage.value = null;
};

/** Hides what the page shows until the server has said who is signed in. */
export const askForSession = (): void => {
  if (currentSession.value === null) return;
  batch(() => {
    isSessionKnown.value = false;
    currentSession.value = null;
  });
};

/** Ends the session of this page: the server refused it. What was typed is kept. */
export const endSession = (reason: { readonly message: string }): void => {
  if (currentSession.value === null) return;
  endedMessage.value = reason.message;
  currentSession.value = null;
};

/** Ends the session at the wish of the person, and forgets what was typed. */
export const leaveSession = (): void => {
  forgetDrafts();
  endedMessage.value = null;
  currentSession.value = null;
};

/** Whether only reports work: a token of Production, in a workspace without the full API there. */
export const isReportsOnly = signal(false);

/** Whether the session may use an ability here and now. */
export const may = (ability: Ability): boolean =>
  (currentSession.value?.abilities.includes(ability) ?? false) &&
  (ability === "reports:read" || !isReportsOnly.value);

/** Whether the operator is signed in. */
export const isOperator = (): boolean => currentSession.value?.kind === "operator";
