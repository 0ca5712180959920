import { Clock, Context, Effect, Layer, Redacted } from "effect";
import { seal, sealingKey, unseal } from "../../access/SealedText.ts";
import { Activity, type ResourceChange } from "../../activity/Activity.ts";
import { Settings } from "../../config/Settings.ts";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { Database } from "../../database/Database.ts";
import { NotFound, type Unprocessable } from "../../wire/ApiError.ts";
import type { DeletedResource } from "../../wire/Envelope.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { Workspaces } from "../../workspaces/Workspaces.ts";
import {
  type ApnsCredentials,
  type FcmCredentials,
  isProvider,
  type KeptCredentials,
  PushProvider,
  sealingContext,
  type ShownTransport,
  unknownTransport,
  type WebPushCredentials,
} from "./PushCredential.ts";
import { validateApns, validateFcm, validateWebPush, makeVapidKeys } from "./PushCredentialRules.ts";
import { type CredentialRow, PushCredentialsSql } from "./PushCredentialsSql.ts";

/** Credentials, and the number of their last change. */
export interface OpenedCredentials<P extends PushProvider> {
  readonly revision: bigint;
  readonly credentials: KeptCredentials[P];
}

const notSet = (transport: string) =>
  NotFound.of(`No credentials are set for ${transport} in this workspace and environment.`);

/** Credentials of push providers, encrypted at rest. They are never shown; only transports read them. */
export class PushCredentials extends Context.Service<
  PushCredentials,
  {
    /** All push providers, configured or not. */
    readonly list: (tenant: Tenant) => Effect.Effect<ReadonlyArray<ShownTransport>>;
    /** Sets or replaces the service account. @throws 422 */
    readonly putFcm: (
      tenant: Tenant,
      body: ParsedBody<FcmCredentials>,
    ) => Effect.Effect<ShownTransport, Unprocessable>;
    /** Sets or replaces Apple's signing key. @throws 422 */
    readonly putApns: (
      tenant: Tenant,
      body: ParsedBody<ApnsCredentials>,
    ) => Effect.Effect<ShownTransport, Unprocessable>;
    /** Sets the subject. The keys, once generated, never change: browsers subscribe with them. @throws 422 */
    readonly putWebPush: (
      tenant: Tenant,
      body: ParsedBody<WebPushCredentials>,
    ) => Effect.Effect<ShownTransport, Unprocessable>;
    /** Deletes credentials permanently, including the keys of Web Push. @throws 404 */
    readonly delete: (tenant: Tenant, transport: string) => Effect.Effect<DeletedResource, NotFound>;
    /** The configured providers of each environment, in the given order. */
    readonly configured: (
      tenants: ReadonlyArray<TenantKey>,
    ) => Effect.Effect<ReadonlyArray<ReadonlySet<PushProvider>>>;
    /** The credentials; null if none are set. */
    readonly open: <P extends PushProvider>(
      tenant: TenantKey,
      transport: P,
    ) => Effect.Effect<OpenedCredentials<P> | null>;
  }
