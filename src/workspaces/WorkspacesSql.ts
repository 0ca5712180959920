import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { instant, jsonb, onlyRow, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, mapRows, run } from "../database/Statements.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "./Environment.ts";
import { defaultPlan, type Plan, type PlanPatch } from "./Plan.ts";
import type { Workspace, WorkspacePatch } from "./Workspace.ts";

/** A workspace with its internal key. */
export interface WorkspaceRow {
  readonly workspaceId: number;
  readonly workspace: Workspace;
}

type NewWorkspace = Pick<Workspace, "name" | "timezone"> &
  Pick<Columns, "plan"> & { readonly publicId: string };

interface Columns extends Omit<Workspace, "plan"> {
  readonly workspace_id: number;
  readonly plan: PlanPatch;
}

const toRow = ({ workspace_id, ...columns }: Columns): WorkspaceRow => ({
  workspaceId: workspace_id,
  workspace: { ...columns, plan: { ...defaultPlan, ...columns.plan } satisfies Plan },
});

/** Every statement on workspaces and tenants. Bound: 1 workspace with its 2 environments, or a page. */
export class WorkspacesSql extends SqlService<WorkspacesSql>("waypost/workspaces/WorkspacesSql")((sql) => {
  const columns = sql`
    id AS workspace_id, public_id AS id, name, timezone, platform_api_enabled,
    ${utc("deletion_scheduled_at")} AS deletion_scheduled_at, trial_ended,
    user_hash_required,
    CASE WHEN default_cap_count IS NOT NULL
      THEN jsonb_build_object('count', default_cap_count, 'period', default_cap_period) END
      AS default_frequency_cap,
    quiet_hours, max_per_minute,
    plan, ${utc("created_at")} AS created_at, ${utc("updated_at")} AS updated_at`;

  const firstWorkspace = (statement: Statement.Statement<Columns>) =>
    Effect.map(firstRow(statement), (row) => row && toRow(row));

  return {
    /** Inserts the workspace and both of its environments. */
    insert: ({ name, plan, publicId, timezone }: NewWorkspace, now: number) =>
      Effect.map(
        onlyRow(sql<Columns>`
          WITH made AS (
            INSERT INTO workspace (public_id, name, timezone, plan, created_at, updated_at)
            VALUES (${publicId}, ${name}, ${timezone}, ${jsonb(plan)}, ${instant(now)}, ${instant(now)})
            RETURNING *
          ), tenants AS (
            INSERT INTO tenant (workspace_id, environment)
            SELECT made.id, environment FROM made, (VALUES ('sandbox'), ('production')) AS e (environment)
            RETURNING workspace_id, environment
          ), windows AS (
            INSERT INTO rate_window (workspace_id, environment)
            SELECT workspace_id, environment FROM tenants
          )
          SELECT ${columns} FROM made`),
        toRow,
      ),

    /** Newest first. */
    page: ({ before, limit }: PagePosition) =>
      mapRows(
        sql<Columns>`
          SELECT ${columns} FROM workspace
          WHERE ${before}::uuid IS NULL OR public_id < ${before}
          ORDER BY public_id DESC LIMIT ${limit}`,
        toRow,
      ),

    find: (publicId: string) =>
      firstWorkspace(sql<Columns>`SELECT ${columns} FROM workspace WHERE public_id = ${publicId}`),

    findByKey: (workspaceId: number) =>
      firstWorkspace(sql<Columns>`SELECT ${columns} FROM workspace WHERE id = ${workspaceId}`),

    /**
     * The plan is merged by key; scheduling a deletion again keeps the first instant. Null for an unknown id.
     */
    update: (publicId: string, patch: WorkspacePatch, now: number) => {
      const { default_frequency_cap: cap, max_per_minute: pace, quiet_hours: quiet } = patch;
      return firstWorkspace(sql<Columns>`
        UPDATE workspace SET
          name = COALESCE(${patch.name ?? null}::text, name),
          timezone = COALESCE(${patch.timezone ?? null}::text, timezone),
          platform_api_enabled =
            COALESCE(${patch.platform_api_enabled ?? null}::boolean, platform_api_enabled),
          deletion_scheduled_at = CASE ${patch.deletion_scheduled ?? null}::boolean
            WHEN true THEN COALESCE(deletion_scheduled_at, ${instant(now)}) WHEN false THEN NULL
            ELSE deletion_scheduled_at END,
          trial_ended = COALESCE(${patch.trial_ended ?? null}::boolean, trial_ended),
          user_hash_required = COALESCE(${patch.user_hash_required ?? null}::boolean, user_hash_required),
          default_cap_count = CASE WHEN ${cap !== undefined} THEN ${cap?.count ?? null}::integer
            ELSE default_cap_count END,
          default_cap_period = CASE WHEN ${cap !== undefined} THEN ${cap?.period ?? null}::text
            ELSE default_cap_period END,
          quiet_hours = CASE WHEN ${quiet !== undefined} THEN ${jsonb(quiet ?? null)} ELSE quiet_hours END,
          max_per_minute = CASE WHEN ${pace !== undefined} THEN ${pace ?? null}::integer
            ELSE max_per_minute END,
          plan = plan || ${jsonb(patch.plan ?? {})},
          updated_at = ${instant(now)}
        WHERE public_id = ${publicId}
        RETURNING ${columns}`);
    },

    /** Locks the tenant for the rest of the transaction, so that what its plan limits is counted exactly. */
    lock: ({ environment, workspaceId }: TenantKey) =>
      run(sql`
        SELECT FROM tenant WHERE workspace_id = ${workspaceId} AND environment = ${environment}
        FOR NO KEY UPDATE`),
  };
}) {}
