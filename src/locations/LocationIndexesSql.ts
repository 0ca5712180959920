import { Effect } from "effect";
import { arrayOf, asNumber, onlyRow, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { inTenant, tenantColumns } from "../database/TenantColumns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { StoredLocation } from "./geometry/IndexedLocation.ts";
import type { LocationKey } from "../wire/Ids.ts";

/** The revision of a location, which dates its shape in memory, and the stored size of its rings. */
export interface LocationRevision {
  readonly id: string;
  readonly key: LocationKey;
  readonly revision: number;
  readonly bytes: number;
}

/** SQL statements that read locations for their index. Bound: 10,000 locations (plan). */
export class LocationIndexesSql extends SqlService<LocationIndexesSql>(
  "waypost/locations/LocationIndexesSql",
)((sql) => ({
  /** The versions of the locations of each environment; the version rises with every change. */
  versions: (tenants: ReadonlyArray<TenantKey>) =>
    Effect.orDie(sql<TenantKey & { readonly version: number }>`
      SELECT workspace_id AS "workspaceId", environment, ${asNumber("t.locations_version")} AS version
      FROM ${unnested("k", tenants, tenantColumns)}
      JOIN tenant t USING (workspace_id, environment)`),

  /** Raises the version by one. */
  changed: (tenant: TenantKey) =>
    onlyRow(sql<{ readonly version: number }>`
      UPDATE tenant SET locations_version = locations_version + 1
      WHERE ${inTenant(tenant)}
      RETURNING ${asNumber("locations_version")} AS version`),

  /** A page of locations in the order of their ids, after an id. */
  revisions: (tenant: TenantKey, after: string | null, limit: number) =>
    Effect.orDie(sql<LocationRevision>`
      SELECT id, key, ${asNumber("revision")} AS revision, COALESCE(pg_column_size(rings), 0) AS bytes
      FROM location
      WHERE ${inTenant(tenant)} AND (${after}::uuid IS NULL OR id > ${after})
      ORDER BY id LIMIT ${limit}`),

  /** The shapes of the locations with these ids. */
  shapes: (tenant: TenantKey, ids: ReadonlyArray<string>) =>
    Effect.orDie(sql<StoredLocation>`
      SELECT id, key, ${asNumber("revision")} AS revision, longitude, latitude, radius_meters, rings
      FROM location
      WHERE ${inTenant(tenant)} AND id = ANY(${arrayOf("uuid", ids)})`),
})) {}
