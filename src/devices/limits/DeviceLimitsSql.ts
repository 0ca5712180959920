import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant, unnested } from "../../database/Rows.ts";
import { rowCount } from "../../database/Statements.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The length of a window, in milliseconds. */
export const minuteMillis = 60_000;

/** Whether a minute is open; one that opened over a minute later is not: the clock was set back since. */
export const isOpenAt = (opened: number, now: number): boolean =>
  opened > now - minuteMillis && opened <= now + minuteMillis;

/** A minute of what is counted of a device, with its count. `opened` is in epoch milliseconds. */
export interface StoredMinute {
  /** Names workspace, environment, device and what is counted, with slashes between. */
  readonly key: string;
  readonly opened: number;
  readonly used: number;
}

/** A count for a minute, which opens at `opened` (epoch milliseconds) unless one is open. */
export interface AddedCount extends TenantKey, Pick<StoredMinute, "key" | "opened"> {
  readonly deviceKey: DeviceKey;
  readonly counted: "requests" | "events";
  readonly count: number;
}

/** The statements on the minutes of devices. */
export class DeviceLimitsSql extends Context.Service<DeviceLimitsSql>()("waypost/devices/DeviceLimitsSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const isOpen = (now: number) => sql`
      r.opened > ${instant(now - minuteMillis)} AND r.opened <= ${instant(now + minuteMillis)}`;
    return {
      /** Adds counts, and gives the minutes that they are of. */
      add: (counts: ReadonlyArray<AddedCount>, now: number) =>
        Effect.orDie(sql<StoredMinute>`
          INSERT INTO device_rate AS r (workspace_id, environment, device_key, counted, opened, used)
          SELECT workspace_id, environment, device_key, counted, min(opened), sum(used)::int
          FROM ${unnested("c", counts, {
            workspace_id: ["int4", ({ workspaceId }) => workspaceId],
            environment: ["text", ({ environment }) => environment],
            device_key: ["int4", ({ deviceKey }) => deviceKey],
            counted: ["text", ({ counted }) => counted],
            opened: ["timestamptz", ({ opened }) => opened],
            used: ["int4", ({ count }) => count],
          })}
          GROUP BY workspace_id, environment, device_key, counted
          ORDER BY workspace_id, environment, device_key, counted
          ON CONFLICT (workspace_id, environment, device_key, counted) DO UPDATE SET
            opened = CASE WHEN ${isOpen(now)} THEN r.opened ELSE excluded.opened END,
            used = CASE WHEN ${isOpen(now)} THEN r.used ELSE 0 END + excluded.used
          RETURNING concat_ws('/', workspace_id, environment, device_key, counted) AS key,
            ${epochMillis("opened")} AS opened, used`),

      /** Deletes at most `limit` minutes that opened at `before` or earlier; gives how many. */
      prune: (before: number, limit: number) =>
        rowCount(sql`
          DELETE FROM device_rate WHERE (workspace_id, environment, device_key, counted) IN (
            SELECT workspace_id, environment, device_key, counted FROM device_rate
            WHERE opened <= ${instant(before)} ORDER BY opened LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING device_key`),
    };
  }),
}) {
  static readonly layer = Layer.effect(DeviceLimitsSql, DeviceLimitsSql.make);
}
