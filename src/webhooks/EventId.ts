import { Effect, Redacted } from "effect";
import { createHash } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { countedIds } from "../wire/EncryptedIds.ts";

/** An event: its recording and its index in it, from 0. */
export interface EventKey {
  readonly recording: bigint;
  readonly index: number;
}

/**
 * The ids of events by their keys, and back: the encrypted keys. An event has the same id for all webhooks
 * that receive it and for each retry, and in all processes of a database with this secret key.
 */
export const eventIds = (secretKey: string) => {
  const ids = countedIds(secretKey, "waypost event ids");
  return {
    /** The id. Recordings must be below 2^60. */
    idOf: ({ index, recording }: EventKey): string => ids.idsOf([{ count: recording, part: index }])[0] ?? "",
    /** The event key in an id, in any letter case; null for an id that this installation did not make. */
    keyOf: (id: string): EventKey | null => {
      const numbers = ids.numbersOf(id);
      return numbers === null ? null : { recording: numbers.count, index: numbers.part };
    },
  };
};

/** The event ids of this installation. */
export const ownEventIds = Effect.map(DataDirectory, ({ secretKey }) => eventIds(Redacted.value(secretKey)));

/**
 * The id of a call, its header `webhook-id`: derived from the webhook and the events, so that the same call
 * always has the same id (contract N3). A UUID of version 8.
 */
export const callId = (webhookId: string, eventIds: ReadonlyArray<string>): string => {
  const hash = createHash("sha256").update(webhookId).update(eventIds.join("")).digest("hex");
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
  return (
    `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-` +
    `${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  );
};
