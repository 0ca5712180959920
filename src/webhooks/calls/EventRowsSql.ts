/** The SQL that reads recorded events with their data. */
import type { SqlClient, Statement } from "effect/sql";
import { epochMillis, utc } from "../../database/Rows.ts";
import { sameTenant } from "../../database/TenantColumns.ts";

/** A recorded event. `data` is a JSON object without environment and workspace; instants are epoch milliseconds. */
export interface EventRow {
  readonly webhookId: string;
  readonly recording: bigint;
  /** Its index in the recording, from 0. */
  readonly index: number;
  readonly type: string;
  readonly recordedAt: number;
  /** Null if the rows that it refers to are gone. */
  readonly data: string | null;
}

/** An event as it is read. `data` of an event about a message lacks the message's id, which has this key. */
export interface RecordedEventRow extends EventRow {
  readonly sourceId: bigint | null;
  readonly deviceKey: number | null;
}

/**
 * Selects the events of `taken`, a common table expression with the columns of `webhook_event`, whose arrays
 * hold only the events to read, and `first`, the index of the first of these. A single source id stands for
 * all deliveries. `message.delivered` and `message.failed` show the delivery as it was then.
 */
export const eventRowsSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  SELECT t.webhook_id AS "webhookId", t.recording, (t.first + i.ord - 1)::int AS index, t.type,
    ${epochMillis("t.recorded_at")} AS "recordedAt", i.data,
    NULL::bigint AS "sourceId", NULL::int AS "deviceKey"
  FROM taken t CROSS JOIN LATERAL unnest(t.data) WITH ORDINALITY AS i (data, ord)
  WHERE t.data IS NOT NULL
  UNION ALL
  SELECT t.webhook_id, t.recording, (t.first + i.ord - 1)::int, t.type, ${epochMillis("t.recorded_at")},
    (SELECT json_build_object('id', s.id, 'campaign_id', s.campaign_id, 'notification_id', s.notification_id,
        'due_at', ${utc("s.due_at")}, 'status', s.status, 'targeted', s.targeted, 'delivered', s.delivered,
        'failed', s.failed, 'started_at', ${utc("s.started_at")}, 'finished_at', ${utc("s.finished_at")})::text
      FROM send s WHERE ${sameTenant("s", "t")} AND s.id = i.id), NULL, NULL
  FROM taken t CROSS JOIN LATERAL unnest(t.send_ids) WITH ORDINALITY AS i (id, ord)
  WHERE t.send_ids IS NOT NULL
  UNION ALL
  SELECT t.webhook_id, t.recording, (t.first + i.ord - 1)::int, t.type, ${epochMillis("t.recorded_at")},
    (SELECT json_build_object('send_id', s.id, 'campaign_id', COALESCE(k.id, g.id),
        'notification_id', c.notification_id, 'device_id', v.id, 'trigger_type', d.trigger_type,
        'location_id', COALESCE(l.id, f.id), 'transport', d.transport, 'status', d.status,
        'attempts', d.attempts, 'last_error', d.last_error, 'created_at', ${utc("d.created_at")},
        'delivered_at', CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END,
        'opened_at', CASE WHEN p.is_later OR d.opened_at <= t.recorded_at THEN ${utc("d.opened_at")} END,
        'clicked_at', CASE WHEN p.is_later OR d.clicked_at <= t.recorded_at THEN ${utc("d.clicked_at")} END
      )::text
      FROM delivery d
      JOIN content c ON ${sameTenant("c", "d")} AND c.key = d.content_key
      JOIN device v ON ${sameTenant("v", "d")} AND v.key = d.device_key
      LEFT JOIN campaign k ON ${sameTenant("k", "d")} AND k.key = d.campaign_key
      LEFT JOIN deleted_campaign g ON ${sameTenant("g", "d")} AND g.key = d.campaign_key
      LEFT JOIN send s ON ${sameTenant("s", "d")} AND s.source_id = d.source_id
      LEFT JOIN location l ON ${sameTenant("l", "d")} AND l.key = d.location_key
      LEFT JOIN deleted_location f ON ${sameTenant("f", "d")} AND f.key = d.location_key
      WHERE ${sameTenant("d", "t")} AND d.device_key = i.device_key
        AND d.source_id = COALESCE(i.source_id, t.source_ids[1])),
    COALESCE(i.source_id, t.source_ids[1]), i.device_key
  FROM taken t
  CROSS JOIN LATERAL unnest(t.device_keys, t.source_ids) WITH ORDINALITY AS i (device_key, source_id, ord)
  CROSS JOIN LATERAL (SELECT t.type IN ('message.opened', 'message.clicked') AS is_later) AS p
  WHERE t.device_keys IS NOT NULL`;
