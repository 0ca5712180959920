import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, unnested } from "../../database/Rows.ts";
import { inTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { Attributes } from "../Attributes.ts";
import type { Device, Platform } from "../Device.ts";
import { deviceDeltasSql } from "../../deltas/DeltasSql.ts";
import { deviceColumns } from "../DeviceColumnsSql.ts";
import { peopleSql } from "../users/UserKeySql.ts";
import type { Transport } from "../PushAddress.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** The values of a registration, which replace those of an earlier one. */
export interface RegistrationRow {
  readonly installationId: string;
  readonly platform: Platform;
  readonly transport: Transport;
  readonly address: object | null;
  readonly attributes: Attributes;
  readonly locale: string | null;
  readonly timezone: TimeZoneName | null;
  readonly appVersion: string | null;
  readonly userId: string | null;
  /** Null keeps what an earlier registration has; at first a device is subscribed. */
  readonly subscribed: boolean | null;
  /** In epoch milliseconds. */
  readonly now: number;
}

/** A device to insert. */
export interface NewDevice {
  readonly row: RegistrationRow;
  readonly id: string;
  readonly digest: Uint8Array;
}

/** A device that registers again. */
export interface KnownDevice {
  readonly row: RegistrationRow;
  readonly key: DeviceKey;
  /** The digest of a new token, which has not been used; null keeps the token, which is in use. */
  readonly digest: Uint8Array | null;
  /** Whether it had unregistered. */
  readonly unregistered: boolean;
  /** Whether the row has another person than the device. */
  readonly hasOtherUser: boolean;
}

/** The locked device of an installation; `ord` is the number of the installation in the statement. */
export interface LockedInstallation {
  readonly ord: number;
  readonly key: DeviceKey;
  readonly token_digest: Uint8Array;
  readonly token_used: boolean;
  readonly unregistered: boolean;
  readonly subscribed: boolean;
  readonly user_id: string | null;
}

/** A device after its registration; a new one with the event types that active webhooks listen to. */
export interface RegisteredDevice extends Device {
  readonly key: DeviceKey;
  readonly webhook_events?: ReadonlyArray<string>;
}

/** The values of a registration; their names differ from those of the columns that they replace. */
const rowColumns = {
  new_installation: ["text", ({ row }: { readonly row: RegistrationRow }) => row.installationId],
  new_platform: ["text", ({ row }) => row.platform],
  new_transport: ["text", ({ row }) => row.transport],
  new_address: ["jsonb", ({ row }) => row.address],
  new_attributes: ["jsonb", ({ row }) => row.attributes],
  new_locale: ["text", ({ row }) => row.locale],
  new_timezone: ["text", ({ row }) => row.timezone],
  new_version: ["text", ({ row }) => row.appVersion],
  new_user: ["text", ({ row }) => row.userId],
  new_subscribed: ["bool", ({ row }) => row.subscribed],
  seen_at: ["timestamptz", ({ row }) => row.now],
} as const satisfies Parameters<typeof unnested<{ readonly row: RegistrationRow }>>[2];

/** The statements that register devices of one environment, several at a time. Bound: 64 registrations. */
export class RegistrationsSql extends Context.Service<RegistrationsSql>()(
  "waypost/devices/registration/RegistrationsSql",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const columns = deviceColumns(sql);
      /** The people of registrations, if any has one. */
      const peopleOf = (tenant: Tenant, devices: ReadonlyArray<{ readonly row: RegistrationRow }>) => {
        const userIds = devices.flatMap(({ row }) => row.userId ?? []);
        return userIds.length === 0 ? null : peopleSql(sql, tenant, userIds);
      };
      /** The key of the person of the registration `r`. */
      const userKey = (people: Statement.Fragment | null) =>
        people === null ? sql`NULL::int` : sql`(SELECT p.key FROM person p WHERE p.user_id = r.new_user)`;

      return {
        /**
         * Locks the devices of installations until the end of the transaction. Without `waits` it leaves out
         * those that another transaction holds. The lateral join finds each device by its installation.
         */
        lock: (tenant: Tenant, installationIds: ReadonlyArray<string>, waits: boolean) =>
          Effect.orDie(sql<LockedInstallation>`
            SELECT g.ord::int AS ord, d.key, d.token_digest, d.token_used, d.unregistered, d.subscribed,
              d.user_id
            FROM unnest(${arrayOf("text", installationIds)}) WITH ORDINALITY AS g (installation_id, ord)
            CROSS JOIN LATERAL (
              SELECT d.key, d.token_digest, d.token_used, d.unregistered_at IS NOT NULL AS unregistered,
                d.subscribed, d.user_id
              FROM device d WHERE ${tenantIs("d", tenant)} AND d.installation_id = g.installation_id
              FOR UPDATE ${waits ? sql`` : sql`SKIP LOCKED`}
            ) AS d`),

        /** Inserts devices with the next keys. An installation that another process registers has no row. */
        insert: (tenant: Tenant, devices: ReadonlyArray<NewDevice>) => {
          const people = peopleOf(tenant, devices);
          return Effect.orDie(sql<RegisteredDevice>`
            WITH ${people ?? sql``} numbered AS (
              UPDATE tenant SET last_device_key = last_device_key + ${devices.length}::int
              WHERE ${inTenant(tenant)} RETURNING last_device_key, webhook_events
            ), created AS (
            INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
              address, attributes, locale, timezone, app_version, user_id, user_key, subscribed,
              token_digest, registered_at, last_seen_at)
            SELECT ${tenant.workspaceId}, ${tenant.environment},
              n.last_device_key - ${devices.length}::int + r.ord::int, r.new_id, r.new_installation,
              r.new_platform, r.new_transport, r.new_address, r.new_attributes, r.new_locale,
              r.new_timezone, r.new_version, r.new_user, ${userKey(people)},
              COALESCE(r.new_subscribed, true), r.digest,
              r.seen_at, r.seen_at
            FROM numbered n, ${unnested("r", devices, {
              ...rowColumns,
              new_id: ["uuid", ({ id }: NewDevice) => id],
              digest: ["bytea", ({ digest }: NewDevice) => digest],
            })}
            ON CONFLICT (workspace_id, environment, installation_id) DO NOTHING
            RETURNING *
            ), ${deviceDeltasSql(sql, sql`SELECT workspace_id, environment, 1 AS change FROM created`)}
            SELECT key, ${columns}, webhook_events FROM created CROSS JOIN numbered`);
        },

        /**
         * Registers locked devices again: their addresses count as good, and an unregistered device is
         * registered. The list of keys keeps a plan from reading all devices of an environment that the
         * statistics do not know yet.
         */
        replace: (tenant: Tenant, devices: ReadonlyArray<KnownDevice>) => {
          const people = peopleOf(
            tenant,
            devices.filter(({ hasOtherUser }) => hasOtherUser),
          );
          const returning = devices.filter(({ unregistered }) => unregistered).length;
          const counted = sql`, ${deviceDeltasSql(
            sql,
            sql`SELECT ${tenant.workspaceId}::int AS workspace_id, ${tenant.environment}::text AS environment,
              ${returning}::int AS change`,
          )}`;
          return Effect.orDie(sql<RegisteredDevice>`
            WITH ${people ?? sql``} changed AS (
            UPDATE device AS d SET platform = r.new_platform, transport = r.new_transport,
              address = r.new_address, address_gone_at = NULL, address_version = d.address_version + 1,
              attributes = r.new_attributes, locale = r.new_locale, timezone = r.new_timezone,
              app_version = r.new_version, user_id = r.new_user,
              user_key = CASE WHEN r.has_other_user THEN ${userKey(people)} ELSE d.user_key END,
              subscribed = COALESCE(r.new_subscribed, d.subscribed),
              token_digest = COALESCE(r.digest, d.token_digest), token_used = r.digest IS NULL,
              registered_at = CASE WHEN d.unregistered_at IS NULL THEN d.registered_at ELSE r.seen_at END,
              unregistered_at = NULL, last_seen_at = r.seen_at
            FROM ${unnested("r", devices, {
              ...rowColumns,
              known_key: ["int4", ({ key }: KnownDevice) => key],
              has_other_user: ["bool", ({ hasOtherUser }: KnownDevice) => hasOtherUser],
              digest: ["bytea", ({ digest }: KnownDevice) => digest],
            })}
            WHERE ${tenantIs("d", tenant)} AND d.key = r.known_key
              AND d.key = ANY (${arrayOf(
                "int4",
                devices.map(({ key }) => key),
              )})
            RETURNING d.*
            ) ${returning === 0 ? sql`` : counted}
            SELECT key, ${columns} FROM changed`);
        },
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RegistrationsSql, RegistrationsSql.make);
}
