import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long a request head may still take to arrive after the server closes, in milliseconds. */
const headMillis = 500;

/**
 * How long a socket may be idle during a request, in milliseconds: longer than any response takes to begin.
 */
const stalledMillis = 120_000;

/**
 * An HTTP server whose `close` waits only for requests in flight. Node's server also waits for idle
 * keep-alive connections and for connections that have sent half a head. This server also disconnects clients
 * that stop reading, for which Node's server waits forever.
 */
export class DrainingServer extends Server {
  readonly #sockets = new Set<Socket>();
  readonly #pending = new Set<ServerResponse>();

  constructor(options: ServerOptions) {
    super(options);
    this.timeout = stalledMillis;
    this.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    const track = (_: IncomingMessage, response: ServerResponse) => {
      this.#pending.add(response);
      response.once("close", () => this.#pending.delete(response));
      if (!this.listening) response.shouldKeepAlive = false;
    };
    this.on("request", track);
    // A request with `Expect: 100-continue` causes only this event.
    this.on("checkContinue", track);
  }

  override close(callback?: (error?: Error) => void): this {
    // The response then has the header `Connection: close`.
    for (const response of this.#pending) response.shouldKeepAlive = false;
    setTimeout(() => {
      const busy = new Set([...this.#pending].map((response) => response.socket));
      for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy();
    }, headMillis).unref();
    return super.close(callback);
  }
}
