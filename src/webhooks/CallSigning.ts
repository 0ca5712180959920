import { Effect, Redacted } from "effect";
import { seal, sealingKey, unseal } from "../access/SealedText.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import type { OutgoingRequest } from "../outgoing/OutgoingRequests.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { sealingPurpose, secretContext, secretKeyOf, signatureOf } from "./WebhookSecret.ts";
import type { SealedSecrets } from "./WebhooksSql.ts";

/** Seals the secrets of webhooks, and signs calls with them (contract N1, N3). */
export const callSigning = Effect.map(DataDirectory, ({ secretKey }) => {
  const sealing = sealingKey(Redacted.value(secretKey), sealingPurpose);

  const open = (tenant: TenantKey, id: string, sealed: Uint8Array): Buffer => {
    const secret = unseal(sealing, secretContext(tenant, id), sealed);
    // All processes have the same secret key, which its fingerprint proves, so the row was changed by hand.
    if (secret === null) throw new Error("The stored secret of a webhook does not open with this secret key");
    return secretKeyOf(secret);
  };

  return {
    /** A secret as it is stored. */
    sealed: (tenant: TenantKey, id: string, secret: string): Uint8Array =>
      seal(sealing, secretContext(tenant, id), secret),

    /**
     * The keys that sign at `now` (epoch milliseconds): the current one, and the previous one for a day.
     */
    keysOf: (
      tenant: TenantKey,
      id: string,
      { previousSecret, previousUntil, secret }: SealedSecrets,
      now: number,
    ): ReadonlyArray<Uint8Array> => [
      open(tenant, id, secret),
      ...(previousSecret !== null && previousUntil !== null && now < previousUntil
        ? [open(tenant, id, previousSecret)]
        : []),
    ],
  };
});

/** A signed request; `now` in epoch milliseconds. */
export const signedRequest = (
  url: URL,
  keys: ReadonlyArray<Uint8Array>,
  { body, id }: { readonly id: string; readonly body: string },
  now: number,
): OutgoingRequest => {
  const timestamp = String(Math.floor(now / 1000));
  return {
    url,
    headers: [
      "content-type",
      "application/json",
      "user-agent",
      "Waypost-Webhooks/1",
      "webhook-id",
      id,
      "webhook-timestamp",
      timestamp,
      "webhook-signature",
      signatureOf(keys, id, timestamp, body),
    ],
    body,
  };
};
