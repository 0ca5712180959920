import { Context, Effect, Layer, Redacted } from "effect";
import { createHash } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { countedIds } from "../wire/EncryptedIds.ts";

/** An event: its recording and its index in it, from 0. */
export interface EventKey {
  readonly recording: bigint;
  readonly index: number;
}

/** The event ids of an installation with this secret key: the encrypted keys of the events. */
export const eventIds = (secretKey: string): EventIds["Service"] => {
  const ids = countedIds(secretKey, "waypost event ids");
  return {
    idOf: ({ index, recording }) => ids.idsOf([{ count: recording, part: index }])[0] ?? "",
    keyOf: (id) => {
      const numbers = ids.numbersOf(id);
      return numbers === null ? null : { recording: numbers.count, index: numbers.part };
    },
  };
};

/**
 * The id of an event by its key, and back: the same for all webhooks that receive the event, and for each
 * retry. All processes of a database make the same ids.
 */
export class EventIds extends Context.Service<
  EventIds,
  {
    /** The id. Recordings must be below 2^60. */
    readonly idOf: (key: EventKey) => string;
    /** The event key in an id, in any letter case; null for an id that this installation did not make. */
    readonly keyOf: (id: string) => EventKey | null;
  }
>()("waypost/webhooks/EventIds") {
  static readonly layer = Layer.effect(
    EventIds,
    Effect.map(DataDirectory, ({ secretKey }) => eventIds(Redacted.value(secretKey))),
  );
}

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
