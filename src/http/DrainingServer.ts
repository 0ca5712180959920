import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long a head that is under way when the server closes may take to arrive, in milliseconds. */
const headMillis = 500;

/** How long a client may take nothing of an answer that is on its way, in milliseconds. Longer than any answer takes to begin. */
const stalledMillis = 120_000;

/**
 * An HTTP server whose `close` waits for requests in flight and for nothing else. Node's own also waits for a connection that
 * stays open after its answer, as clients keep them, and for one that has sent half a head. It hangs up on a client that stopped reading,
 * for whom Node's own waits forever.
 */
export class DrainingServer extends Server {
  readonly #sockets = new Set<Socket>();
  readonly #unanswered = new Set<ServerResponse>();

  constructor(options: ServerOptions) {
    super(options);
    this.timeout = stalledMillis;
    this.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    const note = (_: IncomingMessage, response: ServerResponse) => {
      this.#unanswered.add(response);
      response.once("close", () => this.#unanswered.delete(response));
      if (!this.listening) response.shouldKeepAlive = false;
    };
    this.on("request", note);
    // Who serves must listen to this one too: a request that asks before it sends its body comes here alone.
    this.on("checkContinue", note);
  }

  override close(callback?: (error?: Error) => void): this {
    // Their answers say that the connection ends with them.
    for (const response of this.#unanswered) response.shouldKeepAlive = false;
    setTimeout(() => {
      const busy = new Set([...this.#unanswered].map((response) => response.socket));
      for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy();
    }, headMillis).unref();
    return super.close(callback);
  }
}
