import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { PushProvider } from "./PushCredential.ts";
import type { TenantKey } from "./PushCredentialsSql.ts";

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** The key that credentials are sealed with: derived, so that nothing else is ever encrypted or signed with it. */
export const sealingKey = (secretKey: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secretKey, "", "waypost push credentials", 32));

/** Where credentials lie: a row that is moved to another place does not open there. */
export const sealedPlace = (tenant: TenantKey, transport: PushProvider): string =>
  `${tenant.workspaceId}/${tenant.environment}/${transport}`;

/** Encrypts a text (AES-256-GCM) so that it opens only under the same key and the same `place`. */
export const seal = (key: Uint8Array, place: string, text: string): Uint8Array => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), sealed]);
};

/** Opens what `seal` made; null where the key or the place is another one, or a byte was changed. */
export const unseal = (key: Uint8Array, place: string, sealed: Uint8Array): string | null => {
  const bytes = Buffer.from(sealed);
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== version) return null;
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(tag);
  try {
    const text = decipher.update(bytes.subarray(1 + nonceBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
};
