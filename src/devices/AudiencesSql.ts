import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, onlyRow } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Audience } from "./SegmentRule.ts";
import { isReachableSql } from "./ObstacleSql.ts";
import { audienceSql } from "./SegmentRuleSql.ts";

/** Blocks of device keys that are spread evenly over all keys. */
interface KeyBlocks {
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

/** The statements that count devices of an audience. */
export class AudiencesSql extends Context.Service<AudiencesSql>()("waypost/devices/AudiencesSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The highest key of a device: at least as many as there are devices. */
    lastKey: (tenant: TenantKey) =>
      Effect.map(
        onlyRow(sql<{ readonly key: number }>`
          SELECT t.last_device_key AS key FROM tenant t WHERE ${tenantIs("t", tenant)}`),
        ({ key }) => key,
      ),

    /** Counts registered devices; of a sample, those of its blocks alone, by the primary key. */
    count: (tenant: TenantKey, audience: Audience, sample: KeyBlocks | null) => {
      const counted = (more: ReturnType<typeof audienceSql>) => sql`
        SELECT count(*) AS devices, count(*) FILTER (WHERE ${isReachableSql(sql, "d")}) AS reachable
        FROM device d
        WHERE ${tenantIs("d", tenant)} AND d.unregistered_at IS NULL
          AND (${audienceSql(sql, audience, "d")}) ${more}`;
      if (sample === null) {
        return onlyRow(sql<AudienceCount>`
          SELECT ${asNumber("devices")} AS devices, ${asNumber("reachable")} AS reachable
          FROM (${counted(sql``)}) AS all_devices`);
      }
      const { keys, size } = sample;
      const stride = Math.floor(keys / sample.blocks);
      // The offset differs from block to block, so that nothing periodic in the keys decides.
      const first = sql`(b * ${stride}::int + b * 7919 % ${stride - size + 1}::int)`;
      return onlyRow(sql<AudienceCount>`
        SELECT ${asNumber("sum(c.devices)")} AS devices, ${asNumber("sum(c.reachable)")} AS reachable
        FROM generate_series(0, ${sample.blocks - 1}::int) AS b,
        LATERAL (${counted(sql`AND d.key > ${first} AND d.key <= ${first} + ${size}::int`)}) AS c`);
    },
  })),
}) {
  static readonly layer = Layer.effect(AudiencesSql, AudiencesSql.make);
}
