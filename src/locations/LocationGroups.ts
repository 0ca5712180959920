import { Context, Effect, Layer } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import { unstorable } from "../wire/Text.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationGroup } from "./LocationGroup.ts";
import { LocationGroupsSql } from "./LocationGroupsSql.ts";

/** Location groups of one environment. Imports create them; they are never deleted. */
export class LocationGroups extends Context.Service<
  LocationGroups,
  {
    readonly page: LocationGroupsSql["Service"]["page"];
    /** @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<LocationGroup, NotFound>;
    /** Which of the ids are groups of this environment, in lower case. */
    readonly existing: (tenant: Tenant, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>;
    readonly idsByName: LocationGroupsSql["Service"]["idsByName"];
    readonly insert: LocationGroupsSql["Service"]["insert"];
    readonly join: LocationGroupsSql["Service"]["join"];
  }
>()("waypost/locations/LocationGroups") {
  static readonly layer = Layer.effect(
    LocationGroups,
    Effect.gen(function* () {
      const repository = yield* LocationGroupsSql;
      return LocationGroups.of({
        page: repository.page,
        insert: repository.insert,
        join: repository.join,

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
