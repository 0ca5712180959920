import { Effect } from "effect";
import { instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, columnValues, run } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantColumns, tenantIs } from "../database/TenantColumns.ts";
import { deviceDeltasSql } from "../deltas/DeltasSql.ts";
import type { Environment, TenantKey } from "../workspaces/Environment.ts";
import type { DeviceKey } from "../wire/Ids.ts";

/** A device to erase, with what names its person. */
export interface NamedDevice {
  readonly key: DeviceKey;
  readonly id: string;
  readonly user_id: string | null;
  readonly registered: boolean;
  /** Texts of its registration: the installation id, and those of its address. */
  readonly texts: ReadonlyArray<string>;
}

/** A device to erase, with the id and the token's digest that replace those it has. */
export interface RenamedDevice extends NamedDevice {
  readonly newId: string;
  readonly digest: Uint8Array;
}

/** An erasure that is not complete. */
export interface OpenErasure extends TenantKey {
  readonly environment: Environment;
  readonly deviceKey: DeviceKey;
  readonly deviceId: string;
  /** Whether a person is erased; `userId` is null if they have come back since. */
  readonly isPerson: boolean;
  readonly userId: string | null;
}

/** Which devices to erase: those of a person, or one. */
export type ErasedOwner = { readonly userId: string } | { readonly device: string };

/** Statements that erase devices and persons. Bound: 200 devices (a page). */
export class ErasuresSql extends SqlService<ErasuresSql>("waypost/people/ErasuresSql")((sql) => ({
  /** Up to `limit` devices that are not erased, in the order of their keys; locked if so asked. */
  find: (tenant: TenantKey, owner: ErasedOwner, limit: number, isLocked: boolean) =>
    Effect.orDie(sql<NamedDevice>`
        SELECT d.key, d.id, d.user_id, d.unregistered_at IS NULL AS registered, ARRAY (
          SELECT d.installation_id UNION ALL
          SELECT t #>> '{}' FROM jsonb_path_query(d.address, 'strict $.**') AS t
          WHERE jsonb_typeof(t) = 'string') AS texts
        FROM device d
        WHERE ${tenantIs("d", tenant)} AND d.erased_at IS NULL
          AND ${"userId" in owner ? sql`d.user_id = ${owner.userId}` : sql`d.id = ${owner.device}`}
        ORDER BY d.key LIMIT ${limit} ${isLocked ? sql`FOR UPDATE` : sql``}`),

  /** Erases the registrations of locked devices, and leaves their keys under new ids. */
  eraseDevices: (tenant: TenantKey, devices: ReadonlyArray<RenamedDevice>, now: number) => {
    const registered = devices.filter((device) => device.registered).length;
    return run(sql`
        WITH ${deviceDeltasSql(
          sql,
          sql`SELECT ${tenant.workspaceId}::int AS workspace_id, ${tenant.environment}::text AS environment,
            ${-registered}::int AS change`,
        )}
        UPDATE device d SET id = e.id, installation_id = 'erased-' || e.id, platform = 'other',
          transport = 'inbox', address = NULL, address_gone_at = NULL,
          address_version = d.address_version + 1, approved = false, attributes = '{}', locale = NULL,
          timezone = NULL, app_version = NULL, user_id = NULL, user_key = NULL, subscribed = false,
          token_digest = e.digest,
          unregistered_at = COALESCE(d.unregistered_at, ${instant(now)}), erased_at = ${instant(now)}
        FROM ${unnested("e", devices, {
          key: ["int4", ({ key }) => key],
          id: ["uuid", ({ newId }) => newId],
          digest: ["bytea", ({ digest }) => digest],
        })}
        WHERE ${tenantIs("d", tenant)} AND d.key = e.key`);
  },

  /** Records that what is left of devices is to be erased. */
  begin: (tenant: TenantKey, devices: ReadonlyArray<NamedDevice>, userId: string | null, now: number) =>
    run(sql`
        INSERT INTO erasure (workspace_id, environment, device_key, device_id, user_id, erased_at)
        SELECT ${tenant.workspaceId}, ${tenant.environment}, e.key, e.id, ${userId}::text, ${instant(now)}
        FROM ${unnested("e", devices, {
          key: ["int4", ({ key }) => key],
          id: ["uuid", ({ id }) => id],
        })}`),

  /** Forgets a person by name; deliveries keep the key. False for a person without a name. */
  eraseUser: (tenant: TenantKey, userId: string) =>
    anyRow(sql`DELETE FROM device_user WHERE ${inTenant(tenant)} AND user_id = ${userId} RETURNING key`),

  /** The workspaces with erasures that began at `before` or earlier. */
  openWorkspaces: (before: number) =>
    columnValues(sql<{ readonly id: number }>`
        SELECT e.workspace_id AS id FROM erasure e WHERE e.erased_at <= ${instant(before)}
        GROUP BY 1 ORDER BY min(e.erased_at)`),

  /** Up to `limit` erasures that began at `before` or earlier; without a person who has come back. */
  open: (workspaceId: number, before: number, limit: number) =>
    Effect.orDie(sql<OpenErasure>`
        SELECT e.workspace_id AS "workspaceId", e.environment, e.device_key AS "deviceKey",
          e.device_id AS "deviceId", e.user_id IS NOT NULL AS "isPerson",
          CASE WHEN u.key IS NULL THEN e.user_id END AS "userId"
        FROM erasure e LEFT JOIN device_user u ON ${sameTenant("u", "e")} AND u.user_id = e.user_id
        WHERE e.workspace_id = ${workspaceId} AND e.erased_at <= ${instant(before)}
        ORDER BY e.erased_at LIMIT ${limit}`),

  end: (erasures: ReadonlyArray<OpenErasure>) =>
    run(sql`
        DELETE FROM erasure e USING ${unnested("k", erasures, {
          ...tenantColumns,
          device_key: ["int4", ({ deviceKey }) => deviceKey],
        })}
        WHERE ${sameTenant("e", "k")} AND e.device_key = k.device_key`),
})) {}
