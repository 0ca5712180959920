/** Random numbers from a seed (mulberry32). */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  /** A number from 0 to 1. */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  /** A whole number from 0 to one below the limit. */
  below = (limit: number): number => Math.floor(this.next() * limit);
  chance = (share: number): boolean => this.next() < share;
  one = <A>(items: ReadonlyArray<A>): A | undefined => items[this.below(items.length)];
  /** One of items, of which there is at least one. */
  pick = <A>(items: ReadonlyArray<A>): A => this.one(items) as A;
}
