import { Clock, Context, Effect, Layer } from "effect";
import { LocationIndexes } from "../locations/LocationIndexes.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Geofence } from "./GeofencesApi.ts";
import { GeofencesSql } from "./GeofencesSql.ts";

/** What devices watch themselves. */
export class Geofences extends Context.Service<Geofences>()("waypost/events/Geofences", {
  make: Effect.gen(function* () {
    const repository = yield* GeofencesSql;
    const places = yield* LocationIndexes;

    return {
      /** The nearest locations that an active or scheduled campaign targets now, by distance to the edge, then id. */
      nearest: Effect.fn("Geofences.nearest")(function* (
        tenant: Tenant,
        from: { readonly latitude: number; readonly longitude: number },
        most: number,
      ) {
        // Campaigns begin and end without anybody changing them: whom they target is looked up each time.
        const targeted = yield* repository.targeted(tenant, yield* Clock.currentTimeMillis);
        if (targeted.length === 0) return [];
        const index = yield* places.current(tenant);
        const near = index.nearest([from.longitude, from.latitude], targeted, most);
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
