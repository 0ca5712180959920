/**
 * What is the least that could be written by hand for an event that fires a message: node:http, `pg`, and one prepared statement
 * that inserts the event and the delivery, which is one transaction and one round trip. It knows no tokens, campaigns,
 * duplicates, caps, access log or metrics: who the device is and what fires comes with its arguments.
 */
import pg from "pg";
import { createServer } from "node:http";

const [socketFolder, user, database, numbers = "{}"] = process.argv.slice(2);
const { campaignNo, contentNo, locationNo, message, notificationNo, workspaceId } = JSON.parse(numbers) as {
  readonly [name: string]: unknown;
};

const pool = new pg.Pool<{ readonly origin: string }>({ host: socketFolder, user, database, max: 20 });

const text = `
  WITH event AS (
    INSERT INTO geofence_event (workspace_id, environment, device_no, id, type, location_no, occurred_at, received_at)
    VALUES ($1, 'production', $2, $3, 'enter', $4, $5, $6)
  )
  INSERT INTO delivery (workspace_id, environment, origin, device_no, campaign_no, notification_no, content_no, content_type,
    trigger_type, location_no, transport, status, created_at, settled_at)
  VALUES ($1, 'production', nextval('delivery_origin'), $2, $7, $8, $9, 'message', 'on_enter', $4, 'inbox', 'delivered', $6, $6)
  RETURNING origin`;

interface Event {
  readonly id: string;
  readonly occurred_at: string;
}

/** Inserts the event and the message that it fires, and tells the answer. */
const fire = async (deviceNo: number, sent: string): Promise<string> => {
  const { events } = JSON.parse(sent) as { readonly events: [Event] };
  const [{ id, occurred_at }] = events;
  const now = new Date(performance.timeOrigin + performance.now());
  const { rows } = await pool.query({
    name: "fire",
    text,
    values: [workspaceId, deviceNo, id, locationNo, occurred_at, now, campaignNo, notificationNo, contentNo],
  });
  const deliveries = [{ id: rows[0]?.origin, ...(message as object), delivered_at: now.toISOString() }];
  return JSON.stringify({ data: { accepted: 1, duplicates: 0, rejected: [], deliveries } });
};

const server = createServer((request, response) => {
  const answer = (status: number, body: string): void => {
    const length = Buffer.byteLength(body);
    response.writeHead(status, { "content-type": "application/json", "content-length": length }).end(body);
  };
  const chunks: Array<Buffer> = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    void fire(Number(request.headers["x-device-no"]), Buffer.concat(chunks).toString()).then(
      (body) => answer(200, body),
      (error: unknown) => answer(500, String(error)),
    );
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    console.log(`Twin is listening on http://127.0.0.1:${address.port}`);
});
process.on("SIGTERM", () => process.exit(0));
