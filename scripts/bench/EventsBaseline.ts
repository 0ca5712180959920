/**
 * The baseline for an event that fires a message, with the least possible work: node:http, `pg`, and one
 * prepared statement that inserts event and delivery; of a custom event the push in the queue, too. It has no
 * tokens, campaigns, duplicates, caps, access log or metrics: device and message are given.
 */
import { argument, pool, serve } from "./BaselineServer.ts";

const { campaignKey, contentKey, locationKey, message, notificationKey, workspaceId } = JSON.parse(
  argument,
) as {
  readonly [name: string]: unknown;
};

const enter = `
  WITH event AS (
    INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at,
      received_at)
    VALUES ($1, 'production', $2, $3, 'enter', $4, $5, $6)
  )
  INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
    content_key, content_type, trigger_type, location_key, transport, status, created_at, settled_at)
  VALUES ($1, 'production', nextval('delivery_source_id'), $2, $7, $8, $9, 'message', 'on_enter', $4, 'inbox',
    'delivered', $6, $6)
  RETURNING source_id`;

const custom = `
  WITH event AS (
    INSERT INTO custom_event (workspace_id, environment, unit, id, device_key, name, properties, key,
      occurred_at, received_at)
    VALUES ($1, 'production', $2, $3, $2, $8, $9, $3, $4, $5)
  ), made AS (
    INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
      content_key, content_type, trigger_type, transport, status, created_at)
    VALUES ($1, 'production', nextval('delivery_source_id'), $2, $6, $7, 1, 'message', 'on_event', 'webpush',
      'queued', $5)
    RETURNING source_id
  )
  INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
  SELECT $1, 'production', source_id, $2, 'webpush', $5 FROM made
  RETURNING source_id`;

interface Event {
  readonly type: string;
  readonly id: string;
  readonly occurred_at: string;
  readonly name: string;
  readonly properties: unknown;
}

/** Stores an event with its delivery, and gives the delivery as the response has it. */
const store = async (deviceKey: number, event: Event) => {
  const { id, name, occurred_at, properties, type } = event;
  const now = new Date(performance.timeOrigin + performance.now());
  const campaign = [campaignKey, notificationKey];
  const values =
    type === "custom"
      ? [workspaceId, deviceKey, id, occurred_at, now, ...campaign, name, properties]
      : [workspaceId, deviceKey, id, locationKey, occurred_at, now, ...campaign, contentKey];
  const { rows } = await pool.query({ name: type, text: type === "custom" ? custom : enter, values });
  return { id: rows[0]?.source_id, ...(message as object), delivered_at: now.toISOString() };
};

serve(async (deviceKey, sent) => {
  const { events } = JSON.parse(sent) as { readonly events: ReadonlyArray<Event> };
  const deliveries = await Promise.all(events.map((event) => store(deviceKey, event)));
  return JSON.stringify({ data: { accepted: events.length, duplicates: 0, rejected: [], deliveries } });
});
