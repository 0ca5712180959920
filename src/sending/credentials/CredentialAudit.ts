/** Checks the stored credentials of all environments without using them. */
import { Effect, type Redacted, Redacted as Secret } from "effect";
import { sealingKey, unseal } from "../../access/SealedText.ts";
import {
  type ApnsCredentials,
  type FcmCredentials,
  type KeptWebPushCredentials,
  type PushProvider,
  sealingContext,
} from "./PushCredential.ts";
import { privateKeyOf } from "./PushCredentialRules.ts";
import { PushCredentialsSql, type StoredCredentials } from "./PushCredentialsSql.ts";
import { appleAddress, googleAddress, googleTokenAddress } from "./ProviderAddresses.ts";

/** The state of one environment's credentials, without secrets. */
export interface AuditedCredentials {
  readonly workspace: string;
  readonly environment: string;
  readonly transport: PushProvider;
  /** `sealed`: they do not open with the secret key. `keyless`: their private key is not a valid one. */
  readonly is: "good" | "sealed" | "keyless";
  /** The provider's addresses; none for Web Push, where every device has its own. */
  readonly addresses: ReadonlyArray<string>;
}

const pageSize = 100;

const addressesOf = (transport: PushProvider, credentials: unknown): ReadonlyArray<string> => {
  if (transport === "webpush") return [];
  if (transport === "apns") return [(credentials as ApnsCredentials).base_url ?? appleAddress];
  const { base_url, service_account } = credentials as FcmCredentials;
  return [base_url ?? googleAddress, service_account.token_uri ?? googleTokenAddress];
};

const audited = (key: Uint8Array, stored: StoredCredentials): AuditedCredentials => {
  const { environment, sealed, transport, workspace } = stored;
  const text = unseal(key, sealingContext(stored, transport), sealed);
  if (text === null) return { workspace, environment, transport, is: "sealed", addresses: [] };
  const credentials = JSON.parse(text) as FcmCredentials | ApnsCredentials | KeptWebPushCredentials;
  const pem =
    "service_account" in credentials ? credentials.service_account.private_key : credentials.private_key;
  const is = privateKeyOf(pem) === null ? "keyless" : "good";
  return { workspace, environment, transport, is, addresses: addressesOf(transport, credentials) };
};

/** Opens the credentials of every environment with this secret key. */
export const auditCredentials = (secretKey: Redacted.Redacted) =>
  Effect.gen(function* () {
    const repository = yield* PushCredentialsSql;
    const key = sealingKey(Secret.value(secretKey));
    const found: Array<AuditedCredentials> = [];
    let last: StoredCredentials | null = null;
    while (true) {
      const rows: ReadonlyArray<StoredCredentials> = yield* repository.page(last, pageSize);
      found.push(...rows.map((row) => audited(key, row)));
      last = rows.at(-1) ?? null;
      if (rows.length < pageSize) return found;
    }
  }).pipe(Effect.provide(PushCredentialsSql.layer));
