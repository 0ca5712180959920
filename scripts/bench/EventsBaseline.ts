/**
 * The baseline for an event that fires a message, with the least possible work: node:http, `pg`, and one
 * prepared statement that inserts event and delivery. It has no tokens, campaigns, duplicates, caps, access
 * log or metrics: device and message are given.
 */
import { argument, pool, serve } from "./BaselineServer.ts";

const { campaignKey, contentKey, locationKey, message, notificationKey, workspaceId } = JSON.parse(
  argument,
) as {
  readonly [name: string]: unknown;
};

const text = `
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

interface Event {
  readonly id: string;
  readonly occurred_at: string;
}

serve(async (deviceKey, sent) => {
  const { events } = JSON.parse(sent) as { readonly events: [Event] };
  const [{ id, occurred_at }] = events;
  const now = new Date(performance.timeOrigin + performance.now());
  const { rows } = await pool.query({
    name: "fire",
    text,
    values: [
      workspaceId,
      deviceKey,
      id,
      locationKey,
      occurred_at,
      now,
      campaignKey,
      notificationKey,
      contentKey,
    ],
  });
  const deliveries = [{ id: rows[0]?.source_id, ...(message as object), delivered_at: now.toISOString() }];
  return JSON.stringify({ data: { accepted: 1, duplicates: 0, rejected: [], deliveries } });
});
