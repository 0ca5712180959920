import { Effect } from "effect";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { listening } from "../../Listening.ts";

/**
 * Handles one request. `pass` forwards it to the real bucket, and breaks the connection after `maxBytes` of
 * the response body.
 */
export type Trouble = (
  pass: (maxBytes?: number) => void,
  incoming: IncomingMessage,
  answer: ServerResponse,
) => void;

/** A proxy in front of a bucket with faults that a test controls. It runs until the scope closes. */
export const troubledBucket = (endpoint: string) =>
  Effect.gen(function* () {
    const seen: Array<IncomingMessage> = [];
    const connections = new Set<Socket>();
    const state = { trouble: ((pass) => pass()) as Trouble };
    const server = createServer((incoming, answer) => {
      seen.push(incoming);
      const pass = (maxBytes = Infinity): void => {
        const { headers, method, url } = incoming;
        // The headers are signed, so they stay as they are.
        const outgoing = request(endpoint + (url ?? ""), { method, headers, agent: false }, (response) => {
          answer.writeHead(response.statusCode ?? 0, response.headers);
          let left = maxBytes;
          response.on("data", (piece: Buffer) => {
            answer.write(piece.subarray(0, left));
            left -= piece.length;
            if (left <= 0) answer.destroy();
          });
          response.on("end", () => answer.end());
        });
        outgoing.on("error", () => answer.destroy());
        answer.on("close", () => outgoing.destroy());
        incoming.pipe(outgoing);
      };
      state.trouble(pass, incoming, answer);
    });
    server.on("connection", (socket) => connections.add(socket));
    const { port } = yield* listening(server);
    return { endpoint: `http://127.0.0.1:${port}`, seen, connections, state };
  });
