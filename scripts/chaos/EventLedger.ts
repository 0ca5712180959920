import { Effect } from "effect";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** An event that a webhook sent. */
interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string };
}

/**
 * A receiver of webhooks that keeps a ledger: the event ids that arrived, by type and resource. It verifies
 * every signature. A share of the calls is refused, hangs up, or is answered late.
 */
export class EventLedger {
  /** Event ids by type and id of the resource; more than one id for one change would be a second event. */
  readonly events = new Map<string, Set<string>>();
  /** How often each event arrived in a call that was answered with success. */
  readonly arrivals = new Map<string, number>();
  /** Calls that were answered otherwise. */
  refused = 0;
  calls = 0;
  unsigned = 0;
  readonly #secrets: Array<Webhook> = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Listens until the scope closes. */
  static readonly listening = (random: () => number) =>
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<EventLedger>((resolve) => {
            const ledger = new EventLedger(random);
            ledger.#server.listen(0, "127.0.0.1", () => resolve(ledger));
          }),
      ),
      (ledger) =>
        Effect.sync(() => {
          ledger.#server.close();
          ledger.#server.closeAllConnections();
        }),
    );

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Adds the secret of a webhook. */
  trust(secret: string): void {
    this.#secrets.push(new Webhook(secret));
  }

  #isSigned(body: string, headers: Record<string, string>): boolean {
    return this.#secrets.some((secret) => {
      try {
        secret.verify(body, headers);
        return true;
      } catch {
        return false;
      }
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The request of a killed process ends early.
      return;
    }
    const body = Buffer.concat(chunks).toString("utf8");
    this.calls++;
    if (!this.#isSigned(body, request.headers as Record<string, string>)) this.unsigned++;
    const share = this.#random();
    if (share < 0.01) {
      this.refused++;
      if (share < 0.005) response.writeHead(500).end();
      else response.destroy();
      return;
    }
    if (share < 0.1) await new Promise((resolve) => setTimeout(resolve, this.#random() * 1_000));
    const parsed = JSON.parse(body) as SentEvent & { readonly data: unknown };
    const events = parsed.type === "batch" ? (parsed.data as unknown as ReadonlyArray<SentEvent>) : [parsed];
    for (const { data, id, type } of events) {
      const key = `${type}/${data.id}`;
      const ids = this.events.get(key) ?? new Set();
      ids.add(id);
      this.events.set(key, ids);
      this.arrivals.set(id, (this.arrivals.get(id) ?? 0) + 1);
    }
    response.writeHead(204).end();
  }
}
