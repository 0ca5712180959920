import { Clock, Context, Effect, Layer } from "effect";
import { LocationIndexes } from "../locations/LocationIndexes.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Geofence } from "./GeofencesApi.ts";
import { GeofencesSql } from "./GeofencesSql.ts";

/** The locations that devices monitor themselves. */
export class Geofences extends Context.Service<Geofences>()("waypost/positions/Geofences", {
  make: Effect.gen(function* () {
    const repository = yield* GeofencesSql;
    const indexes = yield* LocationIndexes;

    return {
      /** Nearest locations that active or scheduled campaigns target, by distance to the edge, then id. */
      nearest: Effect.fn("Geofences.nearest")(function* (
        tenant: Tenant,
        from: { readonly latitude: number; readonly longitude: number },
        limit: number,
      ) {
        // Not cached, because campaigns start and end by time alone.
        const targeted = yield* repository.targeted(tenant, yield* Clock.currentTimeMillis);
        if (targeted.length === 0) return [];
        const index = yield* indexes.current(tenant);
        const near = index.nearest([from.longitude, from.latitude], targeted, limit);
        const found = yield* repository.find(
          tenant,
          near.map(({ location }) => location.key),
        );
        const rows = new Map(found.map(({ key, ...row }) => [key, row]));
        return near.flatMap(({ location, meters }): Array<Geofence> => {
          const row = rows.get(location.key);
          return row === undefined ? [] : [{ ...row, distance_meters: meters }];
        });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Geofences, Geofences.make).pipe(Layer.provide(GeofencesSql.layer));
}
