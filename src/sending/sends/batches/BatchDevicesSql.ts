/** The parts in which statements on the devices of one batch and of several differ. */
import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../../../database/Rows.ts";
import { sameTenant, tenantIs } from "../../../database/TenantColumns.ts";
import { workspaceIs } from "../../../database/WorkspaceGroups.ts";
import { isReachableSql } from "../../../devices/ObstacleSql.ts";
import { batchColumns, type TakenBatch } from "./BatchLeasesSql.ts";

/** Condition: the device `d` was registered when the send `s` started (contract L2), and is reachable now. */
export const isTargetSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  d.registered_at <= s.started_at AND (d.unregistered_at IS NULL OR d.unregistered_at > s.started_at)
    AND ${isReachableSql(sql, "d")}`;

/**
 * Column `open_cap` of the send `s`: its cap, or null if no other send of the campaign, and no event from
 * before its type was changed, can have a delivery that counts for it, as then no receiver has one. A
 * delivery is made before its send is finished, and the clocks of processes differ by less than a minute.
 */
const openCapSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  CASE WHEN s.cap_count IS NOT NULL AND (EXISTS (
    SELECT FROM send o
    WHERE ${sameTenant("o", "s")} AND o.campaign_id = s.campaign_id AND o.source_id <> s.source_id
      AND (o.finished_at IS NULL OR o.finished_at >= s.cap_since - interval '1 minute')
  ) OR EXISTS (
    SELECT FROM campaign c
    WHERE ${sameTenant("c", "s")} AND c.id = s.campaign_id AND c.type_changed
  )) THEN s.cap_count END AS open_cap`;

/** The parts of a statement on the devices of batches. */
export interface BatchParts {
  /** The common table expression `batch`: each batch with the columns of its send, and `open_cap`. */
  readonly batches: Statement.Fragment;
  /** `FROM`: the devices `d` of the batches `s`. */
  readonly devices: Statement.Fragment;
  /** `FROM`: devices whose time zones are all those of `devices`, and maybe more. */
  readonly zones: Statement.Fragment;
  /** The person of a device; of a list for people the one that is listed. */
  readonly user: Statement.Fragment;
  /** The person that a device has now. */
  readonly ownUser: Statement.Fragment;
  /** Condition, with `AND`: a row `q` is of the send of `due`. */
  readonly isOfSend: Statement.Fragment;
  /** Condition, with `AND`: a row `g` is of the environment of `due`. */
  readonly isOfTenant: Statement.Fragment;
  /** `ORDER BY` of the new deliveries. */
  readonly order: Statement.Fragment;
  /** Additional columns of the rows `created`, for `added`. */
  readonly created: Statement.Fragment;
  /** `created` by send, transport, status and the columns `by`: their count and the keys of their devices. */
  readonly added: (by: Statement.Fragment) => Statement.Fragment;
}

const several = (
  sql: SqlClient.SqlClient,
  taken: ReadonlyArray<TakenBatch>,
  more: Statement.Fragment,
): BatchParts => {
  // Each `OFFSET 0` keeps its subquery apart: one index lookup for each batch, whatever the statistics
  // say.
  const isOwn = sql`${workspaceIs("d", "s")} AND d.environment = s.environment`;
  const devices = sql`FROM batch s CROSS JOIN LATERAL (
    SELECT d.key, d.transport, d.timezone, d.user_key, d.user_key AS own_user_key ${more} FROM device d
    WHERE ${isOwn} AND d.key BETWEEN s.first_key AND s.last_key AND ${isTargetSql(sql)}
    UNION ALL
    SELECT d.key, d.transport, d.timezone,
      CASE s.cap_by WHEN 'user' THEN a.user_key ELSE d.user_key END, d.user_key ${more}
    FROM unnest(s.devices, s.users) AS a (key, user_key)
    JOIN device d ON ${isOwn} AND d.key = a.key AND ${isTargetSql(sql)}
    OFFSET 0
  ) AS d`;
  return {
    batches: sql`batch AS MATERIALIZED (
      SELECT s.* FROM ${unnested("t", taken, batchColumns)}
      CROSS JOIN LATERAL (
        SELECT s.*, b.first_key, b.last_key, b.devices, b.users, ${openCapSql(sql)}
        FROM send_batch b
        JOIN send s ON ${sameTenant("s", "b")} AND s.source_id = b.source_id
        WHERE ${sameTenant("b", "t")} AND b.source_id = t.source_id AND b.batch = t.batch
          AND b.fence = t.fence
        OFFSET 0
      ) AS s
    )`,
    devices,
    zones: devices,
    user: sql`d.user_key`,
    ownUser: sql`d.own_user_key`,
    isOfSend: sql`${sameTenant("q", "due")} AND q.source_id = due.source_id AND`,
    isOfTenant: sql`${sameTenant("g", "due")} AND`,
    order: sql``,
    created: sql`, campaign_key, notification_key, content_type`,
    added: (by) => sql`SELECT workspace_id, environment, source_id, campaign_key, notification_key,
        content_type, transport, status, count(*)::int AS count, array_agg(device_key) AS device_keys ${by}
      FROM created
      GROUP BY workspace_id, environment, source_id, campaign_key, notification_key, content_type,
        transport, status ${by}`,
  };
};

