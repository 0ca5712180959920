/** The server of the baselines for device requests: node:http around one prepared statement. */
import pg from "pg";
import { createServer } from "node:http";

const [socketFolder, user, database, argument = ""] = process.argv.slice(2);

/** The argument from the bench. */
export { argument };

/** As many connections as Waypost has. */
export const pool = new pg.Pool<{ readonly source_id: string }>({
  host: socketFolder,
  user,
  database,
  max: 20,
});

/** Answers requests by device key, body and path, until the process is stopped. */
export const serve = (answer: (deviceKey: number, body: string, path: string) => Promise<string>): void => {
  const server = createServer((request, response) => {
    const send = (status: number, body: string): void => {
      const length = Buffer.byteLength(body);
      response.writeHead(status, { "content-type": "application/json", "content-length": length }).end(body);
    };
    const chunks: Array<Buffer> = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const deviceKey = Number(request.headers["x-device-key"]);
      void answer(deviceKey, Buffer.concat(chunks).toString(), request.url ?? "").then(
        (body) => send(200, body),
        (error: unknown) => send(500, String(error)),
      );
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object")
      console.log(`Baseline is listening on http://127.0.0.1:${address.port}`);
  });
  process.on("SIGTERM", () => process.exit(0));
};
