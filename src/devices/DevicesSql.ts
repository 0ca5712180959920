import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, jsonb, unnested } from "../database/Rows.ts";
import { anyRow, firstRow, run } from "../database/Statements.ts";
import { inTenant } from "../database/TenantColumns.ts";
import type { DeviceId, DeviceKey } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Attributes } from "./Attributes.ts";
import type { Device } from "./Device.ts";
import { deviceColumns } from "./DeviceColumnsSql.ts";
import type { DeviceTokenClaims } from "./DeviceToken.ts";
import type { Transport } from "./PushAddress.ts";

/**
 * What decides whether a device's token is valid. `ord` is the number of the claims in the statement, from 1.
 */
export interface DeviceGrant {
  readonly ord: number;
  readonly id: DeviceId;
  readonly token_digest: Uint8Array;
  readonly token_used: boolean;
  readonly unregistered: boolean;
  readonly last_seen_ms: number;
  readonly locations_version: number;
  readonly webhook_events: ReadonlyArray<string>;
}

/** A device whose row is locked for a change. */
export interface LockedDevice {
  readonly key: DeviceKey;
  readonly token_digest: Uint8Array;
  readonly token_used: boolean;
  readonly unregistered: boolean;
  readonly subscribed: boolean;
  readonly attributes: Attributes;
}

/** The values of a change; undefined keeps the stored value. */
export interface DeviceChange {
  readonly push?: { readonly transport: Transport; readonly address: object | null } | undefined;
  readonly attributes?: Attributes | undefined;
  readonly locale?: string | null | undefined;
  readonly timezone?: string | null | undefined;
  readonly app_version?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly subscribed?: boolean | undefined;
}

/** The statements that register, authenticate and change devices. */
export class DevicesSql extends Context.Service<DevicesSql>()("waypost/devices/DevicesSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = deviceColumns(sql);
    const lockedColumns = sql`key, token_digest, token_used, unregistered_at IS NOT NULL AS unregistered,
      subscribed, attributes`;

    return {
      /**
       * The grants of these claims; unknown devices have no row. The lateral join reads each device by its
       * primary key and rules out a plan that scans the table while it is small.
       */
      identify: (claims: ReadonlyArray<DeviceTokenClaims>) =>
        Effect.orDie(sql<DeviceGrant>`
          SELECT k.ord::int AS ord, d.id, d.token_digest, d.token_used,
            d.unregistered_at IS NOT NULL AS unregistered,
            (extract(epoch FROM d.last_seen_at) * 1000)::float8 AS last_seen_ms,
            ${asNumber("t.locations_version")} AS locations_version, t.webhook_events
          FROM ${unnested("k", claims, {
            workspace_id: ["int4", ({ workspaceId }) => workspaceId],
            environment: ["text", ({ environment }) => environment],
            key: ["int4", ({ deviceKey }) => deviceKey],
          })}
          CROSS JOIN LATERAL (
            SELECT * FROM device d
            WHERE d.workspace_id = k.workspace_id AND d.environment = k.environment AND d.key = k.key OFFSET 0
          ) AS d
          JOIN tenant t ON t.workspace_id = k.workspace_id AND t.environment = k.environment`),

      /** Marks a token as used; false if it is no longer valid. */
      markUsed: ({ deviceKey, ...tenant }: DeviceTokenClaims, digest: Uint8Array, now: number) =>
        anyRow(sql`
          UPDATE device SET token_used = true, last_seen_at = ${instant(now)}
          WHERE ${inTenant(tenant)} AND key = ${deviceKey} AND token_digest = ${digest}
            AND unregistered_at IS NULL
          RETURNING key`),

      /** Sets `last_seen_at`. */
      touch: ({ deviceKey, ...tenant }: DeviceTokenClaims, now: number) =>
        run(sql`
          UPDATE device SET last_seen_at = ${instant(now)}
          WHERE ${inTenant(tenant)} AND key = ${deviceKey} AND last_seen_at < ${instant(now)}`),

      /** Locks a device until the end of the transaction. */
      lock: (tenant: Tenant, key: DeviceKey) =>
        firstRow(sql<LockedDevice>`
          SELECT ${lockedColumns} FROM device WHERE ${inTenant(tenant)} AND key = ${key} FOR UPDATE`),

      update: (tenant: Tenant, key: DeviceKey, change: DeviceChange, now: number) =>
        firstRow(sql<Device>`
          UPDATE device SET
            ${
              change.push === undefined
                ? sql``
                : sql`transport = ${change.push.transport}, address = ${jsonb(change.push.address)},
                    address_gone_at = NULL, address_version = address_version + 1,`
            }
            ${change.attributes === undefined ? sql`` : sql`attributes = ${jsonb(change.attributes)},`}
            ${change.locale === undefined ? sql`` : sql`locale = ${change.locale},`}
            ${change.timezone === undefined ? sql`` : sql`timezone = ${change.timezone},`}
            ${change.app_version === undefined ? sql`` : sql`app_version = ${change.app_version},`}
            ${change.user_id === undefined ? sql`` : sql`user_id = ${change.user_id},`}
            ${change.subscribed === undefined ? sql`` : sql`subscribed = ${change.subscribed},`}
            last_seen_at = ${instant(now)}
          WHERE ${inTenant(tenant)} AND key = ${key} RETURNING ${columns}`),

      /** Replaces the token; false if the device is not registered. */
      rotate: (tenant: Tenant, key: DeviceKey, digest: Uint8Array) =>
        anyRow(sql`
          UPDATE device SET token_digest = ${digest}, token_used = false
          WHERE ${inTenant(tenant)} AND key = ${key} AND unregistered_at IS NULL RETURNING key`),

      /** Null if the device is not registered. */
      unregister: (tenant: Tenant, key: DeviceKey, now: number) =>
        firstRow(sql<Device>`
          UPDATE device SET unregistered_at = ${instant(now)}
          WHERE ${inTenant(tenant)} AND key = ${key} AND unregistered_at IS NULL RETURNING ${columns}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(DevicesSql, DevicesSql.make);
}
