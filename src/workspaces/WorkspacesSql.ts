import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant, jsonb, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Environment } from "./Environment.ts";
import { defaultPlan, type Plan, type PlanPatch } from "./Plan.ts";
import type { FrequencyCap, Workspace } from "./Workspace.ts";

/** A workspace with its internal key. */
export interface WorkspaceRow {
  readonly workspaceId: number;
  readonly workspace: Workspace;
}

interface Columns extends Omit<Workspace, "plan"> {
  readonly workspace_id: number;
  readonly plan: PlanPatch;
}

/** What an update writes; undefined keeps what is there. */
export interface WorkspaceChange {
  readonly name?: string | undefined;
  readonly timezone?: string | undefined;
  readonly platformApiEnabled?: boolean | undefined;
  readonly deletionScheduled?: boolean | undefined;
  readonly trialEnded?: boolean | undefined;
  readonly defaultFrequencyCap?: FrequencyCap | null | undefined;
  readonly plan?: PlanPatch | undefined;
}

const toRow = ({ workspace_id, ...columns }: Columns): WorkspaceRow => ({
  workspaceId: workspace_id,
  workspace: { ...columns, plan: { ...defaultPlan, ...columns.plan } satisfies Plan },
});

/** Every statement on workspaces and tenants. */
export class WorkspacesSql extends Context.Service<WorkspacesSql>()("waypost/workspaces/WorkspacesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const columns = sql`
      id AS workspace_id, public_id AS id, name, timezone, platform_api_enabled,
      ${utc("deletion_scheduled_at")} AS deletion_scheduled_at, trial_ended,
      CASE WHEN default_cap_count IS NOT NULL
        THEN jsonb_build_object('count', default_cap_count, 'period', default_cap_period) END AS default_frequency_cap,
      plan, ${utc("created_at")} AS created_at, ${utc("updated_at")} AS updated_at`;

    const rows = (statement: Effect.Effect<ReadonlyArray<Columns>, unknown>) =>
      Effect.orDie(Effect.map(statement, (found) => found.map(toRow)));

    return {
      /** Inserts the workspace, both its environments and their rate windows. */
      insert: (publicId: string, name: string, timezone: string, plan: PlanPatch, now: number) =>
        rows(sql<Columns>`
          WITH made AS (
            INSERT INTO workspace (public_id, name, timezone, plan, created_at, updated_at)
            VALUES (${publicId}, ${name}, ${timezone}, ${jsonb(plan)}, ${instant(now)}, ${instant(now)})
            RETURNING *
          ), tenants AS (
            INSERT INTO tenant (workspace_id, environment)
            SELECT made.id, environment FROM made, (VALUES ('sandbox'), ('production')) AS e (environment)
            RETURNING workspace_id, environment
          ), windows AS (
            INSERT INTO rate_window (workspace_id, environment) SELECT workspace_id, environment FROM tenants
          )
          SELECT ${columns} FROM made`),

      page: (position: PagePosition) =>
        rows(sql<Columns>`
          SELECT ${columns} FROM workspace
          WHERE ${position.before}::uuid IS NULL OR public_id < ${position.before}
          ORDER BY public_id DESC LIMIT ${position.limit}`),

      find: (publicId: string) =>
        rows(sql<Columns>`SELECT ${columns} FROM workspace WHERE public_id = ${publicId}`),

      /** The row of an internal key. */
      findById: (workspaceId: number) =>
        rows(sql<Columns>`SELECT ${columns} FROM workspace WHERE id = ${workspaceId}`),

      update: (publicId: string, change: WorkspaceChange, now: number) => {
        const cap = change.defaultFrequencyCap;
        return rows(sql<Columns>`
          UPDATE workspace SET
            name = COALESCE(${change.name ?? null}::text, name),
            timezone = COALESCE(${change.timezone ?? null}::text, timezone),
            platform_api_enabled = COALESCE(${change.platformApiEnabled ?? null}::boolean, platform_api_enabled),
            deletion_scheduled_at = CASE ${change.deletionScheduled ?? null}::boolean
              WHEN true THEN COALESCE(deletion_scheduled_at, ${instant(now)}) WHEN false THEN NULL
              ELSE deletion_scheduled_at END,
            trial_ended = COALESCE(${change.trialEnded ?? null}::boolean, trial_ended),
            default_cap_count = CASE WHEN ${cap !== undefined} THEN ${cap?.count ?? null}::integer
              ELSE default_cap_count END,
            default_cap_period = CASE WHEN ${cap !== undefined} THEN ${cap?.period ?? null}::text
              ELSE default_cap_period END,
            plan = plan || ${jsonb(change.plan ?? {})},
            updated_at = ${instant(now)}
          WHERE public_id = ${publicId}
          RETURNING ${columns}`);
      },

      /** Holds the tenant for the rest of the transaction, so that what its plan limits is counted exactly. */
      lock: (workspaceId: number, environment: Environment) =>
        Effect.orDie(
          Effect.asVoid(
            sql`SELECT FROM tenant WHERE workspace_id = ${workspaceId} AND environment = ${environment}
                FOR NO KEY UPDATE`,
          ),
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(WorkspacesSql, WorkspacesSql.make);
}
