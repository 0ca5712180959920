import { Effect, Redacted } from "effect";
import { seal, sealingKey, unseal } from "../access/SealedText.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import type { OutgoingRequest } from "../outgoing/OutgoingRequests.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import {
  maxReplaced,
  replacedMillis,
  sealingPurpose,
  secretContext,
  secretKeyOf,
  signatureOf,
} from "./WebhookSecret.ts";
import type { SealedSecrets } from "./WebhooksSql.ts";

/** Seals the secrets of webhooks, and signs calls with them (contract N1, N3). */
export const callSigning = Effect.map(DataDirectory, ({ secretKey }) => {
  const sealing = sealingKey(Redacted.value(secretKey), sealingPurpose);

  const open = (tenant: TenantKey, id: string, sealed: Uint8Array): string => {
    const text = unseal(sealing, secretContext(tenant, id), sealed);
    // All processes have the same secret key, which its fingerprint proves, so the row was changed by hand.
    if (text === null) throw new Error("The stored secret of a webhook does not open with this secret key");
    return text;
  };

  const sealed = (tenant: TenantKey, id: string, text: string): Uint8Array =>
    seal(sealing, secretContext(tenant, id), text);

  /**
   * The replaced secrets that sign at `now`, the newest first. It stands in a line alone and signs until
   * `previousUntil`; each earlier one has the end of its time (epoch milliseconds) behind it.
   */
  const replaced = (
    tenant: TenantKey,
    id: string,
    { previousSecret, previousUntil }: SealedSecrets,
    now: number,
  ): ReadonlyArray<{ readonly secret: string; readonly until: number }> =>
    previousSecret === null || previousUntil === null || now >= previousUntil
      ? []
      : open(tenant, id, previousSecret)
          .split("\n")
          .map((line) => {
            const [secret = "", until = previousUntil] = line.split(" ");
            return { secret, until: Number(until) };
          })
          .filter(({ until }) => now < until);

  return {
    /** A secret as it is stored. */
    sealed,

    /** The secrets after the current one is replaced by another one at `now`. */
    afterReplacing: (
      tenant: TenantKey,
      id: string,
      before: SealedSecrets,
      secret: string,
      now: number,
    ): SealedSecrets => {
      const earlier = replaced(tenant, id, before, now).map((each) => `${each.secret} ${each.until}`);
      const lines = [open(tenant, id, before.secret), ...earlier].slice(0, maxReplaced);
      return {
        secret: sealed(tenant, id, secret),
        previousSecret: sealed(tenant, id, lines.join("\n")),
        previousUntil: now + replacedMillis,
      };
    },

    /** The keys that sign at `now`: that of the current secret, and of those that were replaced in a day. */
    keysOf: (
      tenant: TenantKey,
      id: string,
      secrets: SealedSecrets,
      now: number,
    ): ReadonlyArray<Uint8Array> => [
      secretKeyOf(open(tenant, id, secrets.secret)),
      ...replaced(tenant, id, secrets, now).map(({ secret }) => secretKeyOf(secret)),
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
