import { Effect } from "effect";
import { createServer, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { Arrivals } from "../Arrivals.ts";
import { listening, readAll } from "../Listening.ts";

/** A call as the receiver got it. */
export interface ReceivedCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: any;
  readonly path: string;
}

/** How a receiver answers: with a status, by itself, or not at all. */
export type Behaviour =
  | number
  | "hang"
  | "reset"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | ((response: ServerResponse) => void);

const respond = (response: ServerResponse, behaviour: Behaviour): void => {
  if (behaviour === "hang") return;
  if (behaviour === "reset") response.destroy();
  else if (typeof behaviour === "function") behaviour(response);
  else if (typeof behaviour === "number") response.writeHead(behaviour).end();
  else response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
};

/** A receiver of webhooks on loopback, which records calls. */
export const testReceiver = Effect.gen(function* () {
  const arrivals = new Arrivals<ReceivedCall>("calls");
  const calls = arrivals.entries;
  let behave: (call: ReceivedCall, number: number) => Behaviour = () => 204;
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    void (async () => {
      const text = (await readAll(request)).toString();
      const headers = request.headers as Record<string, string>;
      const call = { headers, text, body: JSON.parse(text), path: request.url ?? "" };
      arrivals.add(call);
      respond(response, behave(call, calls.length - 1));
    })();
  });
  server.on("connection", (socket) => sockets.add(socket));
  const { close, port } = yield* listening(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    calls,
    /** The number of connections so far. */
    connections: () => sockets.size,
    /** Sets the behaviour from now on, by the call and its number from 0. */
    answer: (next: typeof behave) => {
      behave = next;
    },
    /** All events of the calls, in order. */
    events: (): Array<any> =>
      calls.flatMap(({ body }) => (body.type === "batch" ? body.data : [body]) as Array<any>),
    /** Waits until so many calls have arrived. */
    arrived: (count: number) => arrivals.arrived(count),
    close,
  };
});

/**
 * Whether a call is signed with the secret, by the library of Standard Webhooks. The library refuses
 * timestamps that are far from the real time, so the one of the test's clock is checked first.
 */
export const isSigned = (secret: string, { headers, text }: ReceivedCall, nowMillis: number): boolean => {
  const timestamp = Number(headers["webhook-timestamp"]);
  if (Math.abs(timestamp - nowMillis / 1000) > 1) return false;
  const verifier = new Webhook(secret);
  const expected = verifier.sign(headers["webhook-id"] ?? "", new Date(timestamp * 1000), text);
  return (headers["webhook-signature"] ?? "").split(" ").includes(expected);
};
