/** SQL on `workspace_id` and `environment`, which nearly all tables have. Aliases are trusted text. */
import { Statement } from "effect/sql";
import { unnested } from "./Rows.ts";

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
export const tenantIs = (alias: string, { environment, workspaceId }: Key): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(`${alias}.workspace_id = `),
    Statement.parameter(workspaceId),
    Statement.literal(` AND ${alias}.environment = `),
    Statement.parameter(environment),
  ]);

/** Condition: a row of any table belongs to an environment, over the bare columns. */
export const inTenant = ({ environment, workspaceId }: Key): Statement.Fragment =>
  Statement.fragment([
    Statement.literal("workspace_id = "),
    Statement.parameter(workspaceId),
    Statement.literal(" AND environment = "),
    Statement.parameter(environment),
  ]);

/** The environments of a list, each once. */
export const distinctTenants = <K extends Key>(keys: ReadonlyArray<K>): ReadonlyArray<K> => [
  ...new Map(keys.map((key) => [`${key.workspaceId}/${key.environment}`, key])).values(),
];

/** Condition: the row of an alias belongs to an environment of a list. */
export const tenantIsIn = (alias: string, keys: ReadonlyArray<Key>): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(
      `(${alias}.workspace_id, ${alias}.environment) IN (SELECT l.workspace_id, l.environment FROM `,
    ),
    ...unnested("l", distinctTenants(keys), tenantColumns).segments,
    Statement.literal(")"),
  ]);
