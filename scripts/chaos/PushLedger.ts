import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LedgerServer } from "./LedgerServer.ts";

/** One push as it arrived. Each process of Waypost has its own access token, which identifies it. */
export interface Arrival {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** When the response was passed to the system; null before that, and if the caller had hung up. */
  answeredAt: number | null;
  /** When the caller hung up without a response. */
  closedAt: number | null;
}

/** A push provider with FCM's interface that accepts every push after a delay and records it. */
export class PushLedger extends LedgerServer {
  /** All arrivals of each message, in order, by message id. */
  readonly arrivals = new Map<string, Array<Arrival>>();
  readonly #sockets = new Map<string, Set<Socket>>();
  readonly #delay: () => number;
  #tokens = 0;
  #inFlight = 0;

  /** `delay` returns the milliseconds until the response to a push. */
  constructor(delay: () => number) {
    super();
    this.#delay = delay;
  }

  /** Credentials with the address of this provider. */
  get credentials(): object {
    const base_url = this.url;
    const private_key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    });
    const service_account = {
      project_id: "chaos",
      client_email: "chaos@example.com",
      private_key,
      token_uri: `${base_url}/token`,
    };
    return { service_account, base_url };
  }

  /** The number of pushes without a response yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The tokens of connected processes. */
  get connected(): ReadonlySet<string> {
    return new Set([...this.#sockets].filter(([, sockets]) => sockets.size > 0).map(([token]) => token));
  }

  protected override answer(request: IncomingMessage, text: string, response: ServerResponse): void {
    const respond = (body: object) => {
      if (!response.destroyed)
        response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    };
    if (request.url === "/token")
      return respond({ access_token: `token-${++this.#tokens}`, expires_in: 3600 });
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    this.#noteSocket(token, request.socket);
    const { message } = JSON.parse(text) as {
      readonly message: { readonly data: { readonly waypost: string } };
    };
    const { id } = JSON.parse(message.data.waypost) as { readonly id: string };
    const before = this.arrivals.get(id) ?? [];
    const arrival: Arrival = { token, at: Date.now(), answeredAt: null, closedAt: null };
    this.arrivals.set(id, [...before, arrival]);
    this.#inFlight++;
    response.once("finish", () => {
      arrival.answeredAt = Date.now();
    });
    response.once("close", () => {
      if (arrival.answeredAt === null) arrival.closedAt = Date.now();
    });
    setTimeout(() => {
      this.#inFlight--;
      respond({ name: `projects/chaos/messages/${id}` });
    }, this.#delay());
  }

  #noteSocket(token: string, socket: Socket): void {
    const sockets = this.#sockets.get(token) ?? new Set();
    this.#sockets.set(token, sockets);
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  }
}
