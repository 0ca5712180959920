import { Context, type Effect } from "effect";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationGroup } from "./LocationGroup.ts";

/** Stores location groups. */
export class LocationGroupsRepository extends Context.Service<
  LocationGroupsRepository,
  {
    /** Newest first: only the group with exactly this name, or all if it is null. */
    readonly page: (
      tenant: Tenant,
      name: string | null,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<LocationGroup>>;
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<LocationGroup | null>;
    /** Returns the ids that exist. */
    readonly existing: (tenant: Tenant, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>;
    /** The ids of the groups with exactly these names, by name. Unknown names are left out. */
    readonly idsByName: (
      tenant: Tenant,
      names: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyMap<string, string>>;
  }
>()("waypost/locations/LocationGroupsRepository") {}
