import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, onlyRow } from "../database/Rows.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { StoredLocation } from "./geometry/IndexedLocation.ts";

/** Whose places. */
export interface TenantKey {
  readonly workspaceId: number;
  readonly environment: Environment;
}

/** What tells whether a place that is held in memory is still that, and how large it is in the database. */
export interface LocationMark {
  readonly id: string;
  readonly key: number;
  readonly revision: number;
  readonly bytes: number;
}

/** Every statement on locations as places that are searched in memory. */
export class LocationIndexesSql extends Context.Service<LocationIndexesSql>()(
  "waypost/locations/LocationIndexesSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      return {
        /** How often the places of each have changed, in their order (`ord`, from 1). */
        versions: (of: ReadonlyArray<TenantKey>) =>
          Effect.orDie(sql<{ readonly ord: number; readonly version: number }>`
          SELECT k.ord::int AS ord, ${asNumber("t.locations_version")} AS version
          FROM unnest(
            ${arrayOf(
              "int4",
              of.map((each) => each.workspaceId),
            )}, ${arrayOf(
              "text",
              of.map((each) => each.environment),
            )}
          ) WITH ORDINALITY AS k (workspace_id, environment, ord)
          JOIN tenant t USING (workspace_id, environment)`),

        /** Counts a change of places in the transaction at hand. */
        changed: ({ environment, workspaceId }: TenantKey) =>
          onlyRow(sql<{ readonly version: number }>`
          UPDATE tenant SET locations_version = locations_version + 1
          WHERE workspace_id = ${workspaceId} AND environment = ${environment}
          RETURNING ${asNumber("locations_version")} AS version`),

        /** So many places after an id. */
        marks: ({ environment, workspaceId }: TenantKey, after: string | null, most: number) =>
          Effect.orDie(sql<LocationMark>`
          SELECT id, key, ${asNumber("revision")} AS revision, COALESCE(pg_column_size(rings), 0) AS bytes
          FROM location
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND (${after}::uuid IS NULL OR id > ${after})
          ORDER BY id LIMIT ${most}`),

        /** Those of the places that are there. */
        shapes: ({ environment, workspaceId }: TenantKey, ids: ReadonlyArray<string>) =>
          Effect.orDie(sql<StoredLocation>`
          SELECT id, key, ${asNumber("revision")} AS revision, longitude, latitude, radius_meters, rings
          FROM location
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND id = ANY(${arrayOf("uuid", ids)})`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(LocationIndexesSql, LocationIndexesSql.make);
}
