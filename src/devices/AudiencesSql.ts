import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { asNumber, onlyRow } from "../database/Rows.ts";
import { onlyValue } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Audience } from "./SegmentRule.ts";
import { isReachableSql } from "./ObstacleSql.ts";
import { audienceSql } from "./SegmentRuleSql.ts";

/** Blocks of device keys that are spread evenly over all keys. */
export interface KeyBlocks {
  readonly blocks: number;
  readonly size: number;
  /** The highest key. */
  readonly keys: number;
}

/** The registered devices of an audience, and those of them that a message would reach. */
export interface AudienceCount {
  readonly devices: number;
  readonly reachable: number;
}

/** The registered devices of an audience in a time zone; null for those without one. */
export interface ZoneCount {
  readonly zone: TimeZoneName | null;
  readonly devices: number;
}

/** The highest key of a device: at least as many as there are devices. */
export const lastDeviceKey =
  (sql: SqlClient.SqlClient) =>
  (tenant: TenantKey): Effect.Effect<number> =>
    onlyValue(sql<{ readonly key: number }>`
      SELECT t.last_device_key AS key FROM tenant t WHERE ${tenantIs("t", tenant)}`);

/**
 * The registered devices of a tenant as the table `d`; those of a sample alone by the primary key. `columns`
 * are computed for each block, so that aggregates of them are.
 */
export const sampledDevices = (
  sql: SqlClient.SqlClient,
  tenant: TenantKey,
  sample: KeyBlocks | null,
  columns: Statement.Fragment,
  condition: Statement.Fragment,
): Statement.Fragment => {
  const rows = (keys: Statement.Fragment) => sql`
    (SELECT ${columns} FROM device d
     WHERE ${tenantIs("d", tenant)} AND d.unregistered_at IS NULL AND (${condition}) ${keys}) AS d`;
  if (sample === null) return rows(sql``);
  const { blocks, keys, size } = sample;
  const stride = Math.floor(keys / blocks);
  // The offset differs from block to block, so that nothing periodic in the keys decides.
  const first = sql`(b * ${stride}::int + b * 7919 % ${stride - size + 1}::int)`;
  return sql`generate_series(0, ${blocks - 1}::int) AS b,
    LATERAL ${rows(sql`AND d.key > ${first} AND d.key <= ${first} + ${size}::int`)}`;
};

/** The statements that count devices of an audience. Bound: 1 row a zone; reads all devices or a sample. */
export class AudiencesSql extends Context.Service<AudiencesSql>()("waypost/devices/AudiencesSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    lastKey: lastDeviceKey(sql),

    /** Counts registered devices, those of a sample alone. */
    count: (tenant: TenantKey, audience: Audience, sample: KeyBlocks | null, now: number) => {
      const isMember = audienceSql(sql, audience, "d", { tenant, now });
      const counts = sql`
        count(*) AS devices, count(*) FILTER (WHERE ${isReachableSql(sql, "d")}) AS reachable`;
      return onlyRow(sql<AudienceCount>`
        SELECT ${asNumber("sum(d.devices)")} AS devices, ${asNumber("sum(d.reachable)")} AS reachable
        FROM ${sampledDevices(sql, tenant, sample, counts, isMember)}`);
    },

    /** The same by time zone. */
    zones: (tenant: TenantKey, audience: Audience, sample: KeyBlocks | null, now: number) => {
      const isMember = audienceSql(sql, audience, "d", { tenant, now });
      return Effect.orDie(sql<ZoneCount>`
        SELECT d.timezone AS zone, count(*)::int AS devices
        FROM ${sampledDevices(sql, tenant, sample, sql`d.timezone`, isMember)}
        GROUP BY 1`);
    },
  })),
}) {
  static readonly layer = Layer.effect(AudiencesSql, AudiencesSql.make);
}
