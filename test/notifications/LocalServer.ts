import { Effect } from "effect";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server on loopback for one test; `asked` lists the requests that it got as "METHOD /path". */
export const localServer = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ port: number; asked: Array<string>; close: () => void }>((resume) => {
      const asked: Array<string> = [];
      const server = createServer((request, response) => {
        asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
        answer(request, response);
      });
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        const close = () => {
          server.close();
          server.closeAllConnections();
        };
        resume(Effect.succeed({ port, asked, close }));
      });
    }),
    (server) => Effect.sync(server.close),
  );

/** Responds to each path with a status and, for a redirect, a location. */
export const answers =
  (paths: Readonly<Record<string, number | readonly [status: number, location: string]>>) =>
  ({ url }: IncomingMessage, response: ServerResponse) => {
    const found = paths[url ?? ""] ?? 404;
    const [status, location] = typeof found === "number" ? [found] : found;
    response.writeHead(status, location === undefined ? {} : { location }).end();
  };
