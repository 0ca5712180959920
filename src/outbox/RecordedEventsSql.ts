/** Fragments that record events within the statement that makes the change. */
import { type SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** Condition: a webhook (alias) is active and listens to a type (an expression). Both are trusted text. */
export const listensSql = (webhook: string, type: string): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(
      `${webhook}.status = 'active' AND (${type} = ANY (${webhook}.events) OR '*' = ANY (${webhook}.events))`,
    ),
  ]);

/**
 * Two common table expressions that record `message.delivered` and `message.failed` for the rows of an
 * earlier one: `source_id`, `device_key` and `status`; other statuses are left out. Without a listening
 * webhook they read none of the rows.
 */
export const recordedDeliveriesSql = (
  sql: SqlClient.SqlClient,
  tenant: TenantKey,
  rows: string,
  now: number,
): Statement.Fragment => sql`
  outcome AS MATERIALIZED (
    SELECT nextval('webhook_recording') AS recording, o.* FROM (
      SELECT 'message.' || d.status AS type, count(*)::int AS size,
        CASE WHEN min(d.source_id) = max(d.source_id) THEN ARRAY[min(d.source_id)]
          ELSE array_agg(d.source_id) END AS source_ids,
        array_agg(d.device_key) AS device_keys
      FROM ${sql.literal(rows)} d
      WHERE d.status IN ('delivered', 'failed') AND EXISTS (
        SELECT FROM webhook w
        WHERE ${tenantIs("w", tenant)} AND w.status = 'active'
          AND w.events && ARRAY['message.delivered', 'message.failed', '*'])
      GROUP BY d.status
    ) AS o
  ), recorded AS (
    INSERT INTO webhook_event (workspace_id, environment, webhook_id, recording, type, recorded_at, size,
      source_ids, device_keys)
    SELECT w.workspace_id, w.environment, w.id, o.recording, o.type, ${instant(now)}, o.size, o.source_ids,
      o.device_keys
    FROM outcome o JOIN webhook w ON ${tenantIs("w", tenant)} AND ${listensSql("w", "o.type")}
  )`;

/** `recordedDeliveriesSql` for rows of several environments, which also have the columns of their tenant. */
export const recordedDeliveriesOfSql = (
  sql: SqlClient.SqlClient,
  rows: string,
  now: number,
): Statement.Fragment => sql`
  outcome AS MATERIALIZED (
    SELECT nextval('webhook_recording') AS recording, o.* FROM (
      SELECT d.workspace_id, d.environment, 'message.' || d.status AS type, count(*)::int AS size,
        CASE WHEN min(d.source_id) = max(d.source_id) THEN ARRAY[min(d.source_id)]
          ELSE array_agg(d.source_id) END AS source_ids,
        array_agg(d.device_key) AS device_keys
      FROM ${sql.literal(rows)} d
      WHERE d.status IN ('delivered', 'failed') AND EXISTS (SELECT FROM webhook) AND EXISTS (
        SELECT FROM webhook w
        WHERE ${sameTenant("w", "d")} AND w.status = 'active'
          AND w.events && ARRAY['message.delivered', 'message.failed', '*'])
      GROUP BY d.workspace_id, d.environment, d.status
    ) AS o
  ), recorded AS (
    INSERT INTO webhook_event (workspace_id, environment, webhook_id, recording, type, recorded_at, size,
      source_ids, device_keys)
    SELECT w.workspace_id, w.environment, w.id, o.recording, o.type, ${instant(now)}, o.size, o.source_ids,
      o.device_keys
    FROM outcome o JOIN webhook w ON ${sameTenant("w", "o")} AND ${listensSql("w", "o.type")}
  )`;

/**
 * Two common table expressions that record `send.finished` for the rows of an earlier one, which are rows of
 * `send`. Parts of a send have no event of their own.
 */
export const recordedSendsSql = (
  sql: SqlClient.SqlClient,
  rows: string,
  now: number,
): Statement.Fragment => sql`
  finish AS MATERIALIZED (
    SELECT nextval('webhook_recording') AS recording, s.workspace_id, s.environment, s.id
    FROM ${sql.literal(rows)} s WHERE s.parent_id IS NULL
  ), recorded AS (
    INSERT INTO webhook_event (workspace_id, environment, webhook_id, recording, type, recorded_at, size,
      send_ids)
    SELECT w.workspace_id, w.environment, w.id, f.recording, 'send.finished', ${instant(now)}, 1, ARRAY[f.id]
    FROM finish f JOIN webhook w ON ${sameTenant("w", "f")} AND ${listensSql("w", "'send.finished'")}
  )`;
