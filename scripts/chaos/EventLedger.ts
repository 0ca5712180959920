import type { IncomingMessage, ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { type Faults, without } from "./ChaosRun.ts";
import { LedgerServer } from "./LedgerServer.ts";

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
export class EventLedger extends LedgerServer {
  /** Event ids by type and id of the resource; more than one id for one change would be a second event. */
  readonly events = new Map<string, Set<string>>();
  /** How often each event arrived in a call that was answered with success. */
  readonly arrivals = new Map<string, number>();
  /** Calls that were answered otherwise. */
  refused = 0;
  calls = 0;
  unsigned = 0;
  readonly #secrets: Array<Webhook> = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    super();
    this.#random = random;
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

  protected override async answer(
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
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

  /** Compares the events of a type with the ids of the resources that must have one. */
  check(type: string, expected: ReadonlySet<string>, faults: Faults): void {
    const keys = new Set([...expected].map((id) => `${type}/${id}`));
    const arrived = [...this.events.keys()].filter((key) => key.startsWith(`${type}/`));
    faults[`webhook events lost, ${type}`] = without(keys, this.events);
    faults[`webhook events of nothing, ${type}`] = without(arrived, keys);
    faults["webhook events with two ids"] = [...this.events.values()].filter(({ size }) => size > 1).length;
    faults["webhook calls with a wrong signature"] = this.unsigned;
  }
}
