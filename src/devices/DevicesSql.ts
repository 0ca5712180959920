import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { asNumber, instant, jsonb, unnested } from "../database/Rows.ts";
import { anyRow, firstRow, run } from "../database/Statements.ts";
import { inTenant } from "../database/TenantColumns.ts";
import { ofBatch, workspaceStatements, workspaceIs } from "../database/WorkspaceGroups.ts";
import { deviceDeltasSql } from "../deltas/DeltasSql.ts";
import type { DeviceId } from "../wire/Ids.ts";
import type { Attributes } from "./Attributes.ts";
import type { Device } from "./Device.ts";
import type { DeviceCaller } from "./DeviceCaller.ts";
import { deviceColumns } from "./DeviceColumnsSql.ts";
import type { DeviceTokenClaims } from "./DeviceToken.ts";
import type { Transport } from "./PushAddress.ts";
import { changedUserSql } from "./users/UserKeySql.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";

/** Facts that decide whether a device's token is valid. `ord` is the number of the claims, from 1. */
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
interface LockedDevice {
  readonly subscribed: boolean;
  readonly attributes: Attributes;
  readonly user_id: string | null;
}

/** The values of a change; undefined keeps the stored value. */
export interface DeviceChange {
  readonly push?: { readonly transport: Transport; readonly address: object | null } | undefined;
  readonly attributes?: Attributes | undefined;
  readonly locale?: string | null | undefined;
  readonly timezone?: TimeZoneName | null | undefined;
  readonly app_version?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly subscribed?: boolean | undefined;
}

/** Parts of a statement that changes a device, around the change. */
interface ChangeParts {
  readonly earlier?: Statement.Fragment;
  readonly later?: Statement.Fragment;
}

/** The statements that register, authenticate and change devices. Bound: 1 device, or a batch. */
export class DevicesSql extends Context.Service<DevicesSql>()("waypost/devices/DevicesSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const { byWorkspace } = workspaceStatements(sql);
    const columns = deviceColumns(sql);
    /** Condition: the registered device of a caller whose token has not been replaced since (contract B2). */
    const isCaller = ({ deviceKey, tokenDigest, ...tenant }: DeviceCaller["Service"]) => sql`
      ${inTenant(tenant)} AND key = ${deviceKey} AND token_digest = ${tokenDigest}
        AND unregistered_at IS NULL`;
    /**
     * Changes the device of a caller by `changes`. Its columns are formatted outside of `RETURNING`, which
     * allows only immutable functions on several nodes (docs/decisions/0061).
     */
    const changed = (
      caller: DeviceCaller["Service"],
      changes: Statement.Fragment,
      { earlier = sql``, later = sql`` }: ChangeParts,
    ) =>
      firstRow(sql<Device>`
        WITH ${earlier} changed AS (
          UPDATE device SET ${changes} WHERE ${isCaller(caller)} RETURNING *
        ) ${later}
        SELECT ${columns} FROM changed`);
    /** Subtracts the changed device from the pending count of registered devices. */
    const subtracted = sql`, ${deviceDeltasSql(sql, sql`SELECT *, -1 AS change FROM changed`)}`;

    return {
      /**
       * The grants of these claims; unknown devices have no row. The lateral join reads each device by its
       * primary key and rules out a plan that scans the table while it is small.
       */
      identify: (all: ReadonlyArray<DeviceTokenClaims>) =>
        byWorkspace(all)(
          (claims) => sql<DeviceGrant>`
            WITH found AS MATERIALIZED (
              SELECT k.ord, d.workspace_id, d.environment, d.id, d.token_digest, d.token_used,
                d.unregistered_at, d.last_seen_at
              FROM ${ofBatch(
                unnested("k", claims, {
                  workspace_id: ["int4", (claim) => claim.workspaceId],
                  environment: ["text", ({ environment }) => environment],
                  key: ["int4", ({ deviceKey }) => deviceKey],
                }),
              )}
              CROSS JOIN LATERAL (
                SELECT * FROM device d
                WHERE ${workspaceIs("d", "k")} AND d.environment = k.environment
                  AND d.key = k.key OFFSET 0
              ) AS d
            )
            SELECT d.ord::int AS ord, d.id, d.token_digest, d.token_used,
              d.unregistered_at IS NOT NULL AS unregistered,
              (extract(epoch FROM d.last_seen_at) * 1000)::float8 AS last_seen_ms,
              ${asNumber("t.locations_version")} AS locations_version, t.webhook_events
            FROM found d
            JOIN tenant t ON t.workspace_id = d.workspace_id AND t.environment = d.environment`,
        ),

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

      /** Locks a device until the end of the transaction; null if its token has ended. */
      lock: (caller: DeviceCaller["Service"]) =>
        firstRow(sql<LockedDevice>`
          SELECT subscribed, attributes, user_id FROM device WHERE ${isCaller(caller)} FOR UPDATE`),

      update: (
        caller: DeviceCaller["Service"],
        { user_id }: LockedDevice,
        change: DeviceChange,
        now: number,
      ) => {
        const user = changedUserSql(sql, caller, user_id, change.user_id);
        return changed(
          caller,
          sql`${
            change.push === undefined
              ? sql``
              : sql`transport = ${change.push.transport}, address = ${jsonb(change.push.address)},
                    address_gone_at = NULL, address_version = address_version + 1,`
          }
            ${change.attributes === undefined ? sql`` : sql`attributes = ${jsonb(change.attributes)},`}
            ${change.locale === undefined ? sql`` : sql`locale = ${change.locale},`}
            ${change.timezone === undefined ? sql`` : sql`timezone = ${change.timezone},`}
            ${change.app_version === undefined ? sql`` : sql`app_version = ${change.app_version},`}
            ${user.set}
            ${change.subscribed === undefined ? sql`` : sql`subscribed = ${change.subscribed},`}
            last_seen_at = ${instant(now)}`,
          { earlier: user.found },
        );
      },

      /** Replaces the token; false if it has ended. */
      rotate: (caller: DeviceCaller["Service"], digest: Uint8Array) =>
        anyRow(sql`
          UPDATE device SET token_digest = ${digest}, token_used = false
          WHERE ${isCaller(caller)} RETURNING key`),

      /** Null if the token has ended. */
      unregister: (caller: DeviceCaller["Service"], now: number) =>
        changed(caller, sql`unregistered_at = ${instant(now)}`, { later: subtracted }),
    };
  }),
}) {
  static readonly layer = Layer.effect(DevicesSql, DevicesSql.make);
}
