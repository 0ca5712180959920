import { BITS, GAPS, HEAD, MAX_GAP_BYTES, writeBit, writeHead } from "./DeviceSet.ts";

/**
 * Writes sets of keys that come in ascending order. It needs no bitmap, so that many small sets are cheap.
 */
export class DeviceGaps {
  #bytes = new Uint8Array(64);
  #end = HEAD;
  #last = 0;
  #count = 0;

  /** Adds a key that is higher than those before it; the same key again is ignored. */
  add(key: number): void {
    if (key === this.#last) return;
    let gap = key - this.#last;
    this.#last = key;
    this.#count++;
    if (this.#end + MAX_GAP_BYTES > this.#bytes.length) {
      const wider = new Uint8Array(this.#bytes.length * 2);
      wider.set(this.#bytes);
      this.#bytes = wider;
    }
    while (gap > 127) {
      this.#bytes[this.#end++] = (gap & 127) | 128;
      gap >>>= 7;
    }
    this.#bytes[this.#end++] = gap;
  }

  /** Gives the keys as a set and their number, and starts over. */
  take(): { readonly set: Uint8Array; readonly count: number } {
    const count = this.#count;
    const gaps = this.#bytes.subarray(0, this.#end);
    const bitmapBytes = (this.#last >>> 3) + 1;
    const set =
      gaps.length - HEAD <= bitmapBytes
        ? writeHead(gaps.slice(), GAPS)
        : writeHead(bitmapOf(gaps, bitmapBytes), BITS);
    this.#end = HEAD;
    this.#last = this.#count = 0;
    return { set, count };
  }
}

const bitmapOf = (gaps: Uint8Array, bytes: number): Uint8Array => {
  const set = new Uint8Array(HEAD + bytes);
  let key = 0;
  for (let at = HEAD; at < gaps.length;) {
    let byte = gaps[at++] ?? 0;
    let gap = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = gaps[at++] ?? 0;
      gap |= (byte & 127) << shift;
    }
    key += gap;
    writeBit(set, key);
  }
  return set;
};
