import { Clock, Context, Effect, Layer, Redacted } from "effect";
import { Settings } from "../../config/Settings.ts";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { Database } from "../../database/Database.ts";
import { NotFound } from "../../wire/ApiError.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { Workspaces } from "../../workspaces/Workspaces.ts";
import {
  type ApnsCredentials,
  type FcmCredentials,
  type KeptCredentials,
  PushProvider,
  type ShownTransport,
  unknownTransport,
  type WebPushCredentials,
} from "./PushCredential.ts";
import { validateApns, validateFcm, validateWebPush, makeVapidKeys } from "./PushCredentialRules.ts";
import { type CredentialRow, PushCredentialsSql, type TenantKey } from "./PushCredentialsSql.ts";
import { seal, sealedPlace, sealingKey, unseal } from "./SealedText.ts";

/** Credentials that can be used, until `revision` is another. */
export interface OpenedCredentials<S extends PushProvider> {
  readonly revision: bigint;
  readonly credentials: KeptCredentials[S];
}

const notSet = (transport: string) =>
  NotFound.of(`No credentials are set for ${transport} in this workspace and environment.`);

const isPushService = (text: string): text is PushProvider =>
  (PushProvider.literals as ReadonlyArray<string>).includes(text);

/**
 * With what an environment speaks to the push services. What is set is sealed at rest, and is never shown again: it is
 * opened for the transports alone.
 */
export class PushCredentials extends Context.Service<PushCredentials>()("waypost/sending/PushCredentials", {
  make: Effect.gen(function* () {
    const { allowPrivateAddresses } = yield* Settings;
    const { secretKey } = yield* DataDirectory;
    const database = yield* Database;
    const repository = yield* PushCredentialsSql;
    const workspaces = yield* Workspaces;
    const key = sealingKey(Redacted.value(secretKey));

    const put = Effect.fnUntraced(function* <S extends PushProvider>(
      tenant: Tenant,
      transport: S,
      credentials: KeptCredentials[S],
      publicKey: string | null = null,
    ) {
      const sealed = seal(key, sealedPlace(tenant, transport), JSON.stringify(credentials));
      const now = yield* Clock.currentTimeMillis;
      const rows = yield* repository.put(tenant, transport, sealed, publicKey, now);
      return shownOf(transport, rows);
    });

    const open = Effect.fnUntraced(function* <S extends PushProvider>(tenant: TenantKey, transport: S) {
      const [row] = yield* repository.find(tenant, transport);
      if (row === undefined) return null;
      const text = unseal(key, sealedPlace(tenant, transport), row.sealed);
      if (text === null) {
        // The fingerprint holds every process to one secret, so only a row that was changed by hand comes here.
        return yield* Effect.die(
          new Error(`The stored credentials for ${transport} do not open with this secret key`),
        );
      }
      const credentials = JSON.parse(text) as KeptCredentials[S];
      return { revision: row.revision, credentials } satisfies OpenedCredentials<S>;
    });

    return {
      /** All push services, set or not. */
      list: Effect.fn("PushCredentials.list")(function* (tenant: Tenant) {
        const rows = yield* repository.list(tenant);
        return PushProvider.literals.map((transport) => shownOf(transport, rows));
      }),

      /** Sets a service account, in the place of what there was. @throws 422 */
      putFcm: Effect.fn("PushCredentials.putFcm")(function* (
        tenant: Tenant,
        body: ParsedBody<FcmCredentials>,
      ) {
        validateFcm(body, allowPrivateAddresses);
        return yield* put(tenant, "fcm", yield* body.complete);
      }),

      /** Sets Apple's signing key, in the place of what there was. @throws 422 */
      putApns: Effect.fn("PushCredentials.putApns")(function* (
        tenant: Tenant,
        body: ParsedBody<ApnsCredentials>,
      ) {
        validateApns(body, allowPrivateAddresses);
        return yield* put(tenant, "apns", yield* body.complete);
      }),

      /** Sets the subject. The keys are made the first time and stay: browsers have subscribed with them. @throws 422 */
      putWebPush: Effect.fn("PushCredentials.putWebPush")(function* (
        tenant: Tenant,
        body: ParsedBody<WebPushCredentials>,
      ) {
        validateWebPush(body);
        const { subject } = yield* body.complete;
        return yield* database.atomically(
          Effect.gen(function* () {
            yield* workspaces.lock(tenant);
            const { private_key, public_key } =
              (yield* open(tenant, "webpush"))?.credentials ?? makeVapidKeys();
            return yield* put(tenant, "webpush", { subject, private_key, public_key }, public_key);
          }),
        );
      }),

      /** Forgets credentials for good, the keys of web push too. @throws 404 */
      delete: Effect.fn("PushCredentials.delete")(function* (tenant: Tenant, transport: string) {
        if (!isPushService(transport)) {
          return yield* NotFound.of(unknownTransport);
        }
        const [deleted] = yield* repository.delete(tenant, transport);
        if (deleted === undefined) return yield* notSet(transport);
        return { id: transport, deleted: true as const };
      }),

      /** Which services have credentials, of each of these environments in its place. */
      configured: Effect.fnUntraced(function* (tenants: ReadonlyArray<TenantKey>) {
        const found = yield* repository.configured(tenants);
        return tenants.map(
          ({ environment, workspaceId }): ReadonlySet<PushProvider> =>
            new Set(
              found
                .filter((row) => row.workspaceId === workspaceId && row.environment === environment)
                .map((row) => row.transport),
            ),
        );
      }),

      /** The credentials themselves, for the transports; null when none are set. */
      open,
    };
  }),
}) {
  static readonly layer = Layer.effect(PushCredentials, PushCredentials.make).pipe(
    Layer.provide(PushCredentialsSql.layer),
  );
}

const shownOf = (transport: PushProvider, rows: ReadonlyArray<CredentialRow>): ShownTransport => {
  const row = rows.find((each) => each.transport === transport);
  return {
    transport,
    configured: row !== undefined,
    public_key: row?.public_key ?? null,
    updated_at: row?.updated_at ?? null,
  };
};