/**
 * One batch may be large: its constants give it a plan of its own, and what its deliveries have in common is
 * neither compared nor returned for each.
 */
const one = (sql: SqlClient.SqlClient, batch: TakenBatch, more: Statement.Fragment): BatchParts => {
  const isTarget = isTargetSql(sql);
  // All devices between the first and the last of a list, in the order of their keys. `OFFSET 0` lets
  // PostgreSQL scan them once, although it takes the list for short.
  const between = sql`CROSS JOIN LATERAL (
      SELECT d.key, d.transport, d.timezone, d.user_key ${more} FROM device d
      WHERE ${tenantIs("d", batch)} AND ${isTarget}
        AND d.key BETWEEN s.devices[1] AND s.devices[cardinality(s.devices)]
      OFFSET 0
    ) AS d`;
  const list = sql`unnest(s.devices, s.users) AS a (key, user_key)`;
  const range = sql`JOIN device d ON ${tenantIs("d", batch)}
    AND d.key BETWEEN s.first_key AND s.last_key AND ${isTarget}`;
  const searched = sql`CROSS JOIN LATERAL ${list}
    JOIN device d ON ${tenantIs("d", batch)} AND d.key = a.key AND ${isTarget}`;
  const listed = batch.dense ? sql`${between} JOIN ${list} ON a.key = d.key` : searched;
  const devices = sql`FROM batch s ${batch.listed ? listed : range}`;
  return {
    batches: sql`batch AS MATERIALIZED (
      SELECT s.*, b.first_key, b.last_key, b.devices, b.users, ${openCapSql(sql)}
      FROM send s
      JOIN send_batch b ON ${sameTenant("b", "s")} AND b.source_id = s.source_id
      WHERE ${tenantIs("s", batch)} AND s.source_id = ${batch.sourceId}
        AND ${tenantIs("b", batch)} AND b.source_id = ${batch.sourceId} AND b.batch = ${batch.batch}
        AND b.fence = ${batch.fence}
    )`,
    devices,
    zones: batch.dense ? sql`FROM batch s ${between}` : devices,
    user: batch.listed ? sql`CASE s.cap_by WHEN 'user' THEN a.user_key ELSE d.user_key END` : sql`d.user_key`,
    ownUser: sql`d.user_key`,
    isOfSend: sql``,
    isOfTenant: sql``,
    // A join with a list may reverse it, and indexes grow faster in ascending order.
    order: batch.listed ? sql`ORDER BY due.device_key` : sql``,
    created: sql``,
    added: (by) => sql`SELECT s.workspace_id, s.environment, s.source_id, s.campaign_key, s.notification_key,
        s.content_type, c.*
      FROM (
        SELECT transport, status, count(*)::int AS count, array_agg(device_key) AS device_keys ${by}
        FROM created GROUP BY transport, status ${by}
      ) AS c
      CROSS JOIN batch s`,
  };
};

/** The parts of a statement on batches of one workspace, or of any. `more`: other columns of devices. */
export const batchParts = (
  sql: SqlClient.SqlClient,
  taken: ReadonlyArray<TakenBatch>,
  more: Statement.Fragment = sql``,
): BatchParts => {
  const [first] = taken;
  return first !== undefined && taken.length === 1 ? one(sql, first, more) : several(sql, taken, more);
};
