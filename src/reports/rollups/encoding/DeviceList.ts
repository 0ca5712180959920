import { toSet } from "./DeviceSet.ts";

/** Distinct device keys, ascending. It needs no bitmap, so that many small sets are cheap. */
export class DeviceList {
  #keys = new Int32Array(16);
  #count = 0;

  /** Adds a key that is not lower than those before it; the same key again is ignored. */
  add(key: number): void {
    if (this.#count > 0 && key === this.#keys[this.#count - 1]) return;
    if (this.#count === this.#keys.length) {
      const wider = new Int32Array(this.#count * 2);
      wider.set(this.#keys);
      this.#keys = wider;
    }
    this.#keys[this.#count++] = key;
  }

  /** Gives the keys as a set and their number, and starts over. */
  take(): { readonly set: Uint8Array; readonly count: number } {
    const count = this.#count;
    this.#count = 0;
    return { set: toSet(this.#keys.subarray(0, count)), count };
  }
}
