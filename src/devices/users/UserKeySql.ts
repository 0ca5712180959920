import type { SqlClient, Statement } from "effect/sql";
import { tenantIs } from "../../database/TenantColumns.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";

/** What a statement needs to set the person of a device. */
interface UserKeySql {
  /** Common table expressions, each with a comma behind it. */
  readonly found: Statement.Fragment;
  /** The key of the person. */
  readonly key: Statement.Fragment;
}

/**
 * Finds the key of a person, which a new one gets, and locks it until the transaction ends. A statement that
 * sets `device.user_id` sets `device.user_key` to it, so that a send reads the person with the device.
 */
export const userKeySql = (sql: SqlClient.SqlClient, tenant: Tenant, userId: string | null): UserKeySql => {
  if (userId === null) return { found: sql``, key: sql`NULL::int` };
  return {
    found: sql`known_user AS MATERIALIZED (
        SELECT u.key FROM device_user u
        WHERE ${tenantIs("u", tenant)} AND u.user_id = ${userId} FOR KEY SHARE
      ), new_user AS (
        INSERT INTO device_user (workspace_id, environment, user_id)
        SELECT ${tenant.workspaceId}, ${tenant.environment}, ${userId}
        WHERE NOT EXISTS (SELECT FROM known_user)
        ON CONFLICT (user_id, workspace_id, environment) DO UPDATE SET user_id = EXCLUDED.user_id
        RETURNING key
      ), `,
    key: sql`(SELECT key FROM known_user UNION ALL SELECT key FROM new_user)`,
  };
};

/** The columns that a change of a locked device's person sets, with a comma behind them; undefined keeps it. */
export const changedUserSql = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  from: string | null,
  to: string | null | undefined,
) => {
  if (to === undefined || to === from) return { found: sql``, set: sql`` };
  const { found, key } = userKeySql(sql, tenant, to);
  return { found, set: sql`user_id = ${to}, user_key = ${key},` };
};
