import { Context, type Effect } from "effect";
import type { Actor } from "../access/Actor.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { RecordedChanges } from "./ActivityChanges.ts";
import type { ActivityAction, ActivityEntry, ActivityResource } from "./ActivityEntry.ts";
import type { ActivityFilters } from "./ActivityFilters.ts";

/** An entry as it is stored; `at` in epoch milliseconds. */
export interface NewEntry {
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  readonly action: ActivityAction;
  readonly resource: ActivityResource;
  readonly changes: RecordedChanges;
}

/** Stores the activity of environments. */
export class ActivityRepository extends Context.Service<
  ActivityRepository,
  {
    /** Adds entries; of one that is there already it replaces the changes. */
    readonly put: (tenant: TenantKey, entries: ReadonlyArray<NewEntry>) => Effect.Effect<void>;
    /** Newest first. */
    readonly page: (
      tenant: TenantKey,
      position: PagePosition,
      filters: ActivityFilters,
    ) => Effect.Effect<ReadonlyArray<ActivityEntry>>;
    /** Deletes up to `limit` entries that were made at `before` or earlier, and returns their number. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number>;
  }
>()("waypost/activity/ActivityRepository") {}