>()("waypost/sending/push/PushCredentials") {
  static readonly layer = Layer.effect(
    PushCredentials,
    Effect.gen(function* () {
      const { allowPrivateAddresses } = yield* Settings;
      const { secretKey } = yield* DataDirectory;
      const database = yield* Database;
      const repository = yield* PushCredentialsSql;
      const workspaces = yield* Workspaces;
      const activity = yield* Activity;
      const key = sealingKey(Redacted.value(secretKey));

      /** The stored credentials, null if they do not open with the secret key; null if there are none. */
      const stored = Effect.fnUntraced(function* <P extends PushProvider>(tenant: TenantKey, transport: P) {
        const [row] = yield* repository.find(tenant, transport);
        if (row === undefined) return null;
        const text = unseal(key, sealingContext(tenant, transport), row.sealed);
        const credentials = text === null ? null : (JSON.parse(text) as KeptCredentials[P]);
        return { revision: row.revision, credentials };
      });
      /** Activity names the fields of credentials, never a value. */
      const record = (
        tenant: Tenant,
        change: Pick<ResourceChange, "action" | "before" | "after">,
        id: string,
      ) =>
        activity.record(tenant, { ...change, resource: { type: "transport", id, name: id }, isSecret: true });

      /** Needs the tenant's lock. */
      const put = Effect.fnUntraced(function* <P extends PushProvider>(
        tenant: Tenant,
        transport: P,
        credentials: KeptCredentials[P],
        publicKey: string | null = null,
      ) {
        const before = (yield* stored(tenant, transport))?.credentials ?? null;
        const sealed = seal(key, sealingContext(tenant, transport), JSON.stringify(credentials));
        const now = yield* Clock.currentTimeMillis;
        const rows = yield* repository.put(tenant, transport, sealed, publicKey, now);
        const action = before === null ? "create" : "update";
        yield* record(
          tenant,
          { action, before: before && { ...before }, after: { ...credentials } },
          transport,
        );
        return shownOf(transport, rows, credentials);
      });

      const putLocked = <P extends PushProvider>(
        tenant: Tenant,
        transport: P,
        credentials: KeptCredentials[P],
      ) => database.atomically(Effect.andThen(workspaces.lock(tenant), put(tenant, transport, credentials)));

      const open = Effect.fnUntraced(function* <P extends PushProvider>(tenant: TenantKey, transport: P) {
        const found = yield* stored(tenant, transport);
        if (found === null) return null;
        const { credentials, revision } = found;
        if (credentials !== null) return { revision, credentials } satisfies OpenedCredentials<P>;
        // All processes have the same secret key, as its fingerprint proves: the row was changed by hand.
        return yield* Effect.die(
          new Error(`The stored credentials for ${transport} do not open with this secret key`),
        );
      });

      return PushCredentials.of({
        list: Effect.fn("PushCredentials.list")(function* (tenant) {
          const rows = yield* repository.list(tenant);
          const webPush = rows.some((row) => row.transport === "webpush")
            ? yield* stored(tenant, "webpush")
            : null;
          return PushProvider.literals.map((transport) =>
            shownOf(transport, rows, transport === "webpush" ? (webPush?.credentials ?? null) : null),
          );
        }),

        putFcm: Effect.fn("PushCredentials.putFcm")(function* (tenant, body) {
          validateFcm(body, allowPrivateAddresses);
          return yield* putLocked(tenant, "fcm", yield* body.complete);
        }),

        putApns: Effect.fn("PushCredentials.putApns")(function* (tenant, body) {
          validateApns(body, allowPrivateAddresses);
          return yield* putLocked(tenant, "apns", yield* body.complete);
        }),

        putWebPush: Effect.fn("PushCredentials.putWebPush")(function* (tenant, body) {
          validateWebPush(body);
          const { default_url = null, subject } = yield* body.complete;
          return yield* database.atomically(
            Effect.gen(function* () {
              yield* workspaces.lock(tenant);
              const { private_key, public_key } =
                (yield* open(tenant, "webpush"))?.credentials ?? makeVapidKeys();
              return yield* put(
                tenant,
                "webpush",
                { subject, default_url, private_key, public_key },
                public_key,
              );
            }),
          );
        }),

        delete: Effect.fn("PushCredentials.delete")(function* (tenant, transport) {
          if (!isProvider(transport)) return yield* NotFound.of(unknownTransport);
          yield* workspaces.lock(tenant);
          const before = (yield* stored(tenant, transport))?.credentials ?? { credentials: true };
          const [deleted] = yield* repository.delete(tenant, transport);
          if (deleted === undefined) return yield* notSet(transport);
          yield* record(tenant, { action: "delete", before: { ...before }, after: null }, transport);
          return { id: transport, deleted: true as const };
        }, database.atomically),

        configured: Effect.fnUntraced(function* (tenants) {
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

        open,
      });
    }),
  ).pipe(Layer.provide(PushCredentialsSql.layer));
}

const shownOf = (
  transport: PushProvider,
  rows: ReadonlyArray<CredentialRow>,
  credentials: object | null,
): ShownTransport => {
  const { default_url = null } = (credentials ?? {}) as Partial<KeptCredentials["webpush"]>;
  const row = rows.find((each) => each.transport === transport);
  return {
    transport,
    configured: row !== undefined,
    public_key: row?.public_key ?? null,
    default_url,
    updated_at: row?.updated_at ?? null,
  };
};
