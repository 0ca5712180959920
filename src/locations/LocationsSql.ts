import { Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, instant, onlyRow, utc } from "../database/Rows.ts";
import { anyRow, columnValues, firstRow, firstValue } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { LocationResource } from "./LocationResource.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type LocationFilters, type LocationPoints, LocationsRepository } from "./LocationsRepository.ts";

/** A condition on a filter's value; none where the filter is not set. */
const given = <A>(value: A | null | undefined, condition: (value: A) => Statement.Fragment) =>
  value === null || value === undefined ? [] : [condition(value)];

/** Every statement on locations, except those of imports and of the location index. Bound: 10,000 (plan). */
export const locationsSql = Layer.effect(
  LocationsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql`
      l.id, l.name, l.external_id, l.address, l.type,
      CASE l.type
        WHEN 'circle' THEN jsonb_build_object(
          'type', 'Point', 'coordinates', jsonb_build_array(l.longitude, l.latitude))
        ELSE jsonb_build_object('type', 'Polygon', 'coordinates', l.rings) END AS geometry,
      CASE l.type WHEN 'circle' THEN l.radius_meters END AS radius_meters,
      ARRAY (
        SELECT g.name FROM location_group_member m JOIN location_group g
          ON ${sameTenant("g", "m")} AND g.id = m.group_id
        WHERE ${sameTenant("m", "l")} AND m.location_id = l.id
        ORDER BY g.name COLLATE "C") AS groups,
      ${utc("l.created_at")} AS created_at, ${utc("l.updated_at")} AS updated_at`;

    const selected = (tenant: Tenant, filters: LocationFilters) =>
      sql.and([
        tenantIs("l", tenant),
        ...given(filters.updatedSince, (since) => sql`l.updated_at >= ${instant(since)}`),
        ...given(filters.externalId, (externalId) => sql`l.external_id = ${externalId}`),
        ...given(filters.search, (pattern) => sql`l.search_name LIKE ${pattern}`),
        ...given(filters.ids, (ids) => sql`l.id = ANY(${arrayOf("uuid", ids)})`),
        ...given(
          filters.group,
          (name) => sql`l.id IN (
            SELECT m.location_id FROM location_group_member m JOIN location_group g
              ON ${sameTenant("g", "m")} AND g.id = m.group_id
            WHERE ${tenantIs("m", tenant)} AND g.name = ${name})`,
        ),
      ]);

    return LocationsRepository.of({
      page: (tenant, filters, { before, limit }) =>
        Effect.orDie(sql<LocationResource>`
          SELECT ${columns} FROM location l
          WHERE ${selected(tenant, filters)} AND (${before}::uuid IS NULL OR l.id < ${before})
          ORDER BY l.id DESC LIMIT ${limit}`),

      points: (tenant, filters) =>
        onlyRow(sql<LocationPoints>`
          SELECT '[' || COALESCE(string_agg(point, ','), '') || ']' AS points, count(*)::integer AS count,
            COALESCE(sum(extract(epoch FROM updated_at)), 0)::text AS version
          FROM (
            SELECT l.updated_at, concat('["', l.id, '",', l.longitude, ',', l.latitude, ',',
              CASE l.type WHEN 'circle' THEN l.radius_meters::text ELSE 'null' END, ']') AS point
            FROM location l WHERE ${selected(tenant, filters)}
            ORDER BY l.id DESC) AS newest_first`),

      find: (tenant, id) =>
        firstRow(sql<LocationResource>`
          SELECT ${columns} FROM location l WHERE ${tenantIs("l", tenant)} AND l.id = ${id}`),

      findByExternalId: (tenant, externalId) =>
        firstValue(sql<{ readonly id: string }>`
          SELECT id FROM location l WHERE ${tenantIs("l", tenant)} AND external_id = ${externalId}`),

      update: (tenant, id, { address, externalId, name }, now) =>
        firstRow(sql<LocationResource>`
          UPDATE location l SET
            name = COALESCE(${name ?? null}::text, name),
            address = CASE WHEN ${address !== undefined} THEN ${address ?? null}::text ELSE address END,
            external_id =
              CASE WHEN ${externalId !== undefined} THEN ${externalId ?? null}::text ELSE external_id END,
            updated_at = ${instant(now)}
          WHERE ${tenantIs("l", tenant)} AND l.id = ${id}
          RETURNING ${columns}`),

      delete: (tenant, id, now) =>
        anyRow(sql`
            WITH left_groups AS (
              UPDATE location_group g SET updated_at = ${instant(now)} FROM location_group_member m
              WHERE ${tenantIs("m", tenant)} AND m.location_id = ${id}
                AND ${sameTenant("g", "m")} AND g.id = m.group_id
            ), gone AS (
              DELETE FROM location l WHERE ${tenantIs("l", tenant)} AND l.id = ${id}
              RETURNING l.workspace_id, l.environment, l.key, l.id
            )
            INSERT INTO deleted_location (workspace_id, environment, key, id)
            SELECT workspace_id, environment, key, id FROM gone RETURNING id`),

      existing: (tenant, ids) =>
        Effect.map(
          columnValues(sql<{ readonly id: string }>`
            SELECT l.id FROM location l
            WHERE ${tenantIs("l", tenant)} AND l.id = ANY(${arrayOf("uuid", ids)})`),
          (existing) => new Set(existing),
        ),
    });
  }),
);
