import { Context, Effect, Layer } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import { unstorable } from "../wire/Text.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { LocationGroupsRepository } from "./LocationGroupsRepository.ts";

/** Location groups of one environment. Imports create them; they are never deleted. */
export class LocationGroups extends Context.Service<LocationGroups>()("waypost/locations/LocationGroups", {
  make: Effect.gen(function* () {
    const repository = yield* LocationGroupsRepository;
    return {
      /** Newest first: only the group with exactly this name, or all if it is null. */
      page: (tenant: Tenant, name: string | null, position: PagePosition) =>
        repository.page(tenant, name, position),

      /** @throws 404 */
      find: Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const group = isUuid(id) ? yield* repository.find(tenant, id) : null;
        return group ?? (yield* NotFound.resource("location group"));
      }),

      /** Which of the ids are groups of this environment, in lower case. */
      existing: (tenant: Tenant, ids: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> => {
        const uuids = ids.filter(isUuid);
        return uuids.length === 0 ? Effect.succeed(new Set()) : repository.existing(tenant, uuids);
      },

      /** The ids of the groups with exactly these names, by name. Unknown names are left out. */
      idsByName: (
        tenant: Tenant,
        names: ReadonlyArray<string>,
      ): Effect.Effect<ReadonlyMap<string, string>> => {
        const storable = names.filter((name) => unstorable(name) === null);
        return storable.length === 0 ? Effect.succeed(new Map()) : repository.idsByName(tenant, storable);
      },
    };
  }),
}) {
  static readonly layer = Layer.effect(LocationGroups, LocationGroups.make);
}
