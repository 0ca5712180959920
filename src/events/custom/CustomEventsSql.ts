import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../../database/RowCursor.ts";
import { instant, unnested, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { mapRows, rowCount } from "../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import {
  inWorkspace,
  type OneWorkspace,
  table,
  workspaceStatements,
  workspacesWithWork,
} from "../../database/WorkspaceGroups.ts";
import { type DeviceId, type DeviceKey, idAt } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { Fresh } from "../EventStages.ts";
import type { IncomingCustom } from "../IncomingEvent.ts";
import { deviceColumns, lockedDevicesSql, type StoredRow } from "../LockedDevicesSql.ts";
import { type CustomEvent, maxPersonDevices, type ReadCustomEvent } from "./CustomEvent.ts";

/** A device of a custom event: the one that stores it, or another one that may get a message. */
export interface EventDevice extends TenantKey {
  readonly event: Fresh & IncomingCustom;
  readonly deviceKey: DeviceKey;
}

/** A registered device that an event names (`ord`, from 1), by its id or by its person. */
export interface NamedDevice {
  readonly ord: number;
  readonly deviceKey: DeviceKey;
  readonly deviceId: DeviceId;
  readonly userKey: number | null;
}

/** The device or the person that an event names. */
type NamedSubject = Pick<ReadCustomEvent, "device_id" | "user_id">;

/** A custom event with its position in lists. */
export interface CustomEventRow extends CustomEvent {
  readonly key: string;
}

/** Filters of custom events; undefined for all. */
export interface CustomEventFilters {
  readonly name?: string | undefined;
  readonly device_id?: string | undefined;
  readonly user_id?: string | null | undefined;
}

