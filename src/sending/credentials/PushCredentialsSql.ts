import { Effect } from "effect";
import { instant, unnested, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { PushProvider } from "./PushCredential.ts";

/** The public part of stored credentials. */
export interface CredentialRow {
  readonly transport: PushProvider;
  readonly public_key: string | null;
  readonly updated_at: string;
}

/** Sealed credentials with their key. */
export interface StoredCredentials extends TenantKey {
  /** The workspace's name. */
  readonly workspace: string;
  readonly transport: PushProvider;
  readonly sealed: Uint8Array;
}

/** Statements on credentials of push providers. Bound: 3 transports of each environment that is asked for. */
export class PushCredentialsSql extends SqlService<PushCredentialsSql>(
  "waypost/sending/push/PushCredentialsSql",
)((sql) => {
  const shown = sql`p.transport, p.public_key, ${utc("p.updated_at")} AS updated_at`;

  return {
    /** The configured providers of an environment. */
    list: (tenant: Tenant) =>
      Effect.orDie(sql<CredentialRow>`SELECT ${shown} FROM push_credential p WHERE ${tenantIs("p", tenant)}`),

    /** The sealed credentials and the number of their last change. */
    find: (tenant: TenantKey, transport: PushProvider) =>
      Effect.orDie(sql<{ readonly sealed: Uint8Array; readonly revision: bigint }>`
        SELECT p.sealed, p.revision FROM push_credential p
        WHERE ${tenantIs("p", tenant)} AND p.transport = ${transport}`),

    /** Sets or replaces credentials. */
    put: (
      tenant: Tenant,
      transport: PushProvider,
      sealed: Uint8Array,
      publicKey: string | null,
      now: number,
    ) =>
      Effect.orDie(sql<CredentialRow>`
        INSERT INTO push_credential AS p (workspace_id, environment, transport, sealed, public_key,
          updated_at)
        VALUES (${tenant.workspaceId}, ${tenant.environment}, ${transport}, ${sealed}, ${publicKey},
          ${instant(now)})
        ON CONFLICT (workspace_id, environment, transport) DO UPDATE SET sealed = EXCLUDED.sealed,
          public_key = EXCLUDED.public_key, revision = EXCLUDED.revision, updated_at = EXCLUDED.updated_at
        RETURNING ${shown}`),

    delete: (tenant: Tenant, transport: PushProvider) =>
      Effect.orDie(sql<{ readonly transport: PushProvider }>`
        DELETE FROM push_credential p
        WHERE ${tenantIs("p", tenant)} AND p.transport = ${transport} RETURNING p.transport`),

    /** Sealed credentials of all environments in the order of their keys, those after `after`. */
    page: (after: StoredCredentials | null, limit: number) =>
      Effect.orDie(sql<StoredCredentials>`
        SELECT p.workspace_id AS "workspaceId", w.name AS workspace, p.environment, p.transport, p.sealed
        FROM push_credential p JOIN workspace w ON w.id = p.workspace_id
        WHERE ${
          after === null
            ? sql`true`
            : sql`(p.workspace_id, p.environment, p.transport)
                > (${after.workspaceId}, ${after.environment}, ${after.transport})`
        }
        ORDER BY p.workspace_id, p.environment, p.transport LIMIT ${limit}`),

    /** The configured providers of these environments. */
    configured: (tenants: ReadonlyArray<TenantKey>) =>
      Effect.orDie(sql<TenantKey & { readonly transport: PushProvider }>`
        SELECT p.workspace_id AS "workspaceId", p.environment, p.transport
        FROM push_credential p
        WHERE (p.workspace_id, p.environment) IN (
          SELECT t.workspace_id, t.environment FROM ${unnested("t", tenants, tenantColumns)})`),
  };
}) {}
