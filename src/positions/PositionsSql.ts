import type { Statement } from "effect/sql";
import { epochMillis, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../database/TenantColumns.ts";
import { workspaceStatements, lockedSql, ofBatch, table, workspaceIs } from "../database/WorkspaceGroups.ts";
import type {
  BatchDevice,
  DeviceLocation,
  KnownRow,
  LastPosition,
  PositionDevice,
  UnmovedDevice,
} from "./PositionRows.ts";

const deviceColumns = {
  ...tenantColumns,
  device_key: ["int4", (device: PositionDevice) => device.deviceKey],
} as const;

/** Statements on where devices are. Bound: 128 requests of 100 positions, and the locations around them. */
export class PositionsSql extends SqlService<PositionsSql>("waypost/positions/PositionsSql")((sql) => {
  const { byWorkspace, onShard } = workspaceStatements(sql);

  /** Condition: a row belongs to the device `k`. */
  const isOfDevice = (alias: string) =>
    sql`${workspaceIs(alias, "k")} AND ${sql.literal(
      `${alias}.environment = k.environment AND ${alias}.device_key = k.device_key`,
    )}`;
  /** Condition: `d` is the registered device `k` of a workspace. */
  const isRegistered = sql`${workspaceIs("d", "k")} AND d.environment = k.environment
    AND d.key = k.device_key
      AND d.unregistered_at IS NULL`;

  /** Upserts the last positions of `source`, except those that have changed since they were read. */
  const upsertLast = (source: Statement.Fragment) => sql`
    INSERT INTO ${table.device_position} AS f (workspace_id, environment, device_key, recorded_at,
      previous_at)
    ${source}
    ORDER BY workspace_id, environment, device_key
    ON CONFLICT (workspace_id, environment, device_key)
      DO UPDATE SET recorded_at = EXCLUDED.recorded_at, previous_at = EXCLUDED.previous_at
      WHERE f.recorded_at = COALESCE(EXCLUDED.previous_at, '-infinity')
    RETURNING workspace_id, environment, device_key`;

  const upsertRegistered = upsertLast(sql`
    SELECT k.workspace_id, k.environment, k.device_key, k.recorded_at, k.previous_at
    FROM k JOIN ${table.device} d ON ${isRegistered}`);

  const upsertUnmoved = upsertLast(sql`
    SELECT workspace_id, environment, device_key, k.last_at, k.previous_at
    FROM k
    WHERE (k.previous_at IS NULL OR k.previous_at < k.first_at)
      AND k.location_keys::int4[] = ARRAY(
        SELECT p.location_key FROM ${table.device_location} p
        WHERE ${isOfDevice("p")} AND p.inside ORDER BY p.location_key)
      AND EXISTS (SELECT FROM ${table.device} d WHERE ${isRegistered})`);

  /** The rows of `source` (`k`): their presences, and those at the candidates that they are not in. */
  const presences = (source: string, devices: ReadonlyArray<BatchDevice>) => {
    const candidates = devices.flatMap(({ candidates }, index) =>
      Array.from(candidates, (locationKey) => ({ ord: index + 1, locationKey })),
    );
    return sql`
      SELECT k.ord::int, p.location_key, true, ${epochMillis("p.changed_at")}
      FROM ${sql.literal(source)} k CROSS JOIN LATERAL (
        SELECT p.location_key, p.changed_at FROM ${table.device_location} p
        WHERE ${isOfDevice("p")} AND p.inside OFFSET 0
      ) AS p
      UNION ALL
      SELECT k.ord::int, p.location_key, false, ${epochMillis("p.changed_at")}
      FROM ${ofBatch(
        unnested("c", candidates, {
          device_ord: ["int4", ({ ord }) => ord],
          location_key: ["int4", ({ locationKey }) => locationKey],
        }),
      )}
      JOIN ${sql.literal(source)} k ON k.ord = c.device_ord
      CROSS JOIN LATERAL (
        SELECT p.location_key, p.changed_at FROM ${table.device_location} p
        WHERE ${isOfDevice("p")} AND p.location_key = c.location_key AND NOT p.inside OFFSET 0
      ) AS p`;
  };

  return {
    /**
     * Locks devices and their last positions until the transaction ends, always in the same order. An
     * unregistered device has no row. A later statement must read their state: this one sees it as it was
     * before it waited.
     */
    lock: (all: ReadonlyArray<PositionDevice>) =>
      onShard(all)(
        (devices) =>
          sql<{ readonly ord: number }>`
        WITH held AS MATERIALIZED (${lockedSql(
          sql,
          sql`
          SELECT d.workspace_id, d.environment, d.key, k.ord
          FROM ${ofBatch(unnested("k", devices, deviceColumns))}
          JOIN ${table.device} d ON ${isRegistered}
          ORDER BY d.workspace_id, d.environment, d.key
          FOR NO KEY UPDATE OF d`,
        )}
        ), created AS (
          INSERT INTO ${table.device_position} AS f (workspace_id, environment, device_key, recorded_at)
          SELECT workspace_id, environment, key, '-infinity' FROM held
          ORDER BY workspace_id, environment, key
          ON CONFLICT (workspace_id, environment, device_key) DO UPDATE SET recorded_at = f.recorded_at
        )
        SELECT ord::int AS ord FROM held`,
      ),

    /**
     * The last positions of devices, the locations they are in, and their presences at the candidates they
     * are not in. No device may be given twice.
     */
    known: (all: ReadonlyArray<BatchDevice>) =>
      byWorkspace(all)(
        (devices) => sql<KnownRow>`
        WITH k AS MATERIALIZED (SELECT * FROM ${ofBatch(unnested("k", devices, deviceColumns))})
        SELECT k.ord::int AS ord, NULL::int AS location_key, NULL::boolean AS inside,
          ${epochMillis("f.recorded_at")} AS at
        FROM k JOIN device_position f ON ${isOfDevice("f")}
        UNION ALL
        ${presences("k", devices)}`,
      ),

    /**
     * Stores last positions of registered devices, always in the same order. Returns the devices (`ord`,
     * from 1) whose stored position was still the previous one.
     */
    storeLast: (all: ReadonlyArray<LastPosition>) =>
      onShard(all)(
        (positions) =>
          sql<{ readonly ord: number }>`
        WITH k AS MATERIALIZED (
          SELECT * FROM ${ofBatch(
            unnested("k", positions, {
              ...deviceColumns,
              recorded_at: ["timestamptz", ({ lastAt }) => lastAt],
              previous_at: [
                "timestamptz",
                ({ previousAt }) => (previousAt === -Infinity ? null : previousAt),
              ],
            }),
          )}
        ), stored AS (${upsertRegistered})
        SELECT k.ord::int AS ord FROM k JOIN stored USING (workspace_id, environment, device_key)`,
      ),

    /**
     * Stores the last positions of devices whose positions are all newer than the stored one, and in
     * exactly the locations the devices are known to be in: nearly all. For the others it returns what
     * `known` returns, with a row for the last position of each. A single statement without locks: the
     * upsert checks that nothing has changed. Null for a device whose positions must be followed. No device
     * may be given twice.
     */
    storeUnmoved: (all: ReadonlyArray<UnmovedDevice>) =>
      onShard(all)(
        (rows) => sql<KnownRow>`
        WITH k AS MATERIALIZED (
          SELECT k.*, f.recorded_at AS previous_at
          FROM ${ofBatch(
            unnested("k", rows, {
              ...deviceColumns,
              first_at: ["timestamptz", (row) => row.unmoved?.firstAt ?? null],
              last_at: ["timestamptz", (row) => row.unmoved?.lastAt ?? null],
              location_keys: ["text", (row) => row.unmoved && `{${row.unmoved.locationKeys.join()}}`],
            }),
          )}
          LEFT JOIN LATERAL (
            SELECT f.recorded_at FROM ${table.device_position} f WHERE ${isOfDevice("f")} OFFSET 0
          ) AS f ON true
        ), stored AS (${upsertUnmoved}), other AS MATERIALIZED (
          SELECT * FROM k WHERE NOT EXISTS (SELECT FROM stored WHERE ${isOfDevice("stored")})
        )
        SELECT k.ord::int AS ord, NULL::int AS location_key, NULL::boolean AS inside,
          ${epochMillis("NULLIF(k.previous_at, '-infinity')")} AS at
        FROM other k
        UNION ALL
        ${presences("other", rows)}`,
      ),

    /** Deletes presences of locked devices at locations that no longer exist. */
    deleteMissing: (all: ReadonlyArray<DeviceLocation>) =>
      byWorkspace(all)(
        (locations) => sql`
        WITH k AS MATERIALIZED (
          SELECT * FROM ${unnested("k", locations, {
            ...deviceColumns,
            location_key: ["int4", ({ locationKey }) => locationKey],
          })}
          WHERE NOT EXISTS (
            SELECT FROM location l WHERE ${sameTenant("l", "k")} AND l.key = k.location_key
          )
        )
        DELETE FROM device_location p USING k
        WHERE ${isOfDevice("p")} AND p.location_key = k.location_key`,
      ),
  };
}) {}
