import { Effect } from "effect";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listening } from "../Listening.ts";

/** A web server on loopback for one test; `asked` lists the requests that it got as "METHOD /path". */
export const localServer = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.suspend(() => {
    const asked: Array<string> = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
      answer(request, response);
    });
    return Effect.map(listening(server), (opened) => ({ ...opened, asked }));
  });

/** Responds to each path with a status and, for a redirect, a location. */
export const answers =
  (paths: Readonly<Record<string, number | readonly [status: number, location: string]>>) =>
  ({ url }: IncomingMessage, response: ServerResponse) => {
    const found = paths[url ?? ""] ?? 404;
    const [status, location] = typeof found === "number" ? [found] : found;
    response.writeHead(status, location === undefined ? {} : { location }).end();
  };
