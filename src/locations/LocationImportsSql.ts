import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, unnested } from "../database/Rows.ts";
import { onlyCount, run } from "../database/Statements.ts";
import { inTenant, tenantIs } from "../database/TenantColumns.ts";
import type { StoredImport } from "./ImportPlan.ts";
import { LocationImportsRepository } from "./LocationImportsRepository.ts";

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
export const locationImportsSql = Layer.effect(
  LocationImportsRepository,
  Effect.map(SqlClient.SqlClient, (sql) =>
    LocationImportsRepository.of({
      known: (tenant, externalIds) =>
        Effect.orDie(
          Effect.map(
            sql<{ readonly id: string; readonly external_id: string }>`
              SELECT id, external_id FROM location
              WHERE ${inTenant(tenant)} AND external_id = ANY(${arrayOf("text", externalIds)})`.unprepared,
            (rows) => new Map(rows.map(({ external_id, id }) => [external_id, id])),
          ),
        ),

      count: (tenant) =>
        onlyCount(sql`SELECT count(*)::integer AS count FROM location WHERE ${inTenant(tenant)}`),

      insert: ({ environment, workspaceId }, rows, now) =>
        run(
          sql`
            INSERT INTO location (workspace_id, environment, id, name, external_id, type, latitude, longitude,
              radius_meters, rings, created_at, updated_at)
            SELECT ${workspaceId}, ${environment}, id, name, external_id, type, latitude, longitude,
              radius_meters, rings::jsonb, ${instant(now)}, ${instant(now)}
            FROM ${sent(rows)}`.unprepared,
        ),

      update: (tenant, rows, now) =>
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

      insertGroups: ({ environment, workspaceId }, idsByName, now) =>
        run(
          sql`
            INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
            SELECT ${workspaceId}, ${environment}, id, name, ${instant(now)}, ${instant(now)}
            FROM ${unnested("sent", [...idsByName], {
              id: ["uuid", ([, id]) => id],
              name: ["text", ([name]) => name],
            })}`.unprepared,
        ),

      leave: (tenant, locationId, keptGroupIds, now) =>
        run(sql`
          WITH gone AS (
            DELETE FROM location_group_member
            WHERE ${inTenant(tenant)} AND location_id = ${locationId}
              AND group_id <> ALL(${arrayOf("uuid", keptGroupIds)})
            RETURNING group_id
          )
          UPDATE location_group SET updated_at = ${instant(now)}
          WHERE ${inTenant(tenant)} AND id IN (SELECT group_id FROM gone)`),

      join: (tenant, members, now) =>
        run(
          Effect.flatMap(
            sql<{ readonly group_id: string }>`
              WITH added AS (
                INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
                SELECT ${tenant.workspaceId}, ${tenant.environment}, group_id, location_id
                FROM ${unnested("sent", members, {
                  group_id: ["uuid", ({ groupId }) => groupId],
                  location_id: ["uuid", ({ locationId }) => locationId],
                })}
                ON CONFLICT DO NOTHING
                RETURNING group_id
              )
              SELECT DISTINCT group_id FROM added`.unprepared,
            (grown) => {
              const ids = grown.map(({ group_id }) => group_id);
              return sql`
                UPDATE location_group SET updated_at = ${instant(now)}
                WHERE ${inTenant(tenant)} AND id = ANY(${arrayOf("uuid", ids)})`.unprepared;
            },
          ),
        ),
    }),
  ),
);
