import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { run } from "../../database/Statements.ts";
import { workspaceStatements, inWorkspace } from "../../database/WorkspaceGroups.ts";
import { inTenant, tenantIs } from "../../database/TenantColumns.ts";
import { deviceDeltasSql } from "../../deltas/DeltasSql.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { Device } from "../Device.ts";
import { deviceColumns } from "../DeviceColumnsSql.ts";
import type { ImportedDevice } from "./ImportedDevice.ts";

/** A device that is registered already. */
export interface KnownDevice {
  readonly key: number;
  readonly id: string;
  readonly installation_id: string;
  readonly user_id: string | null;
  readonly unregistered: boolean;
}

/** A device to insert. Nobody knows the token of the digest: registering gives the app one. */
export interface NewDevice {
  readonly given: ImportedDevice;
  readonly id: string;
  readonly userKey: number | null;
  readonly digest: Uint8Array;
}

/** A change of a known device; the digest counts if it had unregistered. */
export interface ChangedDevice {
  readonly given: ImportedDevice;
  readonly key: number;
  readonly userKey: number | null;
  /** Whether the row changes the person. */
  readonly hasUser: boolean;
  /** Whether it had unregistered. */
  readonly unregistered: boolean;
  readonly digest: Uint8Array;
}

interface Given {
  readonly given: ImportedDevice;
  readonly userKey: number | null;
}

const givenColumns = {
  platform: ["text", ({ given }: Given) => given.platform ?? null],
  transport: ["text", ({ given }: Given) => given.push?.transport ?? null],
  address: ["jsonb", ({ given }: Given) => given.push?.address ?? null],
  attributes: ["jsonb", ({ given }: Given) => given.attributes ?? null],
  locale: ["text", ({ given }: Given) => given.locale ?? null],
  timezone: ["text", ({ given }: Given) => given.timezone ?? null],
  user_id: ["text", ({ given }: Given) => given.userId ?? null],
  user_key: ["int4", ({ userKey }: Given) => userKey],
} as const;

/**
 * The statements that import devices. Those that find rows are unprepared and find each row by itself
 * (`LATERAL`), by its selecting column alone (`OFFSET 0`): as long as the statistics know no device of the
 * tenant, PostgreSQL would otherwise read all its devices for each row. Bound: 2,000 rows of a batch.
 */
