import { Effect } from "effect";
import { arrayOf, instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { run } from "../database/Statements.ts";
import { inTenant, tenantIs } from "../database/TenantColumns.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { StoredImport } from "./ImportPlan.ts";

/** The rows of an import as a table `sent`. */
const sent = (rows: ReadonlyArray<StoredImport>) =>
  unnested("sent", rows, {
    id: ["uuid", ({ id }) => id],
    name: ["text", ({ location }) => location.name],
    external_id: ["text", ({ location }) => location.externalId],
    type: ["text", ({ location }) => location.type],
    latitude: ["float8", ({ location }) => location.latitude],
    longitude: ["float8", ({ location }) => location.longitude],
    radius_meters: ["int4", ({ location }) => location.radiusMeters],
    rings: ["text", ({ location }) => location.rings],
  });

/**
 * Every statement of imports, each for all of its rows. They are unprepared, so that PostgreSQL plans each
 * for the rows it has: a generic plan compares every sent row with every stored one. Bound: 2,500 rows or 1
 * MiB of an import.
 */
export class LocationImportsSql extends SqlService<LocationImportsSql>(
  "waypost/locations/LocationImportsSql",
)((sql) => ({
  /** The ids of the locations with one of the external ids, by external id. */
  known: (tenant: Tenant, externalIds: ReadonlyArray<string>) =>
    Effect.orDie(
      Effect.map(
        sql<{ readonly id: string; readonly external_id: string }>`
          SELECT id, external_id FROM location
          WHERE ${inTenant(tenant)} AND external_id = ANY(${arrayOf("text", externalIds)})`.unprepared,
        (rows) => new Map(rows.map(({ external_id, id }) => [external_id, id])),
      ),
    ),

  insert: ({ environment, workspaceId }: Tenant, rows: ReadonlyArray<StoredImport>, now: number) =>
    run(
      sql`
        INSERT INTO location (workspace_id, environment, id, name, external_id, type, latitude, longitude,
          radius_meters, rings, created_at, updated_at)
        SELECT ${workspaceId}, ${environment}, id, name, external_id, type, latitude, longitude,
          radius_meters, rings::jsonb, ${instant(now)}, ${instant(now)}
        FROM ${sent(rows)}`.unprepared,
    ),

  /** Changes name and shape, and keeps address and groups. */
  update: (tenant: Tenant, rows: ReadonlyArray<StoredImport>, now: number) =>
    // Before a table is analyzed, PostgreSQL expects one row of a tenant and plans a nested loop.
    run(
      sql`SELECT set_config('enable_nestloop', 'off', true)`.pipe(
        Effect.andThen(
          sql`
            UPDATE location l SET name = sent.name, type = sent.type, latitude = sent.latitude,
              longitude = sent.longitude, radius_meters = sent.radius_meters, rings = sent.rings::jsonb,
              revision = DEFAULT, updated_at = ${instant(now)}
            FROM ${sent(rows)}
            WHERE ${tenantIs("l", tenant)} AND l.id = sent.id`.unprepared,
        ),
        Effect.andThen(sql`SELECT set_config('enable_nestloop', 'on', true)`),
      ),
    ),
})) {}
