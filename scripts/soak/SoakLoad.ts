/** The mix of requests of a soak test. */
import { Agent } from "node:http";
import { exchange, type PacedRequest, quantile } from "../bench/PacedLoad.ts";
import { visits } from "../bench/VisitRequests.ts";
import { createOnce, grid, type SoakWorld } from "./SoakWorld.ts";

/** Results of a period's requests. */
export interface Tally {
  readonly requests: number;
  /** Requests without a response in 2xx, by kind and status or error. */
  readonly errors: ReadonlyMap<string, number>;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const maxOpenable = 1_000;

const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[Math.floor(Math.random() * list.length)];

/** Requests of a mix, and the count of their results. */
export class SoakLoad {
  readonly #world: SoakWorld;
  readonly #agent: Agent;
  readonly #visit: ReturnType<typeof visits>;
  /** Messages of the device lists, which are opened later. */
  readonly #openable: Array<{ readonly id: string; readonly token: string }> = [];
  #errors = new Map<string, number>();
  #times: Array<number> = [];

  constructor(world: SoakWorld, connections: number) {
    this.#world = world;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#visit = visits(world.deviceTokens.length, world.locationIds);
  }

  /** Does one piece of the mix: most are one request. Never fails. */
  readonly step = async (): Promise<void> => {
    const share = Math.random();
    if (share < 0.4) return this.#report();
    if (share < 0.55) return this.#move();
    if (share < 0.78) return this.#readMessages();
    if (share < 0.88) return this.#open();
    if (share < 0.95) return this.#list();
    if (share < 0.99) return this.#readReport();
    return this.attempt("create once", () => createOnce(this.#world));
  };

  /** Reads the CSV file of all deliveries. */
  readonly readCsv = (): Promise<void> =>
    this.#send("csv", {
      method: "GET",
      url: `${this.#world.platform}/deliveries?format=csv`,
      token: this.#world.token,
    }).then(() => undefined);

  /** Does something that counts as an error when it fails. */
  readonly attempt = async (kind: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      this.#note(kind, error instanceof Error ? error.message : String(error));
    }
  };

  /** The requests since the last call. */
  readonly take = (): Tally => {
    const sorted = this.#times.toSorted((a, b) => a - b);
    const tally: Tally = {
      requests: sorted.length,
      errors: this.#errors,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
    };
    this.#times = [];
    this.#errors = new Map();
    return tally;
  };

  readonly end = (): void => this.#agent.destroy();

  #note(kind: string, what: string): void {
    const key = `${kind}: ${what}`;
    this.#errors.set(key, (this.#errors.get(key) ?? 0) + 1);
  }

  async #send(kind: string, each: PacedRequest): Promise<string> {
    let text = "";
    await this.attempt(kind, async () => {
      const answer = await exchange(this.#agent, each);
      // A file takes as long as it is long.
      if (kind !== "csv") this.#times.push(answer.millis);
      if (answer.status < 200 || answer.status > 299) throw new Error(`status ${answer.status}`);
      text = answer.text;
    });
    return text;
  }

  async #report(): Promise<void> {
    const { device, deviceTokens } = this.#world;
    const visit = this.#visit();
    const token = deviceTokens[visit.device] ?? "";
    await this.#send("event", { method: "POST", url: `${device}/events`, token, body: visit.body });
  }

  async #move(): Promise<void> {
    const { device, deviceTokens } = this.#world;
    const position = {
      latitude: grid.latitude + Math.random() * grid.rows * grid.step,
      longitude: grid.longitude + Math.random() * grid.columns * grid.step,
      accuracy_meters: 10,
      recorded_at: new Date().toISOString(),
    };
    const body = JSON.stringify({ positions: [position] });
    const token = pick(deviceTokens) ?? "";
    await this.#send("position", { method: "POST", url: `${device}/positions`, token, body });
  }

  async #readMessages(): Promise<void> {
    const token = pick(this.#world.deviceTokens) ?? "";
    const text = await this.#send("messages", {
      method: "GET",
      url: `${this.#world.device}/messages`,
      token,
    });
    if (text === "") return;
    const { data } = JSON.parse(text) as { readonly data: ReadonlyArray<{ readonly id: string }> };
    const message = pick(data);
    if (message !== undefined && this.#openable.length < maxOpenable)
      this.#openable.push({ id: message.id, token });
  }

  async #open(): Promise<void> {
    const message = this.#openable.shift();
    if (message === undefined) return this.#readMessages();
    const url = `${this.#world.device}/messages/${message.id}/opened`;
    await this.#send("open", { method: "POST", url, token: message.token });
  }

  async #list(): Promise<void> {
    const { platform, token } = this.#world;
    const path = pick(["campaigns?limit=20", "locations?limit=50", "devices?limit=50", "sends", "segments"]);
    await this.#send("list", { method: "GET", url: `${platform}/${path ?? ""}`, token });
  }

  async #readReport(): Promise<void> {
    const { platform, token } = this.#world;
    const report = pick(["summary", "campaigns", "locations", "notifications", "interactions"]) ?? "";
    const format = Math.random() < 0.3 ? "?format=csv" : "";
    await this.#send("report", { method: "GET", url: `${platform}/reports/${report}${format}`, token });
  }
}
