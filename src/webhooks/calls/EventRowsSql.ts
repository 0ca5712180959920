/** The SQL that reads recorded events with their data. */
import type { SqlClient, Statement } from "effect/sql";
import { epochMillis, utc } from "../../database/Rows.ts";
import { sameTenant } from "../../database/TenantColumns.ts";
import { type OneWorkspace, workspaceIs } from "../../database/WorkspaceGroups.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/**
 * A recorded event. `data` is a JSON object without environment and workspace; instants are epoch
 * milliseconds.
 */
export interface EventRow {
  readonly webhookId: string;
  readonly id: string;
  readonly type: string;
  readonly recordedAt: number;
  /** Null if the rows that it refers to are gone. */
  readonly data: string | null;
}

/**
 * An event as it is read, with the key of its id. `data` of an event about a message lacks the message's id,
 * which has the key of source and device.
 */
export interface RecordedEventRow extends Omit<EventRow, "id"> {
  readonly recording: bigint;
  /** Its index in the recording, from 0. */
  readonly index: number;
  readonly sourceId: bigint | null;
  readonly deviceKey: DeviceKey | null;
  /** Whether the delivery is not yet as the event says; only with one workspace. */
  readonly isPending?: boolean;
}

/** An event that was taken, and where it is recorded. */
export interface TakenEvent extends EventRow, Pick<RecordedEventRow, "recording" | "index" | "isPending"> {}

/**
 * The condition that the delivery of an event is not yet as the event says. On Citus an event is visible at
 * the coordinator before its delivery is at the node that has it, if that node was away while it should
 * commit.
 */
const pendingSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  CASE p.type WHEN 'message.delivered' THEN d.status IS DISTINCT FROM 'delivered'
    WHEN 'message.failed' THEN d.status IS DISTINCT FROM 'failed'
    WHEN 'message.clicked' THEN d.clicked_at IS NULL ELSE d.opened_at IS NULL END`;

/**
 * Selects the events of `taken`, an earlier common table expression with the columns of `webhook_event`,
 * whose arrays hold only the events to read, and `first`, the index of the first of these. A single source id
 * stands for all deliveries. `message.delivered` and `message.failed` show the delivery as it was then.
 *
 * Most deliveries of a recording share source, campaign and content: their ids are looked up once, for the
 * first of them. A join would not do: the planner expects few rows of arrays, and takes nested loops.
 *
 * With one workspace, as on Citus, it also selects whether the delivery is pending.
 */
export const eventRowsSql = (sql: SqlClient.SqlClient, workspaceId: OneWorkspace): Statement.Fragment => sql`
  , wanted AS MATERIALIZED (
    SELECT t.workspace_id, t.environment, t.webhook_id, t.recording, t.type, t.recorded_at,
      (t.first + i.ord - 1)::int AS index, i.device_key, COALESCE(i.source_id, t.source_ids[1]) AS source_id,
      t.type IN ('message.opened', 'message.clicked') AS is_later
    FROM taken t
    CROSS JOIN LATERAL unnest(t.device_keys, t.source_ids) WITH ORDINALITY AS i (device_key, source_id, ord)
    WHERE t.device_keys IS NOT NULL
  ), picked AS MATERIALIZED (
    SELECT p.*, d.campaign_key, d.content_key, d.location_key,
      ${workspaceId === null ? sql`` : sql`${pendingSql(sql)} AS is_pending,`}
      row_number() OVER (PARTITION BY p.source_id, d.campaign_key, d.content_key, d.location_key) AS number,
      CASE WHEN v.id IS NOT NULL THEN json_build_object('device_id', v.id,
        'trigger_type', d.trigger_type,
        'transport', d.transport, 'status', d.status, 'attempts', d.attempts, 'last_error', d.last_error,
        'test', d.test, 'created_at', ${utc("d.created_at")}, 'held_until', ${utc("d.held_until")},
        'delivered_at', CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END,
        'opened_at', CASE WHEN p.is_later OR d.opened_at <= p.recorded_at THEN ${utc("d.opened_at")} END,
        'clicked_at', CASE WHEN p.is_later OR d.clicked_at <= p.recorded_at THEN ${utc("d.clicked_at")} END
      )::text END AS own
    FROM wanted p
    LEFT JOIN delivery d ON ${workspaceIs("d", workspaceId, "p")} AND d.environment = p.environment
      AND d.source_id = p.source_id
      AND d.device_key = p.device_key
    LEFT JOIN device v ON ${workspaceIs("v", workspaceId, "d")} AND v.environment = d.environment
      AND v.key = d.device_key AND v.erased_at IS NULL
  ), named AS (
    SELECT p.*, CASE WHEN p.number = 1 THEN (
      SELECT json_build_object(
        'send_id', (SELECT COALESCE(s.parent_id, s.id) FROM send s
          WHERE ${sameTenant("s", "p")} AND s.source_id = p.source_id),
        'campaign_id', COALESCE(
          (SELECT k.id FROM campaign k WHERE ${sameTenant("k", "p")} AND k.key = p.campaign_key),
          (SELECT g.id FROM deleted_campaign g WHERE ${sameTenant("g", "p")} AND g.key = p.campaign_key)),
        'notification_id', c.notification_id,
        'location_id', COALESCE(
          (SELECT l.id FROM location l WHERE ${sameTenant("l", "p")} AND l.key = p.location_key),
          (SELECT f.id FROM deleted_location f WHERE ${sameTenant("f", "p")} AND f.key = p.location_key))
      )::text
      FROM content c WHERE ${sameTenant("c", "p")} AND c.key = p.content_key
    ) END AS shared
    FROM picked p
  )
  SELECT t.webhook_id AS "webhookId", t.recording, (t.first + i.ord - 1)::int AS index, t.type,
    ${epochMillis("t.recorded_at")} AS "recordedAt", i.data,
    NULL::bigint AS "sourceId", NULL::int AS "deviceKey"
    ${workspaceId === null ? sql`` : sql`, false AS "isPending"`}
  FROM taken t CROSS JOIN LATERAL unnest(t.data) WITH ORDINALITY AS i (data, ord)
  WHERE t.data IS NOT NULL
  UNION ALL
  SELECT t.webhook_id, t.recording, (t.first + i.ord - 1)::int, t.type, ${epochMillis("t.recorded_at")},
    (SELECT json_build_object('id', s.id, 'campaign_id', s.campaign_id, 'notification_id', s.notification_id,
        'due_at', ${utc("COALESCE(g.first_at, s.due_at)")}, 'status', s.status,
        'targeted', COALESCE(g.targeted, s.targeted), 'delivered', COALESCE(g.delivered, s.delivered),
        'failed', COALESCE(g.failed, s.failed), 'held', COALESCE(g.held, s.held),
        'dropped', COALESCE(g.dropped, s.dropped), 'started_at', ${utc("s.started_at")},
        'finished_at', ${utc("s.finished_at")}, 'parts', CASE WHEN s.local_at IS NOT NULL THEN
          COALESCE(g.parts, '[]') END)::text
      FROM send s LEFT JOIN LATERAL (
        SELECT min(p.due_at) AS first_at, sum(p.targeted) AS targeted, sum(p.delivered) AS delivered,
          sum(p.failed) AS failed, sum(p.held) AS held, sum(p.dropped) AS dropped,
          jsonb_agg(jsonb_build_object('due_at', ${utc("p.due_at")}, 'targeted', p.targeted,
            'delivered', p.delivered, 'failed', p.failed, 'status', p.status) ORDER BY p.due_at) AS parts
        FROM send p WHERE ${sameTenant("p", "s")} AND p.parent_id = s.id
      ) AS g ON s.local_at IS NOT NULL WHERE ${sameTenant("s", "t")} AND s.id = i.id), NULL, NULL
    ${workspaceId === null ? sql`` : sql`, false`}
  FROM taken t CROSS JOIN LATERAL unnest(t.send_ids) WITH ORDINALITY AS i (id, ord)
  WHERE t.send_ids IS NOT NULL
  UNION ALL
  SELECT n.webhook_id, n.recording, n.index, n.type, ${epochMillis("n.recorded_at")},
    left(n.own, -1) || ', ' || substr(max(n.shared) OVER (
      PARTITION BY n.source_id, n.campaign_key, n.content_key, n.location_key), 2),
    n.source_id, n.device_key${workspaceId === null ? sql`` : sql`, n.is_pending`}
  FROM named n`;
