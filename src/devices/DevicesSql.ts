import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, instant, jsonb, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Attributes } from "./Attributes.ts";
import type { Device, Platform } from "./Device.ts";
import type { DeviceTokenClaims } from "./DeviceToken.ts";
import type { Transport } from "./PushAddress.ts";

/** What decides whether a device's token is good. */
export interface DeviceGrant {
  readonly ord: number;
  readonly id: string;
  readonly token_digest: Uint8Array;
  readonly token_used: boolean;
  readonly unregistered: boolean;
  readonly last_seen_ms: number;
  readonly locations_version: number;
}

/** A device that is held for a change. */
export interface HeldDevice {
  readonly key: number;
  readonly token_digest: Uint8Array;
  readonly token_used: boolean;
  readonly unregistered: boolean;
  readonly attributes: Attributes;
}

/** What a registration writes; it replaces all of an earlier one. */
export interface RegistrationRow {
  readonly platform: Platform;
  readonly transport: Transport;
  readonly address: object | null;
  readonly attributes: Attributes;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly app_version: string | null;
}

/** A token that begins: its digest, and nobody has used it. Null keeps the one there is, which is in use. */
export type NewDigest = Uint8Array | null;

/** What a change writes; undefined keeps what is there. */
export interface DeviceChange {
  readonly push?: { readonly transport: Transport; readonly address: object | null } | undefined;
  readonly attributes?: Attributes | undefined;
  readonly locale?: string | null | undefined;
  readonly timezone?: string | null | undefined;
  readonly app_version?: string | null | undefined;
}

