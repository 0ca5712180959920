import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** The key that seals texts of one purpose. It is derived, so that it is used for nothing else. */
export const sealingKey = (secretKey: string, purpose = "waypost push credentials"): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secretKey, "", purpose, 32));

/** Encrypts a text or bytes (AES-256-GCM). They open only with the same key and context. */
export const seal = (key: Uint8Array, context: string, content: string | Uint8Array): Uint8Array => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(Buffer.from(content)), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), sealed]);
};

/** Decrypts sealed bytes; null if the key or context differs, or a byte was changed. */
export const unsealBytes = (key: Uint8Array, context: string, sealed: Uint8Array): Buffer | null => {
  const bytes = Buffer.from(sealed);
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== version) return null;
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  try {
    const content = decipher.update(bytes.subarray(1 + nonceBytes + tagBytes));
    return Buffer.concat([content, decipher.final()]);
  } catch {
    return null;
  }
};

/** Decrypts a sealed text; null if the key or context differs, or a byte was changed. */
export const unseal = (key: Uint8Array, context: string, sealed: Uint8Array): string | null =>
  unsealBytes(key, context, sealed)?.toString("utf8") ?? null;
