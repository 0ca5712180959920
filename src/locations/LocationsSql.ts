import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationResource } from "./LocationResource.ts";

/** The fields that a change writes; undefined keeps the current value. */
export interface LocationChange {
  readonly name: string | undefined;
  readonly address: string | null | undefined;
  readonly externalId: string | null | undefined;
}

/** SQL statements on single locations and lists of them. */
export class LocationsSql extends Context.Service<LocationsSql>()("waypost/locations/LocationsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const columns = sql`
      l.id, l.name, l.external_id, l.address, l.type,
      CASE l.type
        WHEN 'circle' THEN jsonb_build_object(
          'type', 'Point', 'coordinates', jsonb_build_array(l.longitude, l.latitude))
        ELSE jsonb_build_object('type', 'Polygon', 'coordinates', l.rings) END AS geometry,
      CASE l.type WHEN 'circle' THEN l.radius_meters END AS radius_meters,
      ARRAY (
        SELECT g.name FROM location_group_member m JOIN location_group g
          ON g.workspace_id = m.workspace_id AND g.environment = m.environment AND g.id = m.group_id
        WHERE m.workspace_id = l.workspace_id AND m.environment = l.environment AND m.location_id = l.id
        ORDER BY g.name COLLATE "C") AS groups,
      ${utc("l.created_at")} AS created_at, ${utc("l.updated_at")} AS updated_at`;

    const own = ({ environment, workspaceId }: Tenant) =>
      sql`l.workspace_id = ${workspaceId} AND l.environment = ${environment}`;

    return {
      /** Newest first; `since` in epoch milliseconds, null for no limit. */
      page: (tenant: Tenant, since: number | null, { before, limit }: PagePosition) =>
        Effect.orDie(sql<LocationResource>`
          SELECT ${columns} FROM location l
          WHERE ${own(tenant)} AND (${before}::uuid IS NULL OR l.id < ${before})
            AND (${instant(since)}::timestamptz IS NULL OR l.updated_at >= ${instant(since)})
          ORDER BY l.id DESC LIMIT ${limit}`),

      find: (tenant: Tenant, id: string) =>
        Effect.orDie(
          sql<LocationResource>`SELECT ${columns} FROM location l WHERE ${own(tenant)} AND l.id = ${id}`,
        ),

      /** The location with an external id, if there is one. */
      findByExternalId: (tenant: Tenant, externalId: string) =>
        Effect.orDie(
          sql<{ id: string }>`SELECT id FROM location l WHERE ${own(tenant)} AND external_id = ${externalId}`,
        ),

      update: (tenant: Tenant, id: string, { address, externalId, name }: LocationChange, now: number) =>
        Effect.orDie(sql<LocationResource>`
          UPDATE location l SET
            name = COALESCE(${name ?? null}::text, name),
            address = CASE WHEN ${address !== undefined} THEN ${address ?? null}::text ELSE address END,
            external_id =
              CASE WHEN ${externalId !== undefined} THEN ${externalId ?? null}::text ELSE external_id END,
            updated_at = ${instant(now)}
          WHERE ${own(tenant)} AND l.id = ${id}
          RETURNING ${columns}`),

      /**
       * Deletes a location and removes it from its groups and campaigns. Its groups count as updated. Its id
       * is kept in `deleted_location`, for the events that happened there.
       */
      delete: (tenant: Tenant, id: string, now: number) =>
        Effect.orDie(sql<{ id: string }>`
          WITH left_groups AS (
            UPDATE location_group g SET updated_at = ${instant(now)} FROM location_group_member m
            WHERE m.workspace_id = ${tenant.workspaceId} AND m.environment = ${tenant.environment}
              AND m.location_id = ${id} AND g.workspace_id = m.workspace_id AND g.environment = m.environment
              AND g.id = m.group_id
          ), gone AS (
            DELETE FROM location l WHERE ${own(tenant)} AND l.id = ${id}
            RETURNING l.workspace_id, l.environment, l.key, l.id
          )
          INSERT INTO deleted_location (workspace_id, environment, key, id)
          SELECT workspace_id, environment, key, id FROM gone RETURNING id`),

      /** Which of the ids exist; locks them against deletion until the current transaction ends. */
      hold: (tenant: Tenant, ids: ReadonlyArray<string>) =>
        Effect.orDie(sql<{ id: string }>`
          SELECT l.id FROM location l WHERE ${own(tenant)} AND l.id = ANY(${arrayOf("uuid", ids)})
          FOR KEY SHARE OF l`),
    };
  }),
}) {
  static readonly layer = Layer.effect(LocationsSql, LocationsSql.make);
}
