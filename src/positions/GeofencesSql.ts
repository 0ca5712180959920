import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { statusSql } from "../campaigns/CampaignStatusSql.ts";
import { arrayOf, onlyRow } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Geofence } from "./GeofencesApi.ts";

/** A location as a device watches it; who asks knows how far it is. */
export interface GeofenceRow extends Omit<Geofence, "distance_meters"> {
  readonly key: number;
}

/** Every statement on what devices watch. */
export class GeofencesSql extends Context.Service<GeofencesSql>()("waypost/events/GeofencesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    return {
      /** The numbers of all locations that a campaign targets which is active or scheduled at an instant. */
      targeted: ({ environment, workspaceId }: Tenant, now: number) =>
        Effect.map(
          onlyRow(sql<{ readonly numbers: ReadonlyArray<number> }>`
            WITH current AS MATERIALIZED (
              SELECT c.id FROM campaign c
              WHERE c.workspace_id = ${workspaceId} AND c.environment = ${environment}
                AND ${statusSql(sql, now, "c")} IN ('active', 'scheduled')
            ), target AS MATERIALIZED (
              SELECT t.location_id FROM current
              JOIN campaign_location t ON t.workspace_id = ${workspaceId} AND t.environment = ${environment}
                AND t.campaign_id = current.id
              UNION
              SELECT m.location_id FROM current
              JOIN campaign_location_group t ON t.workspace_id = ${workspaceId} AND t.environment = ${environment}
                AND t.campaign_id = current.id
              JOIN location_group_member m ON m.group_id = t.group_id AND m.workspace_id = t.workspace_id
                AND m.environment = t.environment
            )
            SELECT COALESCE(array_agg(l.key), '{}') AS numbers FROM target
            JOIN location l ON l.workspace_id = ${workspaceId} AND l.environment = ${environment}
              AND l.id = target.location_id`),
          ({ numbers }) => numbers,
        ),

      /** Those of the locations that are there. */
      find: ({ environment, workspaceId }: Tenant, numbers: ReadonlyArray<number>) =>
        Effect.orDie(sql<GeofenceRow>`
          SELECT l.key, l.id AS location_id, l.name, l.type,
            jsonb_build_object('latitude', l.latitude, 'longitude', l.longitude) AS center, l.radius_meters,
            CASE l.type
              WHEN 'circle' THEN jsonb_build_object('type', 'Point', 'coordinates', jsonb_build_array(l.longitude, l.latitude))
              ELSE jsonb_build_object('type', 'Polygon', 'coordinates', l.rings) END AS geometry
          FROM location l
          WHERE l.workspace_id = ${workspaceId} AND l.environment = ${environment}
            AND l.key = ANY(${arrayOf("int4", numbers)})`),
    };
  }),
}) {
  static readonly layer = Layer.effect(GeofencesSql, GeofencesSql.make);
}
