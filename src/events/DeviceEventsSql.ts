import { Effect } from "effect";
import { utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { DeviceEvent } from "./DeviceEventsApi.ts";
import type { DeviceKey } from "../wire/Ids.ts";

/** The statement that lists the events of a device. */
export class DeviceEventsSql extends SqlService<DeviceEventsSql>("waypost/events/DeviceEventsSql")((sql) => {
  return {
    /**
     * Newest first. The device's events are materialized by the primary key first; otherwise the planner
     * may scan those of all devices. Without the event `before`, which was compacted, no older one is left.
     */
    page: (tenant: Tenant, deviceKey: DeviceKey, { before, limit }: PagePosition) =>
      Effect.orDie(sql<DeviceEvent>`
        WITH own AS MATERIALIZED (
          SELECT e.* FROM geofence_event e WHERE ${tenantIs("e", tenant)} AND e.device_key = ${deviceKey}
        )
        SELECT e.id, e.type, COALESCE(l.id, g.id) AS location_id, l.name AS location_name,
          ${utc("e.occurred_at")} AS occurred_at, ${utc("e.received_at")} AS received_at
        FROM own e
        LEFT JOIN location l ON ${sameTenant("l", "e")} AND l.key = e.location_key
        LEFT JOIN deleted_location g ON ${sameTenant("g", "e")} AND g.key = e.location_key
        WHERE ${before}::uuid IS NULL OR (e.occurred_at, e.id) < (
          SELECT b.occurred_at, b.id FROM own b WHERE b.id = ${before}::uuid)
        ORDER BY e.occurred_at DESC, e.id DESC LIMIT ${limit}`),
  };
}) {}
