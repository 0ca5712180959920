import { Context, Effect, Layer } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import { unstorable } from "../wire/Text.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationGroup } from "./LocationGroup.ts";
import { LocationGroupsRepository } from "./LocationGroupsRepository.ts";

/** Location groups of one environment. Imports create them; they are never deleted. */
export class LocationGroups extends Context.Service<
  LocationGroups,
  {
    /** Newest first: only the group with exactly this name, or all if it is null. */
    readonly page: (
      tenant: Tenant,
      name: string | null,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<LocationGroup>>;
    /** @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<LocationGroup, NotFound>;
    /** Which of the ids are groups of this environment, in lower case. */
    readonly existing: (tenant: Tenant, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>;
    /** The ids of the groups with exactly these names, by name. Unknown names are left out. */
    readonly idsByName: (
      tenant: Tenant,
      names: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyMap<string, string>>;
  }
>()("waypost/locations/LocationGroups") {
  static readonly layer = Layer.effect(
    LocationGroups,
    Effect.gen(function* () {
      const repository = yield* LocationGroupsRepository;
      return LocationGroups.of({
        page: repository.page,

        find: Effect.fn("LocationGroups.find")(function* (tenant, id) {
          const group = isUuid(id) ? yield* repository.find(tenant, id) : null;
          return group ?? (yield* NotFound.resource("location group"));
        }),

        existing: (tenant, ids) => {
          const uuids = ids.filter(isUuid);
          return uuids.length === 0 ? Effect.succeed(new Set()) : repository.existing(tenant, uuids);
        },

        idsByName: (tenant, names) => {
          const storable = names.filter((name) => unstorable(name) === null);
          return storable.length === 0 ? Effect.succeed(new Map()) : repository.idsByName(tenant, storable);
        },
      });
    }),
  );
}
