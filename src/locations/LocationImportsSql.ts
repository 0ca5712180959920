import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { PlacedLocation } from "./LocationImport.ts";

/** Every statement of an import: each takes all of its rows at once. */
export class LocationImportsSql extends Context.Service<LocationImportsSql>()(
  "waypost/locations/LocationImportsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      return {
        /** The locations that have one of the external ids. */
        known: ({ environment, workspaceId }: Tenant, externalIds: ReadonlyArray<string>) =>
          Effect.orDie(sql<{ id: string; external_id: string }>`
            SELECT id, external_id FROM location
            WHERE workspace_id = ${workspaceId} AND environment = ${environment}
              AND external_id = ANY(${arrayOf("text", externalIds)})`),

        count: ({ environment, workspaceId }: Tenant) =>
          Effect.orDie(sql<{ held: number }>`
            SELECT count(*)::integer AS held FROM location
            WHERE workspace_id = ${workspaceId} AND environment = ${environment}`),

        insert: ({ environment, workspaceId }: Tenant, rows: ReadonlyArray<PlacedLocation>, now: number) =>
          Effect.orDie(sql`
            INSERT INTO location (workspace_id, environment, id, name, external_id, type, latitude, longitude,
              radius_meters, rings, created_at, updated_at)
            SELECT ${workspaceId}, ${environment}, id, name, external_id, type, latitude, longitude, radius_meters, rings,
              ${instant(now)}, ${instant(now)}
            FROM ${unnested(sql, rows)}`),

        /** Changes name and shape; address and groups stay. */
        update: ({ environment, workspaceId }: Tenant, rows: ReadonlyArray<PlacedLocation>, now: number) =>
          Effect.orDie(sql`
            UPDATE location l SET name = sent.name, type = sent.type, latitude = sent.latitude,
              longitude = sent.longitude, radius_meters = sent.radius_meters, rings = sent.rings,
              updated_at = ${instant(now)}
            FROM ${unnested(sql, rows)}
            WHERE l.workspace_id = ${workspaceId} AND l.environment = ${environment} AND l.id = sent.id`),

        /** Gives the group of each name, made under the id beside it when missing. */
        groups: (
          { environment, workspaceId }: Tenant,
          names: ReadonlyArray<string>,
          ids: ReadonlyArray<string>,
          now: number,
        ) =>
          Effect.orDie(sql<{ id: string; name: string }>`
            WITH sent AS (
              SELECT * FROM unnest(${arrayOf("uuid", ids)}, ${arrayOf("text", names)}) AS sent (id, name)
            ), made AS (
              INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
              SELECT ${workspaceId}, ${environment}, id, name, ${instant(now)}, ${instant(now)} FROM sent
              ON CONFLICT (workspace_id, environment, name) DO NOTHING
              RETURNING id, name
            )
            SELECT id, name FROM made
            UNION ALL
            SELECT g.id, g.name FROM location_group g JOIN sent ON sent.name = g.name
            WHERE g.workspace_id = ${workspaceId} AND g.environment = ${environment}`),

        /** Adds locations to groups; a group that got a new one counts as changed. */
        join: (
          { environment, workspaceId }: Tenant,
          groupIds: ReadonlyArray<string>,
          locationIds: ReadonlyArray<string>,
          now: number,
        ) =>
          Effect.orDie(sql`
            WITH added AS (
              INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
              SELECT ${workspaceId}, ${environment}, group_id, location_id
              FROM unnest(${arrayOf("uuid", groupIds)}, ${arrayOf("uuid", locationIds)})
                AS sent (group_id, location_id)
              ON CONFLICT DO NOTHING
              RETURNING group_id
            )
            UPDATE location_group SET updated_at = ${instant(now)}
            WHERE workspace_id = ${workspaceId} AND environment = ${environment}
              AND id IN (SELECT group_id FROM added)`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(LocationImportsSql, LocationImportsSql.make);
}

/** The rows of an import as a table `sent`. */
const unnested = (sql: SqlClient.SqlClient, rows: ReadonlyArray<PlacedLocation>) => {
  const places = rows.map(({ place }) => place);
  const ids = arrayOf(
    "uuid",
    rows.map(({ id }) => id),
  );
  const names = arrayOf(
    "text",
    places.map(({ name }) => name),
  );
  const externalIds = arrayOf(
    "text",
    places.map(({ externalId }) => externalId),
  );
  const types = arrayOf(
    "text",
    places.map(({ type }) => type),
  );
  const latitudes = arrayOf(
    "float8",
    places.map(({ latitude }) => latitude),
  );
  const longitudes = arrayOf(
    "float8",
    places.map(({ longitude }) => longitude),
  );
  const radii = arrayOf(
    "int4",
    places.map(({ radiusMeters }) => radiusMeters),
  );
  const rings = arrayOf(
    "jsonb",
    places.map(({ rings }) => rings),
  );
  return sql`
    unnest(${ids}, ${names}, ${externalIds}, ${types}, ${latitudes}, ${longitudes}, ${radii}, ${rings})
      AS sent (id, name, external_id, type, latitude, longitude, radius_meters, rings)`;
};
