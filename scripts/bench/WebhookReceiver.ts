/**
 * A receiver of webhooks in a process of its own: it answers 204, under /fail one call in five with 503, or
 * never under /hang. `GET /figures` has the calls and events so far, and the lags of the events in
 * milliseconds; reading it resets them.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

let calls = 0;
let events = 0;
let lags: Array<number> = [];

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
};

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ calls, events, lags }));
    [calls, events, lags] = [0, 0, []];
    return;
  }
  if (request.url?.startsWith("/hang") === true) return void request.resume();
  void (async () => {
    const text = await textOf(request);
    calls++;
    // Counting is cheaper than parsing: the receiver shares the machine.
    const isBatch = text.startsWith('{"type":"batch"');
    // Each event has a timestamp, and so has the batch itself.
    events += isBatch ? text.split('"timestamp":"').length - 2 : 1;
    const at = /"made_at":(\d+)/.exec(text)?.[1];
    if (at !== undefined) lags.push(Date.now() - Number(at));
    response.writeHead(request.url?.startsWith("/fail") === true && calls % 5 === 0 ? 503 : 204).end();
  })();
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("SIGTERM", () => process.exit(0));
