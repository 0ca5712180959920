import type { SqlClient, Statement } from "effect/sql";
import type { Environment } from "../workspaces/Environment.ts";

/** An environment of a workspace, by its internal key. */
export interface TenantKey {
  readonly workspaceId: number;
  readonly environment: Environment;
}

/** Whether a row belongs to an environment, over the bare columns of any table. */
export const inTenant = (
  sql: SqlClient.SqlClient,
  { environment, workspaceId }: TenantKey,
): Statement.Fragment => sql`workspace_id = ${workspaceId} AND environment = ${environment}`;
