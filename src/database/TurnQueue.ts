import { MutableList } from "effect";

/** The key of an item: calls of different keys must not wait for each other for long. */
export type Key = string | number;

/** How many calls one batch takes. */
export interface BatchLimits<Item> {
  readonly maxBatch: number;
  readonly keyOf: (item: Item) => Key;
  /** The work of an item, such as its rows; 0 if left out. */
  readonly sizeOf?: (item: Item) => number;
  /** A batch with so much work takes no further item. */
  readonly maxSize?: number;
}

/** So many calls of each key on average are a flood of a few keys. */
const minCallsOfKey = 4;

/**
 * Calls that wait for a batch. A batch takes them round-robin: one of each key before another one of any.
 * So a call of a key without others is in the next batch however many calls of another key wait, unless
 * a whole batch of keys waits, too. Calls of one key keep their order. Adding and taking a call cost the same
 * however many wait.
 */
export class TurnQueue<Item, Call extends { readonly item: Item }> {
  readonly #limits: BatchLimits<Item>;
  /** The calls of each key. The key that is served next comes first. */
  readonly #calls = new Map<Key, MutableList.MutableList<Call>>();
  #length = 0;

  constructor(limits: BatchLimits<Item>) {
    this.#limits = limits;
  }

  /** The number of calls that wait. */
  get length(): number {
    return this.#length;
  }

  add(call: Call): void {
    const key = this.#limits.keyOf(call.item);
    const own = this.#calls.get(key) ?? MutableList.make<Call>();
    if (own.length === 0) this.#calls.set(key, own);
    MutableList.append(own, call);
    this.#length++;
  }

  /** Takes the calls of the next batch, at least one if any waits: those of other keys than `except`. */
  take(except?: ReadonlySet<Key>): ReadonlyArray<Call> {
    const { maxBatch, maxSize = Infinity, sizeOf = () => 0 } = this.#limits;
    const batch: Array<Call> = [];
    let size = 0;
    // The loop comes again to a key that is set again, after all others.
    for (const [key, own] of this.#calls) {
      if (batch.length === maxBatch || size >= maxSize) break;
      if (except?.has(key) === true) continue;
      this.#calls.delete(key);
      for (const call of MutableList.takeN(own, 1)) {
        batch.push(call);
        size += sizeOf(call.item);
      }
      if (own.length > 0) this.#calls.set(key, own);
    }
    this.#length -= batch.length;
    return batch;
  }

  /**
   * The keys of a batch that has at least half of what one may have, or several calls of each of few keys;
   * null for a smaller one.
   */
  keysOfLarge(batch: ReadonlyArray<Call>): ReadonlySet<Key> | null {
    const { keyOf, maxBatch, maxSize = Infinity, sizeOf = () => 0 } = this.#limits;
    const size = batch.reduce((sum, { item }) => sum + sizeOf(item), 0);
    const keys = new Set(batch.map(({ item }) => keyOf(item)));
    const isOfFew = batch.length >= maxBatch / 8 && batch.length >= minCallsOfKey * keys.size;
    return isOfFew || batch.length * 2 >= maxBatch || size * 2 >= maxSize ? keys : null;
  }
}
