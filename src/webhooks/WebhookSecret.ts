import { createHmac, randomBytes } from "node:crypto";
import type { TenantKey } from "../workspaces/Environment.ts";

const prefix = "whsec_";
const secretBytes = 32;

/** How long a secret that was replaced signs too, in milliseconds (contract N1). */
export const replacedMillis = 24 * 60 * 60 * 1000;
/** The most replaced secrets that sign: a header must not grow without end. */
export const maxReplaced = 10;

/** The purpose of the key that seals secrets at rest. */
export const sealingPurpose = "waypost webhook secrets";

/** Binds a sealed secret to its webhook. */
export const secretContext = ({ environment, workspaceId }: TenantKey, id: string): string =>
  `${workspaceId}/${environment}/${id}`;

/** A new secret, as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
export const makeWebhookSecret = (): string => prefix + randomBytes(secretBytes).toString("base64");

/** The bytes of a secret. */
export const secretKeyOf = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, "base64");

/**
 * The header `webhook-signature`: for each key `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64,
 * separated by spaces (contract N3).
 */
export const signatureOf = (
  keys: ReadonlyArray<Uint8Array>,
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): string =>
  keys
    .map((key) => {
      const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
      return `v1,${signature}`;
    })
    .join(" ");
