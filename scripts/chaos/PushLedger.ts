import { Effect } from "effect";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One push as it came in; each process of Waypost asks for an access token of its own, which tells them apart. */
export interface Arrival {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** When the answer was given to the system for sending; null while it was not, and where the caller had hung up before. */
  answeredAt: number | null;
  /** When the caller hung up without an answer. */
  closedAt: number | null;
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** A push service that speaks FCM's interface, takes everything after a while, and writes down what came in. */
export class PushLedger {
  /** Every arrival of each message, in order, by the message's id. */
  readonly arrivals = new Map<string, Array<Arrival>>();
  readonly #sockets = new Map<string, Set<Socket>>();
  readonly #delay: () => number;
  readonly #server: Server;
  #tokens = 0;
  #inFlight = 0;

  constructor(delay: () => number) {
    this.#delay = delay;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.keepAliveTimeout = 600_000;
  }

  /** Listens for as long as the scope is open; `delay` gives the milliseconds until a push is answered. */
  static readonly listening = (delay: () => number) =>
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<PushLedger>((resolve) => {
            const ledger = new PushLedger(delay);
            ledger.#server.listen(0, "127.0.0.1", () => resolve(ledger));
          }),
      ),
      (ledger) =>
        Effect.sync(() => {
          ledger.#server.close();
          ledger.#server.closeAllConnections();
        }),
    );

  /** Credentials with which Waypost speaks to this service and to no other. */
  get credentials(): object {
    const { port } = this.#server.address() as AddressInfo;
    const base_url = `http://127.0.0.1:${port}`;
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

  /** How many pushes have come in and are not answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The tokens of processes that are connected now. */
  get connected(): ReadonlySet<string> {
    return new Set([...this.#sockets].filter(([, sockets]) => sockets.size > 0).map(([token]) => token));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Whoever was killed asks no more.
    const text = await textOf(request).catch(() => null);
    if (text === null) return;
    const say = (body: object) => {
      if (!response.destroyed)
        response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    };
    if (request.url === "/token") return say({ access_token: `token-${++this.#tokens}`, expires_in: 3600 });
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    this.#note(token, request.socket);
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
      say({ name: `projects/chaos/messages/${id}` });
    }, this.#delay());
  }

  #note(token: string, socket: Socket): void {
    const sockets = this.#sockets.get(token) ?? new Set();
    this.#sockets.set(token, sockets);
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  }
}
