import type { SqlClient, Statement } from "effect/sql";
import { tenantColumns } from "../database/TenantColumns.ts";
import { inWorkspace, lockedSql, table } from "../database/WorkspaceGroups.ts";
import type { DeviceObstacle } from "../devices/Obstacle.ts";
import { deviceObstacleSql } from "../devices/ObstacleSql.ts";
import type { Transport } from "../devices/PushAddress.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { DeviceKey } from "../wire/Ids.ts";

/** A registered device that is locked until the transaction ends. */
export interface LockedDevice {
  readonly transport: Transport;
  readonly obstacle: DeviceObstacle | null;
  readonly timezone: TimeZoneName | null;
  /** The person behind the device, by id and key; null for none. */
  readonly user_id: string | null;
  readonly user_key: number | null;
}

/** The result of storing an event (`ord`, from 1), with its device. */
export interface StoredRow extends LockedDevice {
  readonly ord: number;
  readonly is_new: boolean;
}

/** The columns of the key of a device. */
export const deviceColumns = {
  ...tenantColumns,
  device_key: ["int4", ({ deviceKey }: { readonly deviceKey: DeviceKey }) => deviceKey],
} as const;

/**
 * Query: the registered devices of rows, locked until the transaction ends, always in the same order.
 * Bound: 50,000 devices, 100 of each of 500 events.
 */
export const lockedDevicesSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment =>
  lockedSql(
    sql,
    sql`
    SELECT d.workspace_id, d.environment, d.key AS device_key, d.id AS device_id, d.transport, d.timezone,
      d.user_id, d.user_key, d.registered_at, ${deviceObstacleSql(sql, "d")} AS obstacle
    FROM ${table.device} d
    WHERE ${inWorkspace("d")}
      AND (d.workspace_id, d.environment, d.key) IN (
        SELECT workspace_id, environment, device_key FROM ${rows})
      AND d.unregistered_at IS NULL
    ORDER BY d.workspace_id, d.environment, d.key
    FOR NO KEY UPDATE OF d`,
  );
