import { Context, type Effect } from "effect";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { StoredImport } from "./ImportPlan.ts";

/** A location in a group, by their ids. */
export interface GroupMember {
  readonly groupId: string;
  readonly locationId: string;
}

/** Stores what imports create and change, all rows of an import at once. Instants are epoch milliseconds. */
export class LocationImportsRepository extends Context.Service<
  LocationImportsRepository,
  {
    /** The ids of the locations with one of the external ids, by external id. */
    readonly known: (
      tenant: Tenant,
      externalIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyMap<string, string>>;
    /** How many locations the environment has. */
    readonly count: (tenant: Tenant) => Effect.Effect<number>;
    readonly insert: (tenant: Tenant, rows: ReadonlyArray<StoredImport>, now: number) => Effect.Effect<void>;
    /** Changes name and shape, and keeps address and groups. */
    readonly update: (tenant: Tenant, rows: ReadonlyArray<StoredImport>, now: number) => Effect.Effect<void>;
    /** Inserts groups by their names, each with its id. */
    readonly insertGroups: (
      tenant: Tenant,
      idsByName: ReadonlyMap<string, string>,
      now: number,
    ) => Effect.Effect<void>;
    /** Takes a location out of all groups but these. A group that loses it counts as updated at `now`. */
    readonly leave: (
      tenant: Tenant,
      locationId: string,
      keptGroupIds: ReadonlyArray<string>,
      now: number,
    ) => Effect.Effect<void>;
    /** Adds locations to groups. A group that gains a location counts as updated at `now`. */
    readonly join: (tenant: Tenant, members: ReadonlyArray<GroupMember>, now: number) => Effect.Effect<void>;
  }
>()("waypost/locations/LocationImportsRepository") {}
