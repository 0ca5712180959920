import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { SlowClients } from "./SlowClients.ts";

/** How long a request head may still take to arrive after the server closes, in milliseconds. */
const headMillis = 500;

/**
 * How long a socket may be idle during a request, in milliseconds: longer than any response takes to begin.
 */
const stalledMillis = 120_000;

/** How often slow clients are checked for, in milliseconds. */
const checkMillis = 1000;

/**
 * An HTTP server whose `close` waits only for requests in flight. Node's server also waits for idle
 * keep-alive connections and for connections that have sent half a head. This server also disconnects clients
 * that stop reading, for which Node's server waits forever.
 */
export class DrainingServer extends Server {
  readonly #sockets = new Set<Socket>();
  readonly #pending = new Map<ServerResponse, Socket>();

  constructor(options: ServerOptions, slowClients?: SlowClients) {
    super(options);
    this.timeout = stalledMillis;
    this.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    const track = (isExpecting: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      slowClients?.watch(request, response, isExpecting);
      this.#pending.set(response, request.socket);
      response.once("close", () => this.#pending.delete(response));
      if (!this.listening) response.shouldKeepAlive = false;
    };
    this.on("request", track(false));
    // A request with `Expect: 100-continue` causes only this event.
    this.on("checkContinue", track(true));
    if (slowClients !== undefined) {
      const timer = setInterval(() => slowClients.check(performance.now()), checkMillis).unref();
      this.once("close", () => clearInterval(timer));
    }
  }

  override close(callback?: (error?: Error) => void): this {
    // The response then has the header `Connection: close`.
    for (const response of this.#pending.keys()) response.shouldKeepAlive = false;
    setTimeout(() => {
      const busy = new Set(this.#pending.values());
      for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy();
    }, headMillis).unref();
    return super.close(callback);
  }
}
