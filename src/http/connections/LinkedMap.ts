interface Entry<Key, Value> {
  readonly key: Key;
  value: Value;
  previous: Entry<Key, Value> | null;
  next: Entry<Key, Value> | null;
}

/**
 * A map for what comes and goes with each request, as a linked list.
 *
 * V8 keeps a `Map` or a `Set` in a table. It replaces a table that is full, deleted entries included, and the
 * old table refers to the new one. Once a table is in the old generation, all later tables and whatever they
 * held survive each collection of the young generation until a full one: that would be all requests. Here an
 * entry refers to no other one after it was deleted. An iteration has the entries of its begin.
 */
export class LinkedMap<Key extends object, Value> extends Map<Key, Value> {
  readonly #entries = new WeakMap<Key, Entry<Key, Value>>();
  #first: Entry<Key, Value> | null = null;
  #last: Entry<Key, Value> | null = null;
  #size = 0;

  static of<Key extends object, Value>(entries: Iterable<readonly [Key, Value]>): LinkedMap<Key, Value> {
    const map = new LinkedMap<Key, Value>();
    for (const [key, value] of entries) map.set(key, value);
    return map;
  }

  override get size(): number {
    return this.#size;
  }

  override get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  override has(key: Key): boolean {
    return this.#entries.has(key);
  }

  override set(key: Key, value: Value): this {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.value = value;
      return this;
    }
    const entry: Entry<Key, Value> = { key, value, previous: this.#last, next: null };
    if (this.#last === null) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#entries.set(key, entry);
    this.#size += 1;
    return this;
  }

  override delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    const { next, previous } = entry;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    entry.previous = null;
    entry.next = null;
    this.#entries.delete(key);
    this.#size -= 1;
    return true;
  }

  override clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  override entries(): MapIterator<[Key, Value]> {
    return this.#list(({ key, value }): [Key, Value] => [key, value]);
  }

  override keys(): MapIterator<Key> {
    return this.#list(({ key }) => key);
  }

  override values(): MapIterator<Value> {
    return this.#list(({ value }) => value);
  }

  override [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  override forEach(visit: (value: Value, key: Key, map: Map<Key, Value>) => void, self?: unknown): void {
    for (const [key, value] of this) visit.call(self, value, key, this);
  }

  #list<A>(of: (entry: Entry<Key, Value>) => A): MapIterator<A> {
    const list: Array<A> = [];
    for (let entry = this.#first; entry !== null; entry = entry.next) list.push(of(entry));
    return list.values();
  }
}
