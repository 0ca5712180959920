import type { SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../../database/Rows.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";

/**
 * Common table expressions that end in `person`, the `key` and `user_id` of people; new ones get a key. They
 * lock people until the transaction ends, in the order of their ids. A statement that sets `device.user_id`
 * sets `device.user_key` to the key, so that a send reads the person with the device. No text without people.
 */
export const peopleSql = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  userIds: ReadonlyArray<string>,
): Statement.Fragment => {
  const ids = [...new Set(userIds)].toSorted();
  if (ids.length === 0) return sql``;
  return sql`known_user AS MATERIALIZED (
      SELECT u.key, u.user_id FROM device_user u
      WHERE ${tenantIs("u", tenant)} AND u.user_id = ANY (${arrayOf("text", ids)})
      ORDER BY u.user_id FOR KEY SHARE
    ), new_user AS (
      INSERT INTO device_user (workspace_id, environment, user_id)
      SELECT ${tenant.workspaceId}, ${tenant.environment}, g.user_id
      FROM unnest(${arrayOf("text", ids)}) AS g (user_id)
      WHERE g.user_id NOT IN (SELECT user_id FROM known_user)
      ON CONFLICT (user_id, workspace_id, environment) DO UPDATE SET user_id = EXCLUDED.user_id
      RETURNING key, user_id
    ), person AS (
      SELECT key, user_id FROM known_user UNION ALL SELECT key, user_id FROM new_user
    ), `;
};

/** The columns that a change of a locked device's person sets, with a comma behind; undefined keeps it. */
export const changedUserSql = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  from: string | null,
  to: string | null | undefined,
) => {
  if (to === undefined || to === from) return { found: sql``, set: sql`` };
  if (to === null) return { found: sql``, set: sql`user_id = NULL, user_key = NULL,` };
  return {
    found: peopleSql(sql, tenant, [to]),
    set: sql`user_id = ${to}, user_key = (SELECT key FROM person),`,
  };
};
