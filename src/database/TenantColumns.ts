/** SQL on `workspace_id` and `environment`, which nearly all tables have. Aliases are trusted text. */
import { type SqlClient, Statement } from "effect/sql";

/** The key of an environment, as `TenantKey`. */
interface Key {
  readonly workspaceId: number;
  readonly environment: string;
}

/** The columns for `unnested`. */
export const tenantColumns = {
  workspace_id: ["int4", ({ workspaceId }: Key) => workspaceId],
  environment: ["text", ({ environment }: Key) => environment],
} as const;

/** Condition: the rows of two aliases belong to the same environment. */
export const sameTenant = (a: string, b: string): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(`${a}.workspace_id = ${b}.workspace_id AND ${a}.environment = ${b}.environment`),
  ]);

/** Condition: the row of an alias belongs to an environment. */
export const tenantIs =
  (sql: SqlClient.SqlClient) =>
  (alias: string, { environment, workspaceId }: Key): Statement.Fragment =>
    sql`${sql.literal(`${alias}.workspace_id`)} = ${workspaceId}
      AND ${sql.literal(`${alias}.environment`)} = ${environment}`;
