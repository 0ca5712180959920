import { Effect } from "effect";

/** The limit of a wait for an arrival, in milliseconds of real time. */
const maxWaitMillis = 100_000;

/** Records what arrives at a local server, and wakes tests that wait for a number of arrivals. */
export class Arrivals<Entry> {
  readonly entries: Array<Entry> = [];
  readonly #what: string;
  readonly #waiting = new Set<() => void>();

  constructor(what: string) {
    this.#what = what;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    for (const check of this.#waiting) check();
  }

  /** Waits until so many entries have arrived. Dies after 100 seconds. */
  arrived(count: number): Effect.Effect<void> {
    return Effect.promise(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const check = (): void => {
        if (this.entries.length >= count) resolve();
      };
      const limit = AbortSignal.timeout(maxWaitMillis);
      limit.addEventListener("abort", () => {
        reject(new Error(`Only ${this.entries.length} ${this.#what} of ${count} arrived`));
      });
      this.#waiting.add(check);
      check();
      await promise.finally(() => this.#waiting.delete(check));
    });
  }
}
