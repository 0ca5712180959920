import type { DeviceState } from "../core/DeviceState.ts";
import { changed, type Entry, firstToDrop, maxEntries, withoutLost } from "../core/Entry.ts";
import type { SentAddress } from "../core/PushSubscribing.ts";
import type { Tracking } from "../core/Tracking.ts";

/** The values that are stored beside the queue. */
interface Stored {
  readonly state: DeviceState;
  readonly tracking: Tracking;
  readonly address: SentAddress;
  /** Whether the app asked for pushes. */
  readonly isWanted: boolean;
  /** Settings of the last start, with which the service worker sends. */
  readonly settings: DeviceSettings;
  /** Tokens of devices that were forgotten while the server could not be reached. */
  readonly leaving: ReadonlyArray<string>;
}

/** The server and the app's key. */
export interface DeviceSettings {
  /** The address of the server, without a slash at its end. */
  readonly url: string;
  readonly sdkKey: string;
}

const resultOf = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("The storage failed.")));
  });

const committed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () =>
      reject(transaction.error ?? new Error("The storage failed.")),
    );
  });

/** A stored value; undefined for none. */
const read = <Name extends keyof Stored>(store: IDBObjectStore, name: Name) =>
  resultOf(store.get(name) as IDBRequest<Stored[Name] | undefined>);

const [queue, values] = ["queue", "values"];

/** Notes the token of a device that is to be unregistered. */
const leaves = async (stored: IDBObjectStore, token: string): Promise<void> => {
  stored.put([...((await read(stored, "leaving")) ?? []), token], "leaving");
};

/** The queue and the state of this browser in IndexedDB, which all tabs and the service worker share. */
export class DeviceStore {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  /** Opens the store. @throws if the browser offers no storage */
  static async open(): Promise<DeviceStore> {
    const request = indexedDB.open("waypost", 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore(queue, { autoIncrement: true });
      request.result.createObjectStore(values);
    });
    const database = await resultOf(request);
    database.addEventListener("versionchange", () => database.close());
    return new DeviceStore(database);
  }

  /** Runs statements in one transaction, and waits until they are on disk. */
  async #write<A>(run: (queue: IDBObjectStore, values: IDBObjectStore) => Promise<A>): Promise<A> {
    const transaction = this.#database.transaction([queue, values], "readwrite", { durability: "strict" });
    const end = committed(transaction);
    try {
      const result = await run(transaction.objectStore(queue), transaction.objectStore(values));
      await end;
      return result;
    } catch (error) {
      end.catch(() => {});
      throw error;
    }
  }

  /** A stored value; undefined for none. */
  get<Name extends keyof Stored>(name: Name): Promise<Stored[Name] | undefined> {
    return read(this.#database.transaction(values).objectStore(values), name);
  }

  /** The token of the registered device; null for none. */
  async token(): Promise<string | null> {
    return (await this.get("state"))?.token ?? null;
  }

  /**
   * Replaces a value by what `next` makes of it, and returns it. Undefined changes nothing. Of a device that
   * was forgotten, nothing is stored.
   */
  update<Name extends keyof Stored, Next extends Stored[Name] | undefined>(
    name: Name,
    next: (before: Stored[Name] | undefined) => Next,
  ): Promise<Next> {
    return this.#write(async (_, stored) => {
      const value = next(await read(stored, name));
      const isKept = name === "state" || name === "leaving" || (await read(stored, "state")) !== undefined;
      if (isKept && value !== undefined) stored.put(value, name);
      return value;
    });
  }

  /** The first entries of the queue with their keys. */
  async first(limit: number): Promise<ReadonlyArray<readonly [key: IDBValidKey, entry: Entry]>> {
    const store = this.#database.transaction(queue).objectStore(queue);
    const [keys, entries] = await Promise.all([
      resultOf(store.getAllKeys(null, limit)),
      resultOf(store.getAll(null, limit) as IDBRequest<Array<Entry>>),
    ]);
    return keys.map((key, index) => [key, entries[index] as Entry] as const);
  }

  /** Appends an entry. Returns the one that there is no room for, null for none. @throws if forgotten */
  append(entry: Entry): Promise<Entry | null> {
    return this.#write(async (entries, stored) => {
      const state = await read(stored, "state");
      if (state === undefined) throw new Error("This device was forgotten: call start() again.");
      let dropped: Entry | null = null;
      entries.add(entry);
      if ((await resultOf(entries.count())) > maxEntries) {
        const all = await resultOf(entries.getAll() as IDBRequest<Array<Entry>>);
        const keys = await resultOf(entries.getAllKeys());
        const index = firstToDrop(all);
        dropped = all[index] ?? null;
        entries.delete(keys[index] ?? 0);
      }
      if (entry.type === "change")
        stored.put({ ...state, profile: changed(state.profile, entry.body) }, "state");
      return dropped;
    });
  }

  /** Removes entries that are done, and stores the state after the attempt, in one transaction. */
  settle(keys: ReadonlyArray<IDBValidKey>, before: DeviceState, after: DeviceState): Promise<void> {
    return this.#write(async (entries, stored) => {
      for (const key of keys) entries.delete(key);
      const current = await read(stored, "state");
      const isNew = after.token !== before.token;
      // A device that was forgotten meanwhile stays so: one that was registered meanwhile leaves again.
      if (current?.installation !== before.installation) {
        if (isNew && after.token !== null) await leaves(stored, after.token);
        return;
      }
      // The server knows no earlier position of a new device.
      if (isNew) stored.delete("tracking");
      const profile = withoutLost(current.profile, before.profile, after.profile);
      stored.put({ ...after, profile }, "state");
    });
  }

  /** Empties the store, but for the tokens of devices that leave. */
  forget(): Promise<void> {
    return this.#write(async (entries, stored) => {
      const token = (await read(stored, "state"))?.token ?? null;
      const leaving = (await read(stored, "leaving")) ?? [];
      entries.clear();
      stored.clear();
      stored.put(leaving, "leaving");
      if (token !== null) await leaves(stored, token);
    });
  }
}
