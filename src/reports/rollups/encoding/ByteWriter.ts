/** Writes bytes into a buffer that grows. Made to be reused. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #end = 0;

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const wider = new Uint8Array(Math.max(this.#bytes.length * 2, this.#end + more));
    wider.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = wider;
  }

  /** Writes a whole number from 0 to 2^53: seven bits a byte, lowest first. Small ones are short. */
  count(count: number): void {
    this.#reserve(8);
    let rest = count;
    while (rest > 127) {
      this.#bytes[this.#end++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#end++] = rest;
  }

  /** Writes a signed number of 64 bits, little endian. */
  long(value: bigint): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setBigInt64(this.#end, value, true);
    this.#end += 8;
  }

  /** Writes bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Gives what was written, and starts over. */
  take(): Uint8Array {
    const written = this.#bytes.slice(0, this.#end);
    this.#end = 0;
    return written;
  }
}
