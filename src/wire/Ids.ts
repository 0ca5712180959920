import { Brand } from "effect";
import { randomFillSync } from "node:crypto";

/** A UUID in lower case that identifies one kind of row. */
type Id<Kind extends string> = string & Brand.Brand<Kind>;
/** A small integer by which tables that grow without end refer to one kind of row. */
type Key<Kind extends string> = number & Brand.Brand<Kind>;

/** The id of a campaign. */
export const CampaignId = Brand.nominal<CampaignId>();
export type CampaignId = Id<"CampaignId">;
/** The id of a notification. */
export const NotificationId = Brand.nominal<NotificationId>();
export type NotificationId = Id<"NotificationId">;
/** The id of a device. */
export const DeviceId = Brand.nominal<DeviceId>();
export type DeviceId = Id<"DeviceId">;
/** The key of a campaign. */
export const CampaignKey = Brand.nominal<CampaignKey>();
export type CampaignKey = Key<"CampaignKey">;
/** The key of a notification. */
export const NotificationKey = Brand.nominal<NotificationKey>();
export type NotificationKey = Key<"NotificationKey">;
/** The key of one revision of a content. */
export type ContentKey = Key<"ContentKey">;
/** The key of a location. */
export const LocationKey = Brand.nominal<LocationKey>();
export type LocationKey = Key<"LocationKey">;
/** The key of a device, which counts from 1 within an environment. */
export const DeviceKey = Brand.nominal<DeviceKey>();
export type DeviceKey = Key<"DeviceKey">;

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

/** The two digits of each byte. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

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
  let tail = digits[((counter & 0x3f) << 2) | (randomByte() & 3)] ?? "";
  for (let i = 0; i < 5; i++) tail += digits[randomByte()] ?? "";
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${middle}-${tail}`;
};

/** A text of the form of an id that is not after any id of this millisecond, or of a later one. */
export const firstIdAt = (millis: number): string => {
  const time = Math.max(0, Math.floor(millis)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
};

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a path segment can be an id at all; one that cannot is not found (contract B2). */
export const isUuid = (text: string): boolean => pattern.test(text);

/** The id of a path segment, by the constructor of its brand; null for a text that cannot be an id. */
export const parseId = <Id extends string>(brand: (text: string) => Id, text: string): Id | null =>
  isUuid(text) ? brand(text.toLowerCase()) : null;
