/** Looks through the stored credentials of all environments without using them. */
import { Effect, type Redacted, Redacted as Secret } from "effect";
import { createPrivateKey } from "node:crypto";
import type {
  ApnsCredentials,
  FcmCredentials,
  KeptWebPushCredentials,
  PushProvider,
} from "./PushCredential.ts";
import { PushCredentialsSql, type StoredCredentials } from "./PushCredentialsSql.ts";
import { sealedPlace, sealingKey, unseal } from "./SealedText.ts";
import { appleAddress, googleAddress, googleTokenAddress } from "./transports/ProviderAddresses.ts";

/** What was learned of one environment's credentials: nothing secret. */
export interface AuditedCredentials {
  readonly workspace: string;
  readonly environment: string;
  readonly transport: PushProvider;
  /** Whether they open with the secret key, and whether the private key in them is one. */
  readonly is: "good" | "sealed" | "keyless";
  /** Where the service is; web push has as many addresses as devices. */
  readonly addresses: ReadonlyArray<string>;
}

const page = 100;

const isKey = (pem: string): boolean => {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
};

const addressesOf = (transport: PushProvider, credentials: unknown): ReadonlyArray<string> => {
  if (transport === "webpush") return [];
  if (transport === "apns") return [(credentials as ApnsCredentials).base_url ?? appleAddress];
  const { base_url, service_account } = credentials as FcmCredentials;
  return [base_url ?? googleAddress, service_account.token_uri ?? googleTokenAddress];
};

const audited = (key: Uint8Array, stored: StoredCredentials): AuditedCredentials => {
  const { environment, sealed, transport, workspace } = stored;
  const text = unseal(key, sealedPlace(stored, transport), sealed);
  if (text === null) return { workspace, environment, transport, is: "sealed", addresses: [] };
  const credentials = JSON.parse(text) as FcmCredentials | ApnsCredentials | KeptWebPushCredentials;
  const pem =
    "service_account" in credentials ? credentials.service_account.private_key : credentials.private_key;
  const is = isKey(pem) ? "good" : "keyless";
  return { workspace, environment, transport, is, addresses: addressesOf(transport, credentials) };
};

/** Opens the credentials of every environment with this secret key, page by page. */
export const auditCredentials = (secretKey: Redacted.Redacted) =>
  Effect.gen(function* () {
    const repository = yield* PushCredentialsSql;
    const key = sealingKey(Secret.value(secretKey));
    const found: Array<AuditedCredentials> = [];
    let last: StoredCredentials | null = null;
    while (true) {
      const rows: ReadonlyArray<StoredCredentials> = yield* repository.page(last, page);
      found.push(...rows.map((row) => audited(key, row)));
      last = rows.at(-1) ?? null;
      if (rows.length < page) return found;
    }
  }).pipe(Effect.provide(PushCredentialsSql.layer));
