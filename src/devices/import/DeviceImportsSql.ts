import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { run } from "../../database/Statements.ts";
import { inTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { Device } from "../Device.ts";
import { deviceColumns } from "../DeviceColumnsSql.ts";
import type { ImportedDevice } from "./ImportedDevice.ts";

/** A device that is registered already. */
export interface KnownDevice {
  readonly key: number;
  readonly id: string;
  readonly installation_id: string;
}

/** A device to insert. Nobody knows the token of the digest: registering gives the app one. */
export interface NewDevice extends ImportedDevice {
  readonly id: string;
  readonly digest: Uint8Array;
}

/** A change of a known device; the digest counts if it had unregistered. */
export interface ChangedDevice extends ImportedDevice {
  readonly key: number;
  readonly digest: Uint8Array;
}

const givenColumns = {
  platform: ["text", ({ platform }: ImportedDevice) => platform ?? null],
  transport: ["text", ({ push }: ImportedDevice) => push?.transport ?? null],
  address: ["jsonb", ({ push }: ImportedDevice) => push?.address ?? null],
  attributes: ["jsonb", ({ attributes }: ImportedDevice) => attributes ?? null],
  locale: ["text", ({ locale }: ImportedDevice) => locale ?? null],
  timezone: ["text", ({ timezone }: ImportedDevice) => timezone ?? null],
  user_id: ["text", ({ userId }: ImportedDevice) => userId ?? null],
} as const;

/** The statements that import devices. */
export class DeviceImportsSql extends Context.Service<DeviceImportsSql>()(
  "waypost/devices/import/DeviceImportsSql",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Locks the devices of installations, in the order of their keys. */
      lockKnown: (tenant: Tenant, installationIds: ReadonlyArray<string>) =>
        Effect.orDie(sql<KnownDevice>`
          SELECT d.key, d.id, d.installation_id FROM device d
          WHERE ${tenantIs("d", tenant)} AND d.installation_id = ANY (${arrayOf("text", installationIds)})
          ORDER BY d.key FOR NO KEY UPDATE`),

      /** The event types that active webhooks listen to. */
      webhookEvents: (tenant: Tenant) =>
        Effect.map(
          Effect.orDie(sql<{ readonly webhook_events: ReadonlyArray<string> }>`
            SELECT webhook_events FROM tenant WHERE ${inTenant(tenant)}`),
          ([row]) => row?.webhook_events ?? [],
        ),

      /** Inserts devices with the next keys. No row for an installation that was registered concurrently. */
      insert: (tenant: Tenant, devices: ReadonlyArray<NewDevice>, isApproved: boolean, now: number) =>
        Effect.orDie(sql<Pick<KnownDevice, "id" | "installation_id">>`
          WITH numbered AS (
            UPDATE tenant SET last_device_key = last_device_key + ${devices.length}::int
            WHERE ${inTenant(tenant)} RETURNING last_device_key
          )
          INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
            address, approved, attributes, locale, timezone, user_id, token_digest, registered_at,
            last_seen_at)
          SELECT ${tenant.workspaceId}, ${tenant.environment},
            n.last_device_key - ${devices.length}::int + g.ord::int, g.id, g.installation_id, g.platform,
            COALESCE(g.transport, 'inbox'), g.address, ${isApproved}, COALESCE(g.attributes, '{}'), g.locale,
            g.timezone, g.user_id, g.digest, ${instant(now)}, ${instant(now)}
          FROM numbered n, ${unnested("g", devices, {
            id: ["uuid", ({ id }: NewDevice) => id],
            installation_id: ["text", ({ installationId }) => installationId],
            ...givenColumns,
            digest: ["bytea", ({ digest }) => digest],
          })}
          ON CONFLICT (workspace_id, environment, installation_id) DO NOTHING
          RETURNING id, installation_id`),

      /** Devices as events show them. */
      shown: (tenant: Tenant, ids: ReadonlyArray<string>) =>
        Effect.orDie(sql<Device>`
          SELECT ${deviceColumns(sql)} FROM device
          WHERE ${inTenant(tenant)} AND id = ANY (${arrayOf("uuid", ids)})`),

      /** Changes what the rows give. A device that had unregistered is registered again. */
      update: (tenant: Tenant, devices: ReadonlyArray<ChangedDevice>, now: number) =>
        run(sql`
          UPDATE device d SET platform = COALESCE(g.platform, d.platform),
            transport = COALESCE(g.transport, d.transport),
            address = CASE WHEN g.transport IS NULL THEN d.address ELSE g.address END,
            address_version = d.address_version + (g.transport IS NOT NULL)::int,
            address_gone_at = CASE WHEN g.transport IS NULL THEN d.address_gone_at END,
            attributes = COALESCE(g.attributes, d.attributes),
            locale = CASE WHEN g.has_locale THEN g.locale ELSE d.locale END,
            timezone = CASE WHEN g.has_timezone THEN g.timezone ELSE d.timezone END,
            user_id = CASE WHEN g.has_user THEN g.user_id ELSE d.user_id END,
            token_digest = CASE WHEN d.unregistered_at IS NULL THEN d.token_digest ELSE g.digest END,
            token_used = d.unregistered_at IS NULL AND d.token_used,
            registered_at = CASE WHEN d.unregistered_at IS NULL THEN d.registered_at ELSE ${instant(now)} END,
            unregistered_at = NULL
          FROM ${unnested("g", devices, {
            key: ["int4", ({ key }: ChangedDevice) => key],
            ...givenColumns,
            has_locale: ["bool", ({ locale }) => locale !== undefined],
            has_timezone: ["bool", ({ timezone }) => timezone !== undefined],
            has_user: ["bool", ({ userId }) => userId !== undefined],
            digest: ["bytea", ({ digest }) => digest],
          })}
          WHERE ${tenantIs("d", tenant)} AND d.key = g.key`),
    })),
  },
) {
  static readonly layer = Layer.effect(DeviceImportsSql, DeviceImportsSql.make);
}
