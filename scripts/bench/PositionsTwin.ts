/**
 * What is the least that could be written by hand for a position that shows no enter or exit: node:http, `pg`, and one prepared
 * statement that keeps when the device was last seen somewhere. It knows no tokens, places, access log or metrics, reads nothing, and
 * does not hold the device.
 */
import pg from "pg";
import { createServer } from "node:http";

const [socketFolder, user, database, workspaceId] = process.argv.slice(2);

const pool = new pg.Pool({ host: socketFolder, user, database, max: 20 });

const text = `
  INSERT INTO device_fix (workspace_id, environment, device_no, recorded_at) VALUES ($1, 'production', $2, $3)
  ON CONFLICT (workspace_id, environment, device_no) DO UPDATE SET recorded_at = EXCLUDED.recorded_at`;

interface Fix {
  readonly recorded_at: string;
}

const keep = async (deviceNo: number, sent: string): Promise<string> => {
  const { positions } = JSON.parse(sent) as { readonly positions: [Fix] };
  await pool.query({ name: "keep", text, values: [workspaceId, deviceNo, positions[0].recorded_at] });
  return JSON.stringify({ data: { accepted: 1, stale: 0, rejected: [], transitions: [], deliveries: [] } });
};

const server = createServer((request, response) => {
  const answer = (status: number, body: string): void => {
    const length = Buffer.byteLength(body);
    response.writeHead(status, { "content-type": "application/json", "content-length": length }).end(body);
  };
  const chunks: Array<Buffer> = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    void keep(Number(request.headers["x-device-no"]), Buffer.concat(chunks).toString()).then(
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
