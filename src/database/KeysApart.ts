/** How long a key that was slow has batches of its own, in milliseconds. */
const apartMillis = 60_000;
/** More keys than that are slow for another reason, such as the database, and stay together. */
const maxKeys = 64;

/** The keys whose calls have batches of their own (`Batched.ts`). Times are epoch milliseconds. */
export class KeysApart<Key> {
  readonly #entries = new Map<Key, { readonly until: number; readonly isSuspect: boolean }>();

  /** Whether any key can be apart: nearly always none is. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  has(key: Key, now: number): boolean {
    return now < (this.#entries.get(key)?.until ?? -Infinity);
  }

  /** A key of a slow batch with others: apart until a batch of its own is fast. */
  suspect(key: Key, now: number): void {
    if (!this.has(key, now)) this.#set(key, now, true);
  }

  /** A key that was slow, or failed, by itself: apart for a minute. */
  slow(key: Key, now: number): void {
    this.#set(key, now, false);
  }

  /** A key whose own batch was fast: no longer apart if it was only suspect. */
  fast(key: Key): void {
    if (this.#entries.get(key)?.isSuspect === true) this.#entries.delete(key);
  }

  #set(key: Key, now: number, isSuspect: boolean): void {
    for (const [each, { until }] of this.#entries) if (until <= now) this.#entries.delete(each);
    if (this.#entries.size < maxKeys || this.#entries.has(key))
      this.#entries.set(key, { until: now + apartMillis, isSuspect });
  }
}
