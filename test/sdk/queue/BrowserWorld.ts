import { AsyncLocalStorage } from "node:async_hooks";

/** A tab. What it waits for never comes once it was killed. */
export interface Tab {
  isAlive: boolean;
}

interface Transaction {
  readonly tab: Tab;
  readonly pending: Array<() => void>;
  readonly listeners: Map<string, () => void>;
  /** A copy of the stores from its first request on. */
  readonly stores: () => Map<string, Map<IDBValidKey, unknown>>;
}

const copyOf = (stores: ReadonlyMap<string, ReadonlyMap<IDBValidKey, unknown>>) =>
  new Map([...stores].map(([name, rows]) => [name, new Map(rows)]));

/**
 * The storage, locks and tabs of one browser in memory. Every request to them is a step, and the caller
 * chooses the next one, so a seed repeats a run. Code runs in a tab by `run`; a tab can be killed between any
 * two steps: its locks are released, and its open transaction changes nothing.
 */
export class BrowserWorld {
  readonly #tabs = new AsyncLocalStorage<Tab>();
  readonly #steps: Array<{ readonly tab: Tab; readonly step: () => void }> = [];
  readonly #transactions: Array<Transaction> = [];
  readonly #locks: Array<{ readonly tab: Tab; readonly begin: () => void; isHeld: boolean }> = [];
  #stores: Map<string, Map<IDBValidKey, unknown>> = new Map();
  #lastKey = 0;
  /** All entries that were ever committed to the queue, by their keys. */
  readonly committed = new Map<IDBValidKey, unknown>();

  /** The tab that runs the code. */
  tab(): Tab {
    const tab = this.#tabs.getStore();
    if (tab === undefined) throw new Error("Only a tab does this.");
    return tab;
  }

  /** Runs code in a tab. */
  run<A>(tab: Tab, code: () => Promise<A>): Promise<A> {
    return this.#tabs.run(tab, code);
  }

  /** A promise that a later step resolves, if the tab still lives. */
  later<A>(result: () => A): Promise<A> {
    const tab = this.tab();
    return new Promise((resolve) => this.#steps.push({ tab, step: () => resolve(result()) }));
  }

  /** Kills a tab at its next request. Code that a step has resumed runs up to it. */
  async kill(tab: Tab): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    tab.isAlive = false;
    for (const list of [this.#steps, this.#transactions, this.#locks])
      for (let index = list.length - 1; index >= 0; index -= 1)
        if (list[index]?.tab === tab) list.splice(index, 1);
    this.#beginLock();
  }

  /** Makes one step, chosen by a number from 0 to 1. Returns false if nothing runs. */
  async step(choice: number): Promise<boolean> {
    // Lets all code run up to its next request.
    await new Promise((resolve) => setImmediate(resolve));
    const transaction = this.#transactions[0];
    const count = this.#steps.length + (transaction === undefined ? 0 : 1);
    if (count === 0) return false;
    const index = Math.floor(choice * count);
    if (index < this.#steps.length) this.#steps.splice(index, 1)[0]?.step();
    else if (transaction !== undefined) this.#stepIn(transaction);
    return true;
  }

  #stepIn(transaction: Transaction): void {
    const request = transaction.pending.shift();
    if (request !== undefined) {
      request();
      return;
    }
    this.#transactions.shift();
    for (const [name, rows] of transaction.stores()) this.#stores.set(name, rows);
    for (const [key, entry] of transaction.stores().get("queue") ?? [])
      if (!this.committed.has(key)) this.committed.set(key, entry);
    transaction.listeners.get("complete")?.();
  }

  #request<A>(transaction: Transaction | null, run: () => A) {
    const listeners = new Map<string, () => void>();
    const request = {
      result: undefined as A | undefined,
      addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
    };
    const step = (): void => {
      request.result = run();
      listeners.get("upgradeneeded")?.();
      listeners.get("success")?.();
    };
    if (transaction === null) this.#steps.push({ tab: this.tab(), step });
    else transaction.pending.push(step);
    return request;
  }

  /** One transaction runs at a time, as those that write do in a browser. */
  #transaction() {
    let stores: ReturnType<Transaction["stores"]> | undefined;
    const transaction: Transaction = {
      tab: this.tab(),
      pending: [],
      listeners: new Map(),
      stores: () => (stores ??= copyOf(this.#stores)),
    };
    this.#transactions.push(transaction);
    const objectStore = (name: string) => {
      const rows = () => transaction.stores().get(name) ?? new Map<IDBValidKey, unknown>();
      const ask = <A>(run: () => A) => this.#request(transaction, run);
      const sorted = () => [...rows()].toSorted(([a], [b]) => Number(a) - Number(b));
      return {
        get: (key: IDBValidKey) => ask(() => structuredClone(rows().get(key))),
        put: (value: unknown, key: IDBValidKey) => ask(() => rows().set(key, structuredClone(value))),
        add: (value: unknown) => ask(() => rows().set((this.#lastKey += 1), structuredClone(value))),
        delete: (key: IDBValidKey) => ask(() => rows().delete(key)),
        clear: () => ask(() => rows().clear()),
        count: () => ask(() => rows().size),
        getAll: (_: null, limit = Infinity) =>
          ask(() =>
            sorted()
              .slice(0, limit)
              .map(([, value]) => value),
          ),
        getAllKeys: (_: null, limit = Infinity) =>
          ask(() =>
            sorted()
              .slice(0, limit)
              .map(([key]) => key),
          ),
      };
    };
    const addEventListener = (type: string, listener: () => void) =>
      transaction.listeners.set(type, listener);
    return { objectStore, addEventListener };
  }

  #beginLock(): void {
    const [first] = this.#locks;
    if (first === undefined || first.isHeld) return;
    first.isHeld = true;
    first.begin();
  }

  /** `indexedDB` of every tab. */
  readonly indexedDB = {
    open: () =>
      this.#request(null, () => ({
        createObjectStore: (name: string) => {
          if (!this.#stores.has(name)) this.#stores.set(name, new Map());
        },
        transaction: () => this.#transaction(),
        addEventListener: () => {},
      })),
  };

  /** `navigator.locks` of every tab. */
  readonly locks = {
    request: <A>(_: string, run: () => Promise<A>): Promise<A> => {
      const tab = this.tab();
      return new Promise((resolve) => {
        const begin = (): void => {
          const result = this.run(tab, run);
          const end = (): void => {
            const index = this.#locks.indexOf(lock);
            if (index >= 0) this.#locks.splice(index, 1);
            this.#beginLock();
          };
          result.then(end, end);
          resolve(result);
        };
        const lock = { tab, begin, isHeld: false };
        this.#locks.push(lock);
        this.#beginLock();
      });
    },
  };
}
