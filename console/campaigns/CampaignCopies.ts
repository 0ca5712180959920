/** Work that is left after a copy was made: notifications that could not be copied, and why. */
import { signal } from "@preact/signals";
import { platform } from "../data/Api.ts";
import { send, sentencesOf as allSentences } from "../data/ApiCall.ts";
import type { Campaign, Notification } from "../data/Resources.ts";

import { copyOfMessage, messageDraftOf } from "../notifications/NotificationForm.ts";

/** A notification that was not copied. */
export interface MissedCopy {
  readonly message: Pick<Notification, "id" | "name">;
  readonly reason: string;
}

/** Work that is left on a campaign, until its page is left. */
export interface Unfinished {
  readonly campaignId: string;
  readonly missed: ReadonlyArray<MissedCopy>;
  /** Why it was not published; null if that was not tried or went well. */
  readonly publishProblem: string | null;
}

/** Work that a save left undone. */
export const unfinished = signal<Unfinished | null>(null);

/** The sentences of a problem, those of its fields first. */
export const sentencesOf = (error: unknown): string => allSentences(error).join(" ");

/** Adds the notifications of another campaign, oldest first. The key makes each once. */
export const copyMessages = async (
  to: Campaign,
  messages: ReadonlyArray<Notification>,
  idempotencyKey: string,
): Promise<ReadonlyArray<MissedCopy>> => {
  const missed: Array<MissedCopy> = [];
  for (const message of messages) {
    try {
      const draft = messageDraftOf(copyOfMessage(message, to));
      const key = `${idempotencyKey}.${message.id}`;
      await send(platform.notifications.create(to.id, draft, { idempotencyKey: key }));
    } catch (error) {
      missed.push({ message, reason: sentencesOf(error) });
    }
  }
  return missed;
};