/** Every statement on devices. */
export class DevicesSql extends Context.Service<DevicesSql>()("waypost/devices/DevicesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const columns = sql`id, installation_id, platform, transport, address_gone_at IS NOT NULL AS address_gone, approved,
      attributes, locale, timezone, app_version, ${utc("registered_at")} AS registered_at,
      ${utc("last_seen_at")} AS last_seen_at`;
    const held = sql`key, token_digest, token_used, unregistered_at IS NOT NULL AS unregistered, attributes`;
    const tenantIs = ({ environment, workspaceId }: Tenant) =>
      sql`workspace_id = ${workspaceId} AND environment = ${environment}`;

    return {
      /**
       * Of each key in its place (`ord`, from 1) what decides whether its token is good, and how often its tenant's places have
       * changed; unknown keys have no row. Row by row: few devices of many, and no plan that reads a small table through.
       */
      identify: (keys: ReadonlyArray<DeviceTokenClaims>) =>
        Effect.orDie(sql<DeviceGrant>`
          SELECT k.ord::int AS ord, d.id, d.token_digest, d.token_used, d.unregistered_at IS NOT NULL AS unregistered,
            (extract(epoch FROM d.last_seen_at) * 1000)::float8 AS last_seen_ms, ${asNumber("t.locations_version")} AS locations_version
          FROM unnest(
            ${arrayOf(
              "int4",
              keys.map((key) => key.workspaceId),
            )}, ${arrayOf(
              "text",
              keys.map((key) => key.environment),
            )}, ${arrayOf(
              "int4",
              keys.map((key) => key.key),
            )}
          ) WITH ORDINALITY AS k (workspace_id, environment, key, ord)
          CROSS JOIN LATERAL (
            SELECT * FROM device d
            WHERE d.workspace_id = k.workspace_id AND d.environment = k.environment AND d.key = k.key OFFSET 0
          ) AS d
          JOIN tenant t ON t.workspace_id = k.workspace_id AND t.environment = k.environment`),

      /** Notes that a token has been used; no row when it has ended meanwhile. */
      markUsed: ({ environment, key, workspaceId }: DeviceTokenClaims, digest: Uint8Array, now: number) =>
        Effect.orDie(sql`
          UPDATE device SET token_used = true, last_seen_at = ${instant(now)}
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND key = ${key}
            AND token_digest = ${digest} AND unregistered_at IS NULL
          RETURNING key`),

      /** Notes that a device has been seen. */
      touch: ({ environment, key, workspaceId }: DeviceTokenClaims, now: number) =>
        Effect.orDie(sql`
          UPDATE device SET last_seen_at = ${instant(now)}
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND key = ${key}
            AND last_seen_at < ${instant(now)}`),

      /** Holds an installation's device until the end of the transaction. */
      holdInstallation: (tenant: Tenant, installationId: string) =>
        Effect.orDie(sql<HeldDevice>`
          SELECT ${held} FROM device WHERE ${tenantIs(tenant)} AND installation_id = ${installationId} FOR UPDATE`),

      /** Holds a device until the end of the transaction. */
      hold: (tenant: Tenant, key: number) =>
        Effect.orDie(sql<HeldDevice>`
          SELECT ${held} FROM device WHERE ${tenantIs(tenant)} AND key = ${key} FOR UPDATE`),

      /** Adds a device with the next number; no row when its installation has been registered meanwhile. */
      insert: (
        tenant: Tenant,
        device: { readonly id: string; readonly installationId: string; readonly approved: boolean },
        row: RegistrationRow,
        digest: Uint8Array,
        now: number,
      ) =>
        Effect.orDie(sql<Device & { readonly key: number }>`
          WITH numbered AS (
            UPDATE tenant SET last_device_key = last_device_key + 1 WHERE ${tenantIs(tenant)} RETURNING last_device_key
          )
          INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address, approved,
            attributes, locale, timezone, app_version, token_digest, registered_at, last_seen_at)
          SELECT ${tenant.workspaceId}, ${tenant.environment}, last_device_key, ${device.id}, ${device.installationId},
            ${row.platform}, ${row.transport}, ${jsonb(row.address)}, ${device.approved}, ${jsonb(row.attributes)},
            ${row.locale}, ${row.timezone}, ${row.app_version}, ${digest}, ${instant(now)}, ${instant(now)}
          FROM numbered
          ON CONFLICT (workspace_id, environment, installation_id) DO NOTHING
          RETURNING key, ${columns}`),

      /** Registers a held device anew: the address is good again, and one that had unregistered is registered now. */
      replace: (tenant: Tenant, key: number, row: RegistrationRow, digest: NewDigest, now: number) =>
        Effect.orDie(sql<Device>`
          UPDATE device SET platform = ${row.platform}, transport = ${row.transport}, address = ${jsonb(row.address)},
            address_gone_at = NULL, address_version = address_version + 1, attributes = ${jsonb(row.attributes)}, locale = ${row.locale},
            timezone = ${row.timezone}, app_version = ${row.app_version},
            token_digest = COALESCE(${digest}::bytea, token_digest), token_used = ${digest === null},
            registered_at = CASE WHEN unregistered_at IS NULL THEN registered_at ELSE ${instant(now)} END,
            unregistered_at = NULL, last_seen_at = ${instant(now)}
          WHERE ${tenantIs(tenant)} AND key = ${key} RETURNING ${columns}`),

      update: (tenant: Tenant, key: number, change: DeviceChange, now: number) =>
        Effect.orDie(sql<Device>`
          UPDATE device SET
            ${
              change.push === undefined
                ? sql``
                : sql`transport = ${change.push.transport}, address = ${jsonb(change.push.address)}, address_gone_at = NULL,
              address_version = address_version + 1,`
            }
            ${change.attributes === undefined ? sql`` : sql`attributes = ${jsonb(change.attributes)},`}
            ${change.locale === undefined ? sql`` : sql`locale = ${change.locale},`}
            ${change.timezone === undefined ? sql`` : sql`timezone = ${change.timezone},`}
            ${change.app_version === undefined ? sql`` : sql`app_version = ${change.app_version},`}
            last_seen_at = ${instant(now)}
          WHERE ${tenantIs(tenant)} AND key = ${key} RETURNING ${columns}`),

      /** Begins a new token, if the device is registered. */
      rotate: (tenant: Tenant, key: number, digest: Uint8Array) =>
        Effect.orDie(sql<{ readonly key: number }>`
          UPDATE device SET token_digest = ${digest}, token_used = false
          WHERE ${tenantIs(tenant)} AND key = ${key} AND unregistered_at IS NULL RETURNING key`),

      unregister: (tenant: Tenant, key: number, now: number) =>
        Effect.orDie(sql<{ readonly id: string }>`
          UPDATE device SET unregistered_at = COALESCE(unregistered_at, ${instant(now)})
          WHERE ${tenantIs(tenant)} AND key = ${key} RETURNING id`),

      /** Registered devices, newest first. */
      page: (
        tenant: Tenant,
        position: PagePosition,
        filters: { readonly approved?: boolean | undefined; readonly platform?: Platform | undefined },
      ) =>
        Effect.orDie(sql<Device>`
          SELECT ${columns} FROM device
          WHERE ${tenantIs(tenant)} AND unregistered_at IS NULL
            AND (${position.before}::uuid IS NULL OR id < ${position.before})
            AND (${filters.approved ?? null}::boolean IS NULL OR approved = ${filters.approved ?? null})
            AND (${filters.platform ?? null}::text IS NULL OR platform = ${filters.platform ?? null})
          ORDER BY id DESC LIMIT ${position.limit}`),

      setApproved: (tenant: Tenant, id: string, approved: boolean) =>
        Effect.orDie(sql<Device>`
          UPDATE device SET approved = ${approved}
          WHERE ${tenantIs(tenant)} AND id = ${id} AND unregistered_at IS NULL RETURNING ${columns}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(DevicesSql, DevicesSql.make);
}
