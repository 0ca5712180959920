/** The SQL that reads recorded events with their data. */
import type { SqlClient, Statement } from "effect/sql";
import { epochMillis, utc } from "../../database/Rows.ts";
import { sameTenant } from "../../database/TenantColumns.ts";
import { ofOneWorkspace, workspaceIs } from "../../database/WorkspaceGroups.ts";
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
  /** Whether the delivery is not yet as the event says. */
  readonly isPending: boolean;
}

/** An event that was taken, and where it is recorded. */
export interface TakenEvent extends EventRow, Pick<RecordedEventRow, "recording" | "index" | "isPending"> {}

/**
 * Condition: the delivery of an event is not yet as the event says; false on one PostgreSQL. On several nodes
 * an event is visible before its delivery is, if the node of that was away while it should commit.
 */
const pendingSql = ofOneWorkspace(
  `CASE p.type WHEN 'message.delivered' THEN d.status IS DISTINCT FROM 'delivered'
    WHEN 'message.failed' THEN d.status IS DISTINCT FROM 'failed'
    WHEN 'message.clicked' THEN d.clicked_at IS NULL ELSE d.opened_at IS NULL END`,
  "false",
);

/**
 * Selects the events of `taken`, an earlier common table expression with the columns of `webhook_event`,
 * whose arrays hold only the events to read, and `first`, the index of the first of these. A single source id
 * stands for all deliveries. `message.delivered` and `message.failed` show the delivery as it was then.
 *
 * Most deliveries of a recording share source, campaign and content: their ids are looked up once, for the
 * first of them. A join would not do: the planner expects few rows of arrays, and takes nested loops.
 */
