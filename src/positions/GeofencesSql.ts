import { Effect } from "effect";
import { statusSql } from "../campaigns/CampaignStatusSql.ts";
import { arrayOf } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { onlyValue } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Geofence } from "./GeofencesApi.ts";
import type { LocationKey } from "../wire/Ids.ts";

/** A geofence without its distance. */
export interface GeofenceRow extends Omit<Geofence, "distance_meters"> {
  readonly key: LocationKey;
}

/** Statements on geofences. Bound: 10,000 locations (plan). */
export class GeofencesSql extends SqlService<GeofencesSql>("waypost/positions/GeofencesSql")((sql) => ({
  /** The keys of all locations that a campaign targets which is active or scheduled at an instant. */
  targeted: (tenant: Tenant, now: number) =>
    onlyValue(sql<{ readonly keys: ReadonlyArray<LocationKey> }>`
      WITH current AS MATERIALIZED (
        SELECT c.id FROM campaign c
        WHERE ${tenantIs("c", tenant)} AND ${statusSql(sql, now, "c")} IN ('active', 'scheduled')
      ), target AS MATERIALIZED (
        SELECT t.location_id FROM current
        JOIN campaign_location t ON ${tenantIs("t", tenant)} AND t.campaign_id = current.id
        UNION
        SELECT m.location_id FROM current
        JOIN campaign_location_group t ON ${tenantIs("t", tenant)} AND t.campaign_id = current.id
        JOIN location_group_member m ON m.group_id = t.group_id AND ${sameTenant("m", "t")}
      )
      SELECT COALESCE(array_agg(l.key), '{}') AS keys FROM target
      JOIN location l ON ${tenantIs("l", tenant)} AND l.id = target.location_id`),

  /** Returns the locations that exist. */
  find: (tenant: Tenant, keys: ReadonlyArray<LocationKey>) =>
    Effect.orDie(sql<GeofenceRow>`
      SELECT l.key, l.id AS location_id, l.name, l.type,
        jsonb_build_object('latitude', l.latitude, 'longitude', l.longitude) AS center, l.radius_meters,
        CASE l.type
          WHEN 'circle' THEN jsonb_build_object(
            'type', 'Point', 'coordinates', jsonb_build_array(l.longitude, l.latitude))
          ELSE jsonb_build_object('type', 'Polygon', 'coordinates', l.rings) END AS geometry
      FROM location l
      WHERE ${tenantIs("l", tenant)} AND l.key = ANY(${arrayOf("int4", keys)})`),
})) {}