export class DeviceImportsSql extends Context.Service<DeviceImportsSql>()(
  "waypost/devices/import/DeviceImportsSql",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Locks the devices of installations, in the order of their keys. */
      lockKnown: (tenant: Tenant, installationIds: ReadonlyArray<string>) =>
        workspaceStatements(sql).byWorkspace([tenant])(
          () => sql<KnownDevice>`
            SELECT d.key, d.id, d.installation_id, d.user_id, d.unregistered
            FROM (
              SELECT f.key FROM unnest(${arrayOf("text", installationIds)}) AS g (installation_id)
              CROSS JOIN LATERAL (
                SELECT f.workspace_id, f.environment, f.key FROM device f
                WHERE ${inWorkspace("f")} AND f.installation_id = g.installation_id OFFSET 0
              ) AS f
              WHERE ${tenantIs("f", tenant)}
              ORDER BY f.key
            ) AS k
            CROSS JOIN LATERAL (
              SELECT d.key, d.id, d.installation_id, d.user_id, d.unregistered_at IS NOT NULL AS unregistered
              FROM device d
              WHERE ${tenantIs("d", tenant)} AND d.key = k.key
              FOR NO KEY UPDATE
            ) AS d`,
          ({ unprepared }) => unprepared,
        ),

      /**
       * The keys of people, locked until the transaction ends; new people get one. A person that another
       * transaction adds meanwhile is left out.
       */
      userKeys: (tenant: Tenant, userIds: ReadonlyArray<string>) =>
        Effect.orDie(
          sql<{ readonly key: number; readonly user_id: string }>`
            WITH given AS (
              SELECT g.user_id FROM unnest(${arrayOf("text", userIds)}) AS g (user_id) ORDER BY g.user_id
            ), known AS (
              SELECT u.key, u.user_id FROM given g
              CROSS JOIN LATERAL (
                SELECT f.workspace_id, f.environment, f.key FROM device_user f
                WHERE f.user_id = g.user_id OFFSET 0
              ) AS f
              CROSS JOIN LATERAL (
                SELECT u.key, u.user_id FROM device_user u
                WHERE ${tenantIs("u", tenant)} AND u.key = f.key
                FOR KEY SHARE
              ) AS u
              WHERE ${tenantIs("f", tenant)}
            ), added AS (
              INSERT INTO device_user (workspace_id, environment, user_id)
              SELECT ${tenant.workspaceId}, ${tenant.environment}, g.user_id FROM given g
              WHERE g.user_id NOT IN (SELECT user_id FROM known)
              ON CONFLICT DO NOTHING RETURNING key, user_id
            )
            SELECT key, user_id FROM known UNION ALL SELECT key, user_id FROM added`.unprepared,
        ),

      /** The event types that active webhooks listen to. */
      webhookEvents: (tenant: Tenant) =>
        Effect.map(
          Effect.orDie(sql<{ readonly webhook_events: ReadonlyArray<string> }>`
            SELECT webhook_events FROM tenant WHERE ${inTenant(tenant)}`),
          ([row]) => row?.webhook_events ?? [],
        ),

      /** Inserts devices with the next keys. No row for an installation that was registered concurrently. */
      insert: (tenant: Tenant, devices: ReadonlyArray<NewDevice>, now: number) =>
        Effect.orDie(sql<Pick<KnownDevice, "id" | "installation_id">>`
          WITH numbered AS (
            UPDATE tenant SET last_device_key = last_device_key + ${devices.length}::int
            WHERE ${inTenant(tenant)} RETURNING last_device_key
          ), created AS (
          INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
            address, attributes, locale, timezone, user_id, user_key, token_digest, registered_at,
            last_seen_at)
          SELECT ${tenant.workspaceId}, ${tenant.environment},
            n.last_device_key - ${devices.length}::int + g.ord::int, g.id, g.installation_id, g.platform,
            COALESCE(g.transport, 'inbox'), g.address, COALESCE(g.attributes, '{}'), g.locale,
            g.timezone, g.user_id, g.user_key, g.digest, ${instant(now)}, ${instant(now)}
          FROM numbered n, ${unnested("g", devices, {
            id: ["uuid", ({ id }: NewDevice) => id],
            installation_id: ["text", ({ given }: NewDevice) => given.installationId],
            ...givenColumns,
            digest: ["bytea", ({ digest }: NewDevice) => digest],
          })}
          ON CONFLICT (workspace_id, environment, installation_id) DO NOTHING
          RETURNING workspace_id, environment, id, installation_id
          ), ${deviceDeltasSql(sql, sql`SELECT workspace_id, environment, 1 AS change FROM created`)}
          SELECT id, installation_id FROM created`),

      /** Devices as events show them. */
      shown: (tenant: Tenant, ids: ReadonlyArray<string>) =>
        Effect.orDie(sql<Device>`
          SELECT ${deviceColumns(sql)} FROM device
          WHERE ${inTenant(tenant)} AND id = ANY (${arrayOf("uuid", ids)})`),

      /**
       * Changes what the rows give. A device that had unregistered is registered again. The devices must be
       * locked. Their keys as an array keep the planner on the primary key.
       */
      update: (tenant: Tenant, devices: ReadonlyArray<ChangedDevice>, now: number) => {
        const returning = devices.filter(({ unregistered }) => unregistered).length;
        const counted = sql`WITH ${deviceDeltasSql(
          sql,
          sql`SELECT ${tenant.workspaceId}::int AS workspace_id, ${tenant.environment}::text AS environment,
            ${returning}::int AS change`,
        )}`;
        return run(
          sql`
          ${returning === 0 ? sql`` : counted}
          UPDATE device d SET platform = COALESCE(g.platform, d.platform),
            transport = COALESCE(g.transport, d.transport),
            address = CASE WHEN g.transport IS NULL THEN d.address ELSE g.address END,
            address_version = d.address_version + (g.transport IS NOT NULL)::int,
            address_gone_at = CASE WHEN g.transport IS NULL THEN d.address_gone_at END,
            attributes = COALESCE(g.attributes, d.attributes),
            locale = CASE WHEN g.has_locale THEN g.locale ELSE d.locale END,
            timezone = CASE WHEN g.has_timezone THEN g.timezone ELSE d.timezone END,
            user_id = CASE WHEN g.has_user THEN g.user_id ELSE d.user_id END,
            user_key = CASE WHEN g.has_user THEN g.user_key ELSE d.user_key END,
            token_digest = CASE WHEN d.unregistered_at IS NULL THEN d.token_digest ELSE g.digest END,
            token_used = d.unregistered_at IS NULL AND d.token_used,
            registered_at = CASE WHEN d.unregistered_at IS NULL THEN d.registered_at ELSE ${instant(now)} END,
            unregistered_at = NULL
          FROM ${unnested("g", devices, {
            key: ["int4", ({ key }: ChangedDevice) => key],
            ...givenColumns,
            has_locale: ["bool", ({ given }: ChangedDevice) => given.locale !== undefined],
            has_timezone: ["bool", ({ given }: ChangedDevice) => given.timezone !== undefined],
            has_user: ["bool", ({ hasUser }: ChangedDevice) => hasUser],
            digest: ["bytea", ({ digest }: ChangedDevice) => digest],
          })}
          WHERE ${tenantIs("d", tenant)} AND d.key = g.key
            AND d.key = ANY (${arrayOf(
              "int4",
              devices.map(({ key }) => key),
            )})`.unprepared,
        );
      },
    })),
  },
) {
  static readonly layer = Layer.effect(DeviceImportsSql, DeviceImportsSql.make);
}
