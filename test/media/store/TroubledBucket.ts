import { Effect } from "effect";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of one request; `pass` hands it on to the real bucket. */
export type Trouble = (
  pass: (most?: number) => void,
  incoming: IncomingMessage,
  answer: ServerResponse,
) => void;

/** An address that hands requests on to a bucket, in ways that a test decides, until the scope closes. */
export const troubledBucket = (endpoint: string) =>
  Effect.gen(function* () {
    const seen: Array<IncomingMessage> = [];
    const state = { trouble: ((pass) => pass()) as Trouble };
    const server = createServer((incoming, answer) => {
      seen.push(incoming);
      /** Breaks the connection off after `most` bytes of the body. */
      const pass = (most = Infinity): void => {
        const { headers, method, url } = incoming;
        // With its headers as they are: they are signed.
        const outgoing = request(endpoint + (url ?? ""), { method, headers, agent: false }, (response) => {
          answer.writeHead(response.statusCode ?? 0, response.headers);
          let left = most;
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
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void));
          server.closeAllConnections();
        }),
    );
    const { port } = server.address() as AddressInfo;
    return { endpoint: `http://127.0.0.1:${port}`, seen, state };
  });
