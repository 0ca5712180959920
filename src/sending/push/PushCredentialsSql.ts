import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, utc } from "../../database/Rows.ts";
import type { Environment } from "../../workspaces/Environment.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { PushProvider } from "./PushCredential.ts";

/** An environment, as keys have it. */
export interface TenantKey {
  readonly workspaceId: number;
  readonly environment: Environment;
}

/** Credentials as they are stored. */
export interface CredentialRow {
  readonly transport: PushProvider;
  readonly public_key: string | null;
  readonly updated_at: string;
}

/** Sealed credentials with their place. */
export interface StoredCredentials extends TenantKey {
  /** The workspace's name. */
  readonly workspace: string;
  readonly transport: PushProvider;
  readonly sealed: Uint8Array;
}

/** Every statement on credentials of push services. */
export class PushCredentialsSql extends Context.Service<PushCredentialsSql>()(
  "waypost/sending/PushCredentialsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      const of = ({ environment, workspaceId }: TenantKey) =>
        sql`p.workspace_id = ${workspaceId} AND p.environment = ${environment}`;
      const shown = sql`p.transport, p.public_key, ${utc("p.updated_at")} AS updated_at`;

      return {
        /** What is set in an environment. */
        list: (tenant: Tenant) =>
          Effect.orDie(sql<CredentialRow>`SELECT ${shown} FROM push_credential p WHERE ${of(tenant)}`),

        /** The sealed credentials and the number of their last change. */
        find: (tenant: TenantKey, transport: PushProvider) =>
          Effect.orDie(sql<{ readonly sealed: Uint8Array; readonly revision: bigint }>`
            SELECT p.sealed, p.revision FROM push_credential p WHERE ${of(tenant)} AND p.transport = ${transport}`),

        /** Sets credentials, in the place of what there was. */
        put: (
          tenant: Tenant,
          transport: PushProvider,
          sealed: Uint8Array,
          publicKey: string | null,
          now: number,
        ) =>
          Effect.orDie(sql<CredentialRow>`
            INSERT INTO push_credential AS p (workspace_id, environment, transport, sealed, public_key, updated_at)
            VALUES (${tenant.workspaceId}, ${tenant.environment}, ${transport}, ${sealed}, ${publicKey}, ${instant(now)})
            ON CONFLICT (workspace_id, environment, transport) DO UPDATE SET sealed = EXCLUDED.sealed,
              public_key = EXCLUDED.public_key, revision = EXCLUDED.revision, updated_at = EXCLUDED.updated_at
            RETURNING ${shown}`),

        delete: (tenant: Tenant, transport: PushProvider) =>
          Effect.orDie(sql<{ readonly transport: PushProvider }>`
            DELETE FROM push_credential p WHERE ${of(tenant)} AND p.transport = ${transport} RETURNING p.transport`),

        /** Credentials of all environments as they are stored, by key, at most `most` after a place. */
        page: (after: StoredCredentials | null, most: number) =>
          Effect.orDie(sql<StoredCredentials>`
            SELECT p.workspace_id AS "workspaceId", w.name AS workspace, p.environment, p.transport, p.sealed
            FROM push_credential p JOIN workspace w ON w.id = p.workspace_id
            WHERE ${
              after === null
                ? sql`true`
                : sql`(p.workspace_id, p.environment, p.transport) > (${after.workspaceId}, ${after.environment}, ${after.transport})`
            }
            ORDER BY p.workspace_id, p.environment, p.transport LIMIT ${most}`),

        /** Which services have credentials in these environments. */
        configured: (tenants: ReadonlyArray<TenantKey>) =>
          Effect.orDie(sql<TenantKey & { readonly transport: PushProvider }>`
            SELECT p.workspace_id AS "workspaceId", p.environment, p.transport
            FROM push_credential p
            WHERE (p.workspace_id, p.environment) IN (SELECT * FROM unnest(${arrayOf(
              "int4",
              tenants.map(({ workspaceId }) => workspaceId),
            )}, ${arrayOf(
              "text",
              tenants.map(({ environment }) => environment),
            )}))`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(PushCredentialsSql, PushCredentialsSql.make);
}