export const eventRowsSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  , wanted AS MATERIALIZED (
    SELECT t.workspace_id, t.environment, t.webhook_id, t.recording, t.type, t.recorded_at,
      (t.first + i.ord - 1)::int AS index, i.device_key, COALESCE(i.source_id, t.source_ids[1]) AS source_id,
      t.type IN ('message.opened', 'message.clicked') AS is_later
    FROM taken t
    CROSS JOIN LATERAL unnest(t.device_keys, t.source_ids) WITH ORDINALITY AS i (device_key, source_id, ord)
    WHERE t.device_keys IS NOT NULL
  ), picked AS MATERIALIZED (
    SELECT p.*, d.campaign_key, d.content_key, d.location_key,
      ${pendingSql} AS is_pending,
      row_number() OVER (PARTITION BY p.source_id, d.campaign_key, d.content_key, d.location_key) AS number,
      d.trigger_type, d.transport, d.status, d.attempts, d.last_error, d.cut, d.test, d.variant, d.created_at,
      d.held_until,
      d.settled_at, d.opened_at, d.clicked_at, v.id AS device_id
    FROM wanted p
    LEFT JOIN delivery d ON ${workspaceIs("d", "p")} AND d.environment = p.environment
      AND d.source_id = p.source_id
      AND d.device_key = p.device_key
    LEFT JOIN device v ON ${workspaceIs("v", "d")} AND v.environment = d.environment
      AND v.key = d.device_key AND v.erased_at IS NULL
  ), named AS (
    SELECT p.*, CASE WHEN p.number = 1 THEN (
      SELECT ARRAY[
        (SELECT COALESCE(s.parent_id, s.id) FROM send s
          WHERE ${sameTenant("s", "p")} AND s.source_id = p.source_id),
        COALESCE(
          (SELECT k.id FROM campaign k WHERE ${sameTenant("k", "p")} AND k.key = p.campaign_key),
          (SELECT g.id FROM deleted_campaign g WHERE ${sameTenant("g", "p")} AND g.key = p.campaign_key)),
        c.notification_id,
        COALESCE(
          (SELECT l.id FROM location l WHERE ${sameTenant("l", "p")} AND l.key = p.location_key),
          (SELECT f.id FROM deleted_location f WHERE ${sameTenant("f", "p")} AND f.key = p.location_key))]
      FROM content c WHERE ${sameTenant("c", "p")} AND c.key = p.content_key
    ) END AS first_ids
    FROM picked p
  ), known AS (
    SELECT n.*, max(n.first_ids) OVER (
      PARTITION BY n.source_id, n.campaign_key, n.content_key, n.location_key) AS ids
    FROM named n
  )
  SELECT t.webhook_id AS "webhookId", t.recording, (t.first + i.ord - 1)::int AS index, t.type,
    ${epochMillis("t.recorded_at")} AS "recordedAt", i.data,
    NULL::bigint AS "sourceId", NULL::int AS "deviceKey", false AS "isPending"
  FROM taken t CROSS JOIN LATERAL unnest(t.data) WITH ORDINALITY AS i (data, ord)
  WHERE t.data IS NOT NULL
  UNION ALL
  SELECT t.webhook_id, t.recording, (t.first + i.ord - 1)::int, t.type, ${epochMillis("t.recorded_at")},
    (SELECT json_build_object('id', s.id, 'campaign_id', s.campaign_id, 'campaign_name', c.name,
        'notification_id', s.notification_id, 'notification_name', n.name, 'occurrence', s.occurrence,
        'due_at', ${utc("COALESCE(g.first_at, s.due_at)")}, 'status', s.status,
        'targeted', COALESCE(g.targeted, s.targeted), 'delivered', COALESCE(g.delivered, s.delivered),
        'failed', COALESCE(g.failed, s.failed), 'held', COALESCE(g.held, s.held),
        'dropped', COALESCE(g.dropped, s.dropped), 'started_at', ${utc("s.started_at")},
        'finished_at', ${utc("s.finished_at")}, 'pace', (
          SELECT LEAST(c.max_per_minute, w.max_per_minute) FROM workspace w
          WHERE w.id = s.workspace_id), 'estimated_finish_at', NULL,
        'parts', CASE WHEN s.local_at IS NOT NULL THEN COALESCE(g.parts, '[]') END)::text
      FROM send s
      LEFT JOIN campaign c ON ${sameTenant("c", "s")} AND c.id = s.campaign_id
      LEFT JOIN notification n ON ${sameTenant("n", "s")} AND n.id = s.notification_id
      LEFT JOIN LATERAL (
        SELECT min(p.due_at) AS first_at, sum(p.targeted) AS targeted, sum(p.delivered) AS delivered,
          sum(p.failed) AS failed, sum(p.held) AS held, sum(p.dropped) AS dropped,
          jsonb_agg(jsonb_build_object('due_at', ${utc("p.due_at")}, 'targeted', p.targeted,
            'delivered', p.delivered, 'failed', p.failed, 'status', p.status) ORDER BY p.due_at) AS parts
        FROM send p WHERE ${sameTenant("p", "s")} AND p.parent_id = s.id
      ) AS g ON s.local_at IS NOT NULL WHERE ${sameTenant("s", "t")} AND s.id = i.id), NULL, NULL, false
  FROM taken t CROSS JOIN LATERAL unnest(t.send_ids) WITH ORDINALITY AS i (id, ord)
  WHERE t.send_ids IS NOT NULL
  UNION ALL
  SELECT n.webhook_id, n.recording, n.index, n.type, ${epochMillis("n.recorded_at")},
    CASE WHEN n.device_id IS NOT NULL AND n.ids IS NOT NULL THEN json_build_object(
      'device_id', n.device_id, 'trigger_type', n.trigger_type, 'transport', n.transport,
      'status', n.status, 'attempts', n.attempts, 'last_error', n.last_error, 'cut', COALESCE(n.cut, '[]'),
      'test', n.test, 'variant', n.variant,
      'created_at', ${utc("n.created_at")}, 'held_until', ${utc("n.held_until")},
      'delivered_at', CASE WHEN n.status = 'delivered' THEN ${utc("n.settled_at")} END,
      'opened_at', CASE WHEN n.is_later OR n.opened_at <= n.recorded_at THEN ${utc("n.opened_at")} END,
      'clicked_at', CASE WHEN n.is_later OR n.clicked_at <= n.recorded_at THEN ${utc("n.clicked_at")} END,
      'send_id', n.ids[1], 'campaign_id', n.ids[2], 'notification_id', n.ids[3], 'location_id', n.ids[4]
    )::text END,
    n.source_id, n.device_key, n.is_pending
  FROM known n`;
