import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../database/Rows.ts";
import { firstRow, run } from "../../database/Statements.ts";
import { inTenant } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The statements on user secrets. */
export class UserSecretsSql extends Context.Service<UserSecretsSql>()(
  "waypost/devices/users/UserSecretsSql",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** The secret of an environment; null for none. */
      find: (tenant: TenantKey) =>
        firstRow(sql<{ readonly sealed: Uint8Array }>`
        SELECT sealed FROM user_secret WHERE ${inTenant(tenant)}`),

      /** Stores a secret, which replaces an earlier one. */
      put: (tenant: TenantKey, sealed: Uint8Array, now: number) =>
        run(sql`
        INSERT INTO user_secret (workspace_id, environment, sealed, created_at)
        VALUES (${tenant.workspaceId}, ${tenant.environment}, ${sealed}, ${instant(now)})
        ON CONFLICT (workspace_id, environment)
          DO UPDATE SET sealed = EXCLUDED.sealed, created_at = EXCLUDED.created_at`),
    })),
  },
) {
  static readonly layer = Layer.effect(UserSecretsSql, UserSecretsSql.make);
}
