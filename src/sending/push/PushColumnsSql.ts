import type { SqlClient } from "effect/sql";
import { arrayOf } from "../../database/Rows.ts";
import type { TenantKey } from "./PushCredentialsSql.ts";

/** What statements on pushes share: whose they are, and the columns of several of them as arrays for `unnest`. */
export const pushColumns = (sql: SqlClient.SqlClient) => ({
  /** Whether the row of that alias is of the environment. */
  tenantIs: (alias: string, { environment, workspaceId }: TenantKey) =>
    sql`${sql(`${alias}.workspace_id`)} = ${workspaceId} AND ${sql(`${alias}.environment`)} = ${environment}`,

  /** The deliveries' origins. */
  sourceIds: (pushes: ReadonlyArray<{ readonly sourceId: bigint }>) =>
    arrayOf(
      "int8",
      pushes.map(({ sourceId }) => sourceId),
    ),

  /** The devices' numbers. */
  deviceKeys: (pushes: ReadonlyArray<{ readonly deviceKey: number }>) =>
    arrayOf(
      "int4",
      pushes.map(({ deviceKey }) => deviceKey),
    ),

  /** By which taking each is held. */
  fences: (pushes: ReadonlyArray<{ readonly fence: number }>) =>
    arrayOf(
      "int4",
      pushes.map(({ fence }) => fence),
    ),
});
