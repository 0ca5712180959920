import { Context, type Effect } from "effect";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { PlanPatch } from "./Plan.ts";
import type { TenantKey } from "./Environment.ts";
import type { Workspace, WorkspacePatch } from "./Workspace.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";

/** A workspace with its internal key. */
export interface WorkspaceRow {
  readonly workspaceId: number;
  readonly workspace: Workspace;
}

/** A workspace as it is created. */
export interface NewWorkspace {
  readonly publicId: string;
  readonly name: string;
  readonly timezone: TimeZoneName;
  readonly plan: PlanPatch;
}

/** Stores workspaces and their tenants. Instants are epoch milliseconds. */
export class WorkspacesRepository extends Context.Service<
  WorkspacesRepository,
  {
    /** Inserts the workspace and both of its environments. */
    readonly insert: (workspace: NewWorkspace, now: number) => Effect.Effect<WorkspaceRow>;
    /** Newest first. */
    readonly page: (position: PagePosition) => Effect.Effect<ReadonlyArray<WorkspaceRow>>;
    readonly find: (publicId: string) => Effect.Effect<WorkspaceRow | null>;
    readonly findByKey: (workspaceId: number) => Effect.Effect<WorkspaceRow | null>;
    /**
     * The plan is merged by key; scheduling a deletion again keeps the first instant. Null for an unknown id.
     */
    readonly update: (
      publicId: string,
      patch: WorkspacePatch,
      now: number,
    ) => Effect.Effect<WorkspaceRow | null>;
    /** Locks the tenant for the rest of the transaction, so that what its plan limits is counted exactly. */
    readonly lock: (tenant: TenantKey) => Effect.Effect<void>;
  }
>()("waypost/workspaces/WorkspacesRepository") {}
