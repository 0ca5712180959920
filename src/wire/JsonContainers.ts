/** The open objects and arrays of a JSON text: a bit for each, so that 20 million levels take 2.5 MB. */
export class JsonContainers {
  /** A bit for each level: 1 for an object. */
  #kinds = new Uint32Array(4);
  /** The number of open containers. */
  depth = 0;
  /** The greatest depth since it was last set. */
  deepest = 0;

  open(isObject: boolean): number {
    const depth = ++this.depth;
    if (depth > this.deepest) this.deepest = depth;
    const word = depth >>> 5;
    if (word === this.#kinds.length) {
      const wider = new Uint32Array(this.#kinds.length * 2);
      wider.set(this.#kinds);
      this.#kinds = wider;
    }
    const bit = 1 << (depth & 31);
    const bits = this.#kinds[word] ?? 0;
    this.#kinds[word] = isObject ? bits | bit : bits & ~bit;
    return depth;
  }

  /** Whether the innermost open container is an object. */
  get isInObject(): boolean {
    return (((this.#kinds[this.depth >>> 5] ?? 0) >>> (this.depth & 31)) & 1) === 1;
  }
}
