import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ImportedLocation, StoredImport } from "./ImportPlan.ts";

/**
 * SQL statements of imports, each for all of its rows. They are unprepared, so that PostgreSQL plans each for
 * the rows it has: a generic plan compares every sent row with every stored one.
 */
export class LocationImportsSql extends Context.Service<LocationImportsSql>()(
  "waypost/locations/LocationImportsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      return {
        /** The locations with one of the external ids. */
        known: ({ environment, workspaceId }: Tenant, externalIds: ReadonlyArray<string>) =>
          Effect.orDie(
            sql<{ id: string; external_id: string }>`
              SELECT id, external_id FROM location
              WHERE workspace_id = ${workspaceId} AND environment = ${environment}
                AND external_id = ANY(${arrayOf("text", externalIds)})`.unprepared,
          ),

        count: ({ environment, workspaceId }: Tenant) =>
          Effect.orDie(sql<{ held: number }>`
            SELECT count(*)::integer AS held FROM location
            WHERE workspace_id = ${workspaceId} AND environment = ${environment}`),

        insert: ({ environment, workspaceId }: Tenant, rows: ReadonlyArray<StoredImport>, now: number) =>
          Effect.orDie(
            sql`
              INSERT INTO location (workspace_id, environment, id, name, external_id, type, latitude,
                longitude, radius_meters, rings, created_at, updated_at)
              SELECT ${workspaceId}, ${environment}, id, name, external_id, type, latitude, longitude,
                radius_meters, rings, ${instant(now)}, ${instant(now)}
              FROM ${sent(sql, rows)}`.unprepared,
          ),

        /** Changes name and shape, and keeps address and groups. */
        update: ({ environment, workspaceId }: Tenant, rows: ReadonlyArray<StoredImport>, now: number) =>
          // Before a table is analyzed, PostgreSQL expects one row of a tenant and plans a nested loop.
          Effect.orDie(
            sql`SELECT set_config('enable_nestloop', 'off', true)`.pipe(
              Effect.andThen(
                sql`
                  UPDATE location l SET name = sent.name, type = sent.type, latitude = sent.latitude,
                    longitude = sent.longitude, radius_meters = sent.radius_meters, rings = sent.rings,
                    revision = DEFAULT, updated_at = ${instant(now)}
                  FROM ${sent(sql, rows)}
                  WHERE l.workspace_id = ${workspaceId} AND l.environment = ${environment}
                    AND l.id = sent.id`.unprepared,
              ),
              Effect.andThen(sql`SELECT set_config('enable_nestloop', 'on', true)`),
            ),
          ),

        /** The groups with one of the names. */
        knownGroups: ({ environment, workspaceId }: Tenant, names: ReadonlyArray<string>) =>
          Effect.orDie(
            sql<{ id: string; name: string }>`
              SELECT id, name FROM location_group
              WHERE workspace_id = ${workspaceId} AND environment = ${environment}
                AND name = ANY(${arrayOf("text", names)})`.unprepared,
          ),

        insertGroups: (
          { environment, workspaceId }: Tenant,
          ids: ReadonlyArray<string>,
          names: ReadonlyArray<string>,
          now: number,
        ) =>
          Effect.orDie(
            sql`
              INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
              SELECT ${workspaceId}, ${environment}, *, ${instant(now)}, ${instant(now)}
              FROM unnest(${arrayOf("uuid", ids)}, ${arrayOf("text", names)})`.unprepared,
          ),

        /** Adds each location to the group at the same index; returns the groups that gained a location. */
        join: (
          { environment, workspaceId }: Tenant,
          groupIds: ReadonlyArray<string>,
          locationIds: ReadonlyArray<string>,
        ) =>
          Effect.orDie(
            sql<{ group_id: string }>`
              WITH added AS (
                INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
                SELECT ${workspaceId}, ${environment}, *
                FROM unnest(${arrayOf("uuid", groupIds)}, ${arrayOf("uuid", locationIds)})
                ON CONFLICT DO NOTHING
                RETURNING group_id
              )
              SELECT DISTINCT group_id FROM added`.unprepared,
          ),

        /** Sets when groups that gained a location were updated. */
        touch: ({ environment, workspaceId }: Tenant, groupIds: ReadonlyArray<string>, now: number) =>
          Effect.orDie(
            sql`
              UPDATE location_group SET updated_at = ${instant(now)}
              WHERE workspace_id = ${workspaceId} AND environment = ${environment}
                AND id = ANY(${arrayOf("uuid", groupIds)})`.unprepared,
          ),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(LocationImportsSql, LocationImportsSql.make);
}

/** The rows of an import as a table `sent`. */
const sent = (sql: SqlClient.SqlClient, rows: ReadonlyArray<StoredImport>) => {
  const ids = rows.map(({ id }) => id);
  const column = <A>(value: (location: ImportedLocation) => A): ReadonlyArray<A> =>
    rows.map(({ location }) => value(location));
  const names = column(({ name }) => name);
  const externalIds = column(({ externalId }) => externalId);
  const types = column(({ type }) => type);
  const latitudes = column(({ latitude }) => latitude);
  const longitudes = column(({ longitude }) => longitude);
  const radii = column(({ radiusMeters }) => radiusMeters);
  const rings = column(({ rings }) => rings);
  return sql`
    unnest(${arrayOf("uuid", ids)}, ${arrayOf("text", names)}, ${arrayOf("text", externalIds)},
      ${arrayOf("text", types)}, ${arrayOf("float8", latitudes)}, ${arrayOf("float8", longitudes)},
      ${arrayOf("int4", radii)}, ${arrayOf("jsonb", rings)})
      AS sent (id, name, external_id, type, latitude, longitude, radius_meters, rings)`;
};
