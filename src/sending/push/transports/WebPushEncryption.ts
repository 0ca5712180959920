import {
  createCipheriv,
  createECDH,
  createSecretKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** The keys of a browser's subscription. */
export interface SubscriptionKeys {
  /** The uncompressed P-256 point. */
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** The longest message in bytes: 4,096 without header, padding delimiter and tag (RFC 8291, section 4). */
export const plaintextLimit = 4096 - 86 - 1 - 16;

/** HKDF (RFC 5869). A key object costs a third of what bytes do. */
const derived = (key: KeyObject, salt: Uint8Array, info: Uint8Array, bytes: number): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", key, salt, info, bytes));

const keyInfo = Buffer.from("WebPush: info\0", "latin1");
const contentKeyInfo = Buffer.from("Content-Encoding: aes128gcm\0", "latin1");
const nonceInfo = Buffer.from("Content-Encoding: nonce\0", "latin1");
const recordSize = Buffer.of(0, 0, 0x10, 0);
/** Delimiter of the last record, without padding. */
const lastRecord = Buffer.of(2);

/** The secrets that RFC 8291 requires to be new for each message. */
export interface MessageKeys {
  readonly pair: ECDH;
  readonly salt: Uint8Array;
}

/** Reused, because creating one is expensive. Its keys are new for each message. */
const ecdh = createECDH("prime256v1");
const newKeys = (): MessageKeys => {
  ecdh.generateKeys();
  return { pair: ecdh, salt: randomBytes(16) };
};

/**
 * Encrypts a message for a browser: one record of `aes128gcm` (RFC 8188) under a key that only the browser
 * can derive (RFC 8291). Throws if `p256dh` is no point of the curve. A new key pair and the shared secret
 * are most of its cost, 200 to 250 µs: `EncryptionThreads` keeps it off the event loop.
 */
export const encryptForBrowser = (
  plaintext: string,
  { auth, p256dh }: SubscriptionKeys,
  { pair, salt } = newKeys(),
): Buffer => {
  const publicKey = pair.getPublicKey();
  const shared = createSecretKey(pair.computeSecret(p256dh));
  const material = createSecretKey(derived(shared, auth, Buffer.concat([keyInfo, p256dh, publicKey]), 32));
  const key = derived(material, salt, contentKeyInfo, 16);
  const nonce = derived(material, salt, nonceInfo, 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  return Buffer.concat([
    salt,
    recordSize,
    Buffer.of(publicKey.length),
    publicKey,
    cipher.update(plaintext, "utf8"),
    cipher.update(lastRecord),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
};
