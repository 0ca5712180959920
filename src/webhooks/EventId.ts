import { createHash } from "node:crypto";

/** An event: its recording and its index in it, from 0. */
export interface EventKey {
  readonly recording: bigint;
  readonly index: number;
}

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-9000-0000([0-9a-f]{8})$/i;

/**
 * The id of an event: a UUID of version 8 (RFC 9562) that holds its key, so that no id has to be stored. The
 * same for all webhooks that receive the event. Recordings must be below 2^60.
 */
export const eventId = ({ index, recording }: EventKey): string => {
  const number = recording.toString(16).padStart(15, "0");
  const last = index.toString(16).padStart(8, "0");
  return `${number.slice(0, 8)}-${number.slice(8, 12)}-8${number.slice(12)}-9000-0000${last}`;
};

/** The key in an event's id; null for any other id. */
export const eventKey = (id: string): EventKey | null => {
  const [, high, middle, low, last] = pattern.exec(id) ?? [];
  if (high === undefined || middle === undefined || low === undefined || last === undefined) return null;
  return { recording: BigInt(`0x${high}${middle}${low}`), index: Number.parseInt(last, 16) };
};

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
