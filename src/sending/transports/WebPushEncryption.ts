import { createCipheriv, createECDH, createHmac, randomBytes } from "node:crypto";

/** The keys of a browser's subscription, as bytes. */
export interface SubscriptionKeys {
  /** The uncompressed P-256 point. */
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** Most bytes of a message: what is left of 4,096 after the header, the padding's end and the tag (RFC 8291, section 4). */
export const plaintextLimit = 4096 - 86 - 1 - 16;

const hmac = (key: Uint8Array, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const sum = createHmac("sha256", key);
  for (const part of parts) sum.update(part);
  return sum.digest();
};

const one = Buffer.of(1);
const keyInfo = Buffer.from("WebPush: info\0", "latin1");
const contentKeyInfo = Buffer.from("Content-Encoding: aes128gcm\0\x01", "latin1");
const nonceInfo = Buffer.from("Content-Encoding: nonce\0\x01", "latin1");
const recordSize = Buffer.of(0, 0, 0x10, 0);
/** Ends the last record; no padding follows. */
const lastRecord = Buffer.of(2);

/**
 * The message as a push service gets it: `aes128gcm` (RFC 8188) under a key that only the browser can derive (RFC 8291), one
 * record, with a key pair and a salt of its own. Throws where `p256dh` is no point of the curve.
 */
export const encryptForBrowser = (
  plaintext: string,
  { auth, p256dh }: SubscriptionKeys,
  salt: Uint8Array = randomBytes(16),
): Buffer => {
  const pair = createECDH("prime256v1");
  const ours = pair.generateKeys();
  const material = hmac(hmac(auth, pair.computeSecret(p256dh)), keyInfo, p256dh, ours, one);
  const secret = hmac(salt, material);
  const key = hmac(secret, contentKeyInfo).subarray(0, 16);
  const nonce = hmac(secret, nonceInfo).subarray(0, 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  return Buffer.concat([
    salt,
    recordSize,
    Buffer.of(ours.length),
    ours,
    cipher.update(plaintext, "utf8"),
    cipher.update(lastRecord),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
};
