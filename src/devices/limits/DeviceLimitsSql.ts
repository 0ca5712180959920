import { Effect } from "effect";
import { epochMillis, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { rowCount } from "../../database/Statements.ts";
import { tenantColumns } from "../../database/TenantColumns.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The length of a window, in milliseconds. */
export const minuteMillis = 60_000;

/** Whether a minute is open; one that opened over a minute later is not: the clock was set back since. */
export const isOpenAt = (opened: number, now: number): boolean =>
  opened > now - minuteMillis && opened <= now + minuteMillis;

/** A count for a minute of a device, which opens at `opened` (epoch milliseconds) unless one is open. */
export interface AddedCount extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly counted: "requests" | "events";
  readonly opened: number;
  readonly count: number;
}

/** The minute of a count, right after it. */
export interface StoredMinute {
  readonly opened: number;
  readonly used: number;
}

/** The statements on the minutes of devices. */
export class DeviceLimitsSql extends SqlService<DeviceLimitsSql>("waypost/devices/DeviceLimitsSql")((sql) => {
  const isOpen = (now: number) => sql`
    r.opened > ${instant(now - minuteMillis)} AND r.opened <= ${instant(now + minuteMillis)}`;
  const keyColumns = sql.literal("workspace_id, environment, device_key, counted");
  return {
    /** Adds counts. Returns the minute of each, in their order. */
    add: (counts: ReadonlyArray<AddedCount>, now: number) =>
      Effect.orDie(sql<StoredMinute>`
        WITH c AS (
          SELECT * FROM ${unnested("c", counts, {
            ...tenantColumns,
            device_key: ["int4", ({ deviceKey }) => deviceKey],
            counted: ["text", ({ counted }) => counted],
            opened: ["timestamptz", ({ opened }) => opened],
            used: ["int4", ({ count }) => count],
          })}
        ), stored AS (
          INSERT INTO device_rate AS r (${keyColumns}, opened, used)
          SELECT ${keyColumns}, min(opened), sum(used)::int
          FROM c GROUP BY ${keyColumns} ORDER BY ${keyColumns}
          ON CONFLICT (${keyColumns}) DO UPDATE SET
            opened = CASE WHEN ${isOpen(now)} THEN r.opened ELSE excluded.opened END,
            used = CASE WHEN ${isOpen(now)} THEN r.used ELSE 0 END + excluded.used
          RETURNING r.*
        )
        SELECT ${epochMillis("m.opened")} AS opened, (m.used - sum(c.used) OVER (
          PARTITION BY ${keyColumns} ORDER BY c.ord DESC) + c.used)::int AS used
        FROM c JOIN stored m USING (${keyColumns}) ORDER BY c.ord`),

    /** Deletes at most `limit` minutes that opened at `before` or earlier; gives how many. */
    prune: (before: number, limit: number) =>
      rowCount(sql`
        DELETE FROM device_rate WHERE (${keyColumns}) IN (
          SELECT ${keyColumns} FROM device_rate
          WHERE opened <= ${instant(before)} ORDER BY opened LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING device_key`),
  };
}) {}
