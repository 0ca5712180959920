import { Brand } from "effect";
import { randomFillSync } from "node:crypto";

/** A UUID in lower case that identifies one kind of row. */
type Id<Kind extends string> = string & Brand.Brand<Kind>;
/** A small integer by which tables that grow without end refer to one kind of row. */
type Key<Kind extends string> = number & Brand.Brand<Kind>;

export type CampaignId = Id<"CampaignId">;
export type NotificationId = Id<"NotificationId">;
export type LocationId = Id<"LocationId">;
export type DeviceId = Id<"DeviceId">;
export type CampaignKey = Key<"CampaignKey">;
export type NotificationKey = Key<"NotificationKey">;
export type ContentKey = Key<"ContentKey">;
export type LocationKey = Key<"LocationKey">;
export type DeviceKey = Key<"DeviceKey">;

// Constructors, for ids that are made or parsed and for keys that are assigned.
export const CampaignId = Brand.nominal<CampaignId>();
export const NotificationId = Brand.nominal<NotificationId>();
export const DeviceId = Brand.nominal<DeviceId>();
export const CampaignKey = Brand.nominal<CampaignKey>();
export const NotificationKey = Brand.nominal<NotificationKey>();
export const DeviceKey = Brand.nominal<DeviceKey>();

let lastMillis = -1;
let counter = 0;
const random = new Uint8Array(1024);
let used = random.length;

const randomByte = (): number => {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return random[used++] ?? 0;
};

/**
 * Makes a UUID of version 7 (RFC 9562): 48 bits of milliseconds, a 32-bit counter that starts in its lower
 * half each millisecond, and 42 random bits. Ids that one process makes sort in the order in which they were
 * made.
 */
export const idAt = (millis: number): string => {
  if (millis === lastMillis) counter++;
  else {
    lastMillis = millis;
    counter = ((randomByte() & 0x7f) << 24) | (randomByte() << 16) | (randomByte() << 8) | randomByte();
  }
  const time = Math.floor(millis).toString(16).padStart(12, "0");
  const high = ((counter >>> 20) & 0xfff).toString(16).padStart(3, "0");
  const middle = (0x8000 | ((counter >>> 6) & 0x3fff)).toString(16);
  let tail = (((counter & 0x3f) << 2) | (randomByte() & 3)).toString(16).padStart(2, "0");
  for (let i = 0; i < 5; i++) tail += randomByte().toString(16).padStart(2, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${middle}-${tail}`;
};

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a path segment can be an id at all; one that cannot is not found (contract B2). */
export const isUuid = (text: string): boolean => pattern.test(text);

/** The id of a path segment, by the constructor of its brand; null for a text that cannot be an id. */
export const parseId = <Id extends string>(brand: (text: string) => Id, text: string): Id | null =>
  isUuid(text) ? brand(text.toLowerCase()) : null;