/** Statements on custom events. Bound: a batch of 64 requests of at most 500 events, or a page. */
export class CustomEventsSql extends SqlService<CustomEventsSql>("waypost/events/CustomEventsSql")((sql) => {
  const { byWorkspace, ofWorkspace, onShard } = workspaceStatements(sql);

  const listed = (
    tenant: Tenant,
    before: string | null,
    limit: number | null,
    filters: CustomEventFilters,
  ) => {
    const { device_id, name, user_id } = filters;
    const isOf = {
      name: name === undefined ? sql`` : sql`AND c.name = ${name}`,
      device:
        device_id === undefined
          ? sql``
          : sql`AND c.device_key = (
        SELECT v.key FROM device v WHERE ${tenantIs("v", tenant)} AND v.id = ${device_id})`,
      person:
        (user_id ?? null) === null
          ? sql``
          : sql`AND c.unit = (
        SELECT -p.key FROM device_user p WHERE ${tenantIs("p", tenant)} AND p.user_id = ${user_id})`,
    };
    return sql<CustomEventRow>`
        SELECT c.key, c.id, d.id AS device_id, u.user_id, c.name, c.properties,
          ${utc("c.occurred_at")} AS occurred_at, ${utc("c.received_at")} AS received_at
        FROM custom_event c
        LEFT JOIN device d ON ${tenantIs("d", tenant)} AND d.key = c.device_key
        LEFT JOIN device_user u ON ${sameTenant("u", "c")} AND u.key = -c.unit
        WHERE ${tenantIs("c", tenant)} AND (${before}::uuid IS NULL OR c.key < ${before})
          ${isOf.name} ${isOf.device} ${isOf.person}
        ORDER BY c.key DESC ${limit === null ? sql`` : sql`LIMIT ${limit}`}`;
  };

  const expired = (before: number) => sql`c.occurred_at < ${instant(before)}`;

  return {
    /** Locks devices, so that the statements after it, which lock some of them each, cannot deadlock. */
    lock: (devices: ReadonlyArray<TenantKey & { readonly deviceKey: DeviceKey }>) =>
      Effect.asVoid(
        byWorkspace(devices)(
          (own) => sql<{ readonly ord: number }>`
          WITH held AS MATERIALIZED (${lockedDevicesSql(sql, unnested("k", own, deviceColumns))})
          SELECT count(*)::int AS ord FROM held`,
        ),
      ),

    /**
     * Locks the devices of events and stores the events that are new, each with its first device. An event of
     * a person has no row for a device that is no longer of that person.
     */
    record: (all: ReadonlyArray<EventDevice>) =>
      onShard(all)(
        (devices) => sql<StoredRow>`
        WITH e AS (
          SELECT * FROM ${unnested("e", devices, {
            ...deviceColumns,
            is_first: ["bool", ({ deviceKey, event }) => deviceKey === event.deviceKey],
            person: ["int4", ({ event }) => event.person?.userKey ?? null],
            id: ["uuid", ({ event }) => event.id],
            name: ["text", ({ event }) => event.name],
            properties: ["jsonb", ({ event }) => event.properties],
            // Sorts by the time of receiving.
            key: ["uuid", ({ event }) => idAt(event.receivedAt)],
            occurred_at: ["timestamptz", ({ event }) => event.occurredAt],
            received_at: ["timestamptz", ({ event }) => event.receivedAt],
          })}
        ), held AS MATERIALIZED (${lockedDevicesSql(sql, sql`e`)}), owned AS (
          SELECT e.*, h.transport, h.timezone, h.user_key, h.user_id, h.obstacle,
            COALESCE(-h.user_key, h.device_key) AS unit
          FROM e JOIN held h USING (workspace_id, environment, device_key)
          WHERE e.person IS NULL OR h.user_key = e.person
        ), stored AS (
          SELECT DISTINCT ON (workspace_id, environment, unit, id) *
          FROM owned WHERE is_first ORDER BY workspace_id, environment, unit, id, ord
        ), fresh AS (
          INSERT INTO ${table.custom_event} (workspace_id, environment, unit, id, device_key, name,
            properties, key, occurred_at, received_at)
          SELECT workspace_id, environment, unit, id, CASE WHEN person IS NULL THEN device_key END, name,
            properties, key, occurred_at, received_at
          FROM stored
          ON CONFLICT DO NOTHING
          RETURNING workspace_id, environment, unit, id
        )
        SELECT o.ord::int AS ord, f.id IS NOT NULL AS is_new, o.transport, o.obstacle, o.timezone,
          o.user_key, o.user_id
        FROM owned o
        LEFT JOIN stored s ON s.ord = o.ord
        LEFT JOIN fresh f ON f.workspace_id = s.workspace_id AND f.environment = s.environment
          AND f.unit = s.unit AND f.id = s.id`,
      ),

    /**
     * The registered devices that events name, by name (`ord`, from 1); of a person the 100 that were seen
     * last, the last one first.
     */
    devices: (tenant: TenantKey, names: ReadonlyArray<NamedSubject>) => {
      const registered = sql`${tenantIs("d", tenant)} AND d.unregistered_at IS NULL`;
      return Effect.orDie(sql<NamedDevice>`
        SELECT n.ord::int AS ord, d.key AS "deviceKey", d.id AS "deviceId", d.user_key AS "userKey"
        FROM ${unnested("n", names, {
          device_id: ["uuid", ({ device_id }) => device_id ?? null],
          user_id: ["text", ({ user_id }) => user_id ?? null],
        })}
        CROSS JOIN LATERAL (
          SELECT d.* FROM device d WHERE ${registered} AND d.id = n.device_id
          UNION ALL (
            SELECT d.* FROM device d WHERE ${registered} AND d.user_id = n.user_id
            ORDER BY d.last_seen_at DESC, d.id LIMIT ${maxPersonDevices})
        ) AS d
        ORDER BY n.ord, d.last_seen_at DESC, d.id`);
    },

    /** Events, newest received first, after the one with the key `before`. */
    page: (tenant: Tenant, before: string | null, limit: number, filters: CustomEventFilters) =>
      Effect.orDie(listed(tenant, before, limit, filters)),

    /** All of them, in the order of the pages; in batches. */
    all: (tenant: Tenant, filters: CustomEventFilters) =>
      Effect.provideService(
        rowCursor<CustomEventRow>(listed(tenant, null, null, filters)),
        SqlClient.SqlClient,
        sql,
      ),

    /** The workspaces of events that occurred before an instant, of some of them. */
    expiredWorkspaces: (before: number, limit: number) =>
      workspacesWithWork(
        sql,
        mapRows(
          sql<{ readonly id: number }>`
          SELECT DISTINCT e.workspace_id AS id FROM (
            SELECT c.workspace_id FROM custom_event c WHERE ${expired(before)} LIMIT ${limit}
          ) AS e`,
          ({ id }) => id,
        ),
      ),

    /** Deletes events of a workspace that occurred before an instant, up to so many; gives how many. */
    deleteExpired: (workspaceId: OneWorkspace, before: number, limit: number) =>
      rowCount(
        ofWorkspace(workspaceId)(sql`
        WITH q AS MATERIALIZED (
          SELECT c.workspace_id, c.environment, c.unit, c.id FROM custom_event c
          WHERE ${inWorkspace("c")} AND ${expired(before)} LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM custom_event e USING q
        WHERE ${sameTenant("e", "q")} AND ${inWorkspace("e")} AND e.unit = q.unit AND e.id = q.id
        RETURNING 1`),
      ),
  };
}) {}
