import { Context, type Effect } from "effect";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationSearch } from "./LocationSearch.ts";
import type { LocationResource } from "./LocationResource.ts";

/** The values of a change; undefined keeps the stored one. */
export interface LocationChange {
  readonly name: string | undefined;
  readonly address: string | null | undefined;
  readonly externalId: string | null | undefined;
}

/** Which locations a list has; what is left out or null selects all. */
export interface LocationFilters extends Partial<Omit<LocationSearch, "near">> {
  /** Only locations with one of these ids. */
  readonly ids?: ReadonlyArray<string> | null;
}

/** Points of locations (contract CO1), as JSON text, and what changes with every change of them. */
export interface LocationPoints {
  readonly points: string;
  readonly count: number;
  /**
   * The sum of the times of their last changes. The latest of them would stay where a process whose clock is
   * behind, or an import that waited for a lock, changes another location.
   */
  readonly version: string;
}

/** Stores locations. Instants are epoch milliseconds. */
export class LocationsRepository extends Context.Service<
  LocationsRepository,
  {
    /** Newest first. */
    readonly page: (
      tenant: Tenant,
      filters: LocationFilters,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<LocationResource>>;
    /** The points of all selected locations, newest first. */
    readonly points: (tenant: Tenant, filters: LocationFilters) => Effect.Effect<LocationPoints>;
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<LocationResource | null>;
    /** The id of the location with this external id. */
    readonly findByExternalId: (tenant: Tenant, externalId: string) => Effect.Effect<string | null>;
    /** Null for an unknown id. */
    readonly update: (
      tenant: Tenant,
      id: string,
      change: LocationChange,
      now: number,
    ) => Effect.Effect<LocationResource | null>;
    /**
     * Deletes a location and removes it from its groups and campaigns; its groups count as updated. Its id
     * stays for the events and deliveries that name its key. False for an unknown id.
     */
    readonly delete: (tenant: Tenant, id: string, now: number) => Effect.Effect<boolean>;
    /** Returns the ids that exist. */
    readonly existing: (tenant: Tenant, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>;
  }
>()("waypost/locations/LocationsRepository") {}
