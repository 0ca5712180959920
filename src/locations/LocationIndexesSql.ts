import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, onlyRow } from "../database/Rows.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { StoredPlace } from "./geometry/IndexedLocation.ts";

/** Whose places. */
export interface PlacesOf {
  readonly workspaceId: number;
  readonly environment: Environment;
}

/** What tells whether a place that is held in memory is still that, and how large it is in the database. */
export interface PlaceMark {
  readonly id: string;
  readonly no: number;
  readonly revision: number;
  readonly bytes: number;
}

/** Every statement on locations as places that are searched in memory. */
export class PlacesSql extends Context.Service<PlacesSql>()("waypost/locations/PlacesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    return {
      /** How often the places of each have changed, in their order (`ord`, from 1). */
      versions: (of: ReadonlyArray<PlacesOf>) =>
        Effect.orDie(sql<{ readonly ord: number; readonly version: number }>`
          SELECT k.ord::int AS ord, ${asNumber("t.places_version")} AS version
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
      changed: ({ environment, workspaceId }: PlacesOf) =>
        onlyRow(sql<{ readonly version: number }>`
          UPDATE tenant SET places_version = places_version + 1
          WHERE workspace_id = ${workspaceId} AND environment = ${environment}
          RETURNING ${asNumber("places_version")} AS version`),

      /** So many places after an id. */
      marks: ({ environment, workspaceId }: PlacesOf, after: string | null, most: number) =>
        Effect.orDie(sql<PlaceMark>`
          SELECT id, no, ${asNumber("revision")} AS revision, COALESCE(pg_column_size(rings), 0) AS bytes
          FROM location
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND (${after}::uuid IS NULL OR id > ${after})
          ORDER BY id LIMIT ${most}`),

      /** Those of the places that are there. */
      shapes: ({ environment, workspaceId }: PlacesOf, ids: ReadonlyArray<string>) =>
        Effect.orDie(sql<StoredPlace>`
          SELECT id, no, ${asNumber("revision")} AS revision, longitude, latitude, radius_meters, rings
          FROM location
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND id = ANY(${arrayOf("uuid", ids)})`),
    };
  }),
}) {
  static readonly layer = Layer.effect(PlacesSql, PlacesSql.make);
}
