import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../database/RowCursor.ts";
import { firstRow } from "../database/Statements.ts";
import { inTenant } from "../database/TenantColumns.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Device, Platform } from "./Device.ts";
import { deviceColumns } from "./DeviceColumnsSql.ts";
import { hasPartSql } from "../database/TextPart.ts";
import type { Transport } from "./PushAddress.ts";

/** Which registered devices a list has; undefined selects all. */
export interface DeviceFilters {
  readonly approved?: boolean | undefined;
  readonly platform?: Platform | undefined;
  readonly userId?: string | null | undefined;
  /** A pattern of `searchPattern` for the installation id. */
  readonly search?: string | null | undefined;
}

/** The statements that read and approve registered devices. Bound: a page of 101, or a cursor's 250. */
export class RegisteredDevicesSql extends Context.Service<RegisteredDevicesSql>()(
  "waypost/devices/RegisteredDevicesSql",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const columns = deviceColumns(sql);

      // They are found first: walking a million devices by id for a rare part takes ten times as long.
      const installationFound = (tenant: Tenant, pattern: string) => sql`
      key = ANY (ARRAY(
        SELECT key FROM device
        WHERE ${inTenant(tenant)} AND ${hasPartSql(sql, "installation_id", pattern)}))`;

      // With one condition for each environment, an index has the few approved devices of Production.
      const isApproved = ({ environment }: Tenant) =>
        environment === "sandbox" ? sql`approved` : sql`(approved AND approval_decided)`;

      const registered = (
        tenant: Tenant,
        before: string | null,
        {
          approved = null,
          platform = null,
          search = null,
          userId = null,
        }: { [name in keyof DeviceFilters]: DeviceFilters[name] | null },
      ) => sql`
      SELECT ${columns} FROM device
      WHERE ${inTenant(tenant)} AND unregistered_at IS NULL
        AND (${before}::uuid IS NULL OR id < ${before})
        ${approved === null ? sql`` : sql`AND ${approved ? sql`` : sql`NOT`} ${isApproved(tenant)}`}
        AND (${platform}::text IS NULL OR platform = ${platform})
        ${userId === null ? sql`` : sql`AND user_id = ${userId}`}
        ${search === null ? sql`` : sql`AND ${installationFound(tenant, search)}`}
      ORDER BY id DESC`;

      return {
        /** Registered devices, newest first. */
        page: (tenant: Tenant, { before, limit }: PagePosition, filters: DeviceFilters) =>
          Effect.orDie(
            sql<Device>`/* page of devices */ ${registered(tenant, before, filters)} LIMIT ${limit}`,
          ),

        /** All of them, in the order of the pages; in batches. */
        all: (tenant: Tenant, filters: DeviceFilters) =>
          Effect.provideService(
            rowCursor<Device>(registered(tenant, null, filters)),
            SqlClient.SqlClient,
            sql,
          ),

        /** A registered device with its key. */
        find: (tenant: Tenant, id: string) =>
          firstRow(sql<Device & { readonly key: DeviceKey }>`
          SELECT key, ${columns} FROM device
          WHERE ${inTenant(tenant)} AND id = ${id} AND unregistered_at IS NULL`),

        /** Returns the push address of a registered device. */
        pushAddress: (tenant: Tenant, id: string) =>
          firstRow(sql<{ readonly transport: Transport; readonly address: unknown }>`
          SELECT transport, address FROM device
          WHERE ${inTenant(tenant)} AND id = ${id} AND unregistered_at IS NULL`),

        setApproved: (tenant: Tenant, id: string, approved: boolean) =>
          firstRow(sql<Device>`
          WITH changed AS (
            UPDATE device SET approved = ${approved}, approval_decided = true
            WHERE ${inTenant(tenant)} AND id = ${id} AND unregistered_at IS NULL RETURNING *
          )
          SELECT ${columns} FROM changed`),

        /** Whether a registered device is approved, until the transaction ends; null if there is none. */
        lockApproval: (tenant: Tenant, id: string) =>
          Effect.map(
            firstRow(sql<{ readonly approved: boolean }>`
            SELECT ${isApproved(tenant)} AS approved FROM device
            WHERE ${inTenant(tenant)} AND id = ${id} AND unregistered_at IS NULL FOR NO KEY UPDATE`),
            (row) => row && row.approved,
          ),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RegisteredDevicesSql, RegisteredDevicesSql.make);
}
