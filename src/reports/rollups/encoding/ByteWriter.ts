/** Writes bytes one behind the other, in room that grows. Made to be used again. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #at = 0;

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const wider = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    wider.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = wider;
  }

  /** A whole number from 0 up to 2^53, the smaller the shorter: seven bits a byte, the lowest first. */
  count(count: number): void {
    this.#reserve(8);
    let rest = count;
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  /** A number of 64 bits with its sign, little endian. */
  long(value: bigint): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setBigInt64(this.#at, value, true);
    this.#at += 8;
  }

  /** Bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** What was written; then it is empty. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }
}
