import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, instant, onlyRow, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, firstRow, firstValue, onlyCount, valueSet } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationResource } from "./LocationResource.ts";
import type { LocationSearch } from "./LocationSearch.ts";

/** The values of a change; undefined keeps the stored one. */
export interface LocationChange {
  readonly name: string | undefined;
  readonly address: string | null | undefined;
  readonly externalId: string | null | undefined;
}

/** Which locations a list has; what is left out or null selects all. */
export interface LocationFilters extends Partial<Omit<LocationSearch, "near">> {
  /** Only locations with one of these ids. */
  readonly ids?: ReadonlyArray<string> | null;
}

/** Points of locations (contract CO1), as JSON text, and what changes with every change of them. */
export interface LocationPoints {
  readonly points: string;
  readonly count: number;
  /**
   * The sum of the times of their last changes. The latest of them would stay where a process whose clock is
   * behind, or an import that waited for a lock, changes another location.
   */
  readonly version: string;
}

/** A condition on a filter's value; none where the filter is not set. */
const given = <A>(value: A | null | undefined, condition: (value: A) => Statement.Fragment) =>
  value === null || value === undefined ? [] : [condition(value)];

/** Every statement on locations, except those of imports and of the location index. Bound: 10,000 (plan). */
export class LocationsSql extends SqlService<LocationsSql>("waypost/locations/LocationsSql")((sql) => {
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

  return {
    /** Newest first. */
    page: (tenant: Tenant, filters: LocationFilters, { before, limit }: PagePosition) =>
      Effect.orDie(sql<LocationResource>`
        SELECT ${columns} FROM location l
        WHERE ${selected(tenant, filters)} AND (${before}::uuid IS NULL OR l.id < ${before})
        ORDER BY l.id DESC LIMIT ${limit}`),

    /** The points of all selected locations, newest first. */
    points: (tenant: Tenant, filters: LocationFilters) =>
      onlyRow(sql<LocationPoints>`
        SELECT '[' || COALESCE(string_agg(point, ','), '') || ']' AS points, count(*)::integer AS count,
          COALESCE(sum(extract(epoch FROM updated_at)), 0)::text AS version
        FROM (
          SELECT l.updated_at, concat('["', l.id, '",', l.longitude, ',', l.latitude, ',',
            CASE l.type WHEN 'circle' THEN l.radius_meters::text ELSE 'null' END, ']') AS point
          FROM location l WHERE ${selected(tenant, filters)}
          ORDER BY l.id DESC) AS newest_first`),

    find: (tenant: Tenant, id: string) =>
      firstRow(sql<LocationResource>`
        SELECT ${columns} FROM location l WHERE ${tenantIs("l", tenant)} AND l.id = ${id}`),

    /** The id of the location with this external id. */
    findByExternalId: (tenant: Tenant, externalId: string) =>
      firstValue(sql<{ readonly id: string }>`
        SELECT id FROM location l WHERE ${tenantIs("l", tenant)} AND external_id = ${externalId}`),

    /** Null for an unknown id. */
    update: (tenant: Tenant, id: string, { address, externalId, name }: LocationChange, now: number) =>
      firstRow(sql<LocationResource>`
        UPDATE location l SET
          name = COALESCE(${name ?? null}::text, name),
          address = CASE WHEN ${address !== undefined} THEN ${address ?? null}::text ELSE address END,
          external_id =
            CASE WHEN ${externalId !== undefined} THEN ${externalId ?? null}::text ELSE external_id END,
          updated_at = ${instant(now)}
        WHERE ${tenantIs("l", tenant)} AND l.id = ${id}
        RETURNING ${columns}`),

    /**
     * Deletes a location and removes it from its groups and campaigns; its groups count as updated. Its id
     * stays for the events and deliveries that name its key. False for an unknown id.
     */
    delete: (tenant: Tenant, id: string, now: number) =>
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

    /** Returns the ids that exist. */
    existing: (tenant: Tenant, ids: ReadonlyArray<string>) =>
      valueSet(sql<{ readonly id: string }>`
        SELECT l.id FROM location l
        WHERE ${tenantIs("l", tenant)} AND l.id = ANY(${arrayOf("uuid", ids)})`),

    /** How many locations the environment has. */
    count: (tenant: Tenant) =>
      onlyCount(sql`SELECT count(*)::integer AS count FROM location WHERE ${inTenant(tenant)}`),
  };
}) {}
