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

const pool = new pg.Pool({ host: socketFolder, user, database, max: 20 });

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

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly events: [Event] };
    const [{ id, occurred_at }] = events;
    const deviceNo = Number(request.headers["x-device-no"]);
    const now = new Date(performance.timeOrigin + performance.now());
    const values = [
      workspaceId,
      deviceNo,
      id,
      locationNo,
      occurred_at,
      now,
      campaignNo,
      notificationNo,
      contentNo,
    ];
    pool.query<{ readonly origin: string }>({ name: "fire", text, values }).then(
      ({ rows }) => {
        const deliveries = [{ id: rows[0]?.origin, ...(message as object), delivered_at: now.toISOString() }];
        const body = JSON.stringify({ data: { accepted: 1, duplicates: 0, rejected: [], deliveries } });
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        });
        response.end(body);
      },
      (error: unknown) => {
        response.writeHead(500).end(String(error));
      },
    );
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    console.log(`Twin is listening on http://127.0.0.1:${address.port}`);
});
process.on("SIGTERM", () => process.exit(0));
