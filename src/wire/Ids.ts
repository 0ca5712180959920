import { randomFillSync } from "node:crypto";

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
 * Makes a UUID of version 7 (RFC 9562): 48 bits of milliseconds, a 32-bit counter that starts anywhere in its lower half
 * each millisecond, 42 random bits. Ids that one process makes sort in the order in which they were made.
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

/** Whether a path segment can be an id at all; what cannot is simply not found (contract B2). */
export const isUuid = (text: string): boolean => pattern.test(text);
