import { GAPS, HEAD, setEnd, toSet } from "./DeviceSet.ts";

/** Above this share of all words, walking the bitmap costs less than sorting the list of keys. */
const maxListedShare = 1 / 16;

/** Counts distinct device keys, from 0 up, in a bitmap. Made to be cleared and reused. */
export class DeviceTally {
  #bits = new Int32Array(1024);
  #listed = new Int32Array(256);
  #count = 0;
  /** Words of the bitmap that are in use. */
  #words = 0;
  /** Whether `#listed` holds all keys. The list ends where walking the bitmap costs less. */
  #isListed = true;

  /** The number of distinct keys. */
  get count(): number {
    return this.#count;
  }

  add(key: number): void {
    const word = key >>> 5;
    if (word >= this.#bits.length) this.#widen(word);
    const bit = 1 << (key & 31);
    const held = this.#bits[word] ?? 0;
    if ((held & bit) !== 0) return;
    this.#bits[word] = held | bit;
    if (word >= this.#words) this.#words = word + 1;
    if (this.#count < this.#reserveList()) this.#listed[this.#count] = key;
    else this.#isListed = false;
    this.#count++;
  }

  /** Adds the keys of sets that lie end to end, to a second tally as well if one is given. */
  addSets(sets: Uint8Array, second?: DeviceTally): void {
    for (let offset = 0; offset < sets.length; offset = setEnd(sets, offset)) {
      this.addSetAt(sets, offset);
      if (second !== undefined) second.addSetAt(sets, offset);
    }
  }

  /** Adds the keys of the set that starts at an offset. */
  addSetAt(sets: Uint8Array, offset: number): void {
    const end = setEnd(sets, offset);
    if (sets[offset] === GAPS) this.#addGaps(sets, offset + HEAD, end);
    else this.#addBits(sets, offset + HEAD, end);
  }

  /**
   * Calls to `add`, inlined: reports spend most of their time here. Gaps of one or two bytes take no branch
   * that the CPU cannot predict.
   */
  #addGaps(sets: Uint8Array, from: number, end: number): void {
    let bits = this.#bits;
    let count = this.#count;
    let key = 0;
    const maxListed = this.#reserveList();
    const listed = this.#listed;
    for (let at = from; at < end;) {
      const first = sets[at] ?? 0;
      const second = at + 1 < end ? (sets[at + 1] ?? 0) : 0;
      if ((first & second) < 128) {
        const isWide = first >>> 7;
        key += (first & 127) | ((second << 7) & -isWide);
        at += 1 + isWide;
      } else {
        let gap = first & 127;
        let byte = first;
        at++;
        for (let shift = 7; byte > 127; shift += 7) {
          byte = sets[at++] ?? 0;
          gap |= (byte & 127) << shift;
        }
        key += gap;
      }
      const word = key >>> 5;
      if (word >= bits.length) {
        this.#widen(word);
        bits = this.#bits;
      }
      const held = bits[word] ?? 0;
      const bit = 1 << key;
      if ((held & bit) !== 0) continue;
      bits[word] = held | bit;
      if (count < maxListed) listed[count] = key;
      count++;
    }
    if (count > maxListed) this.#isListed = false;
    this.#count = count;
    if (key >>> 5 >= this.#words) this.#words = (key >>> 5) + 1;
  }

  /** Makes room in the list, and gives how many keys it may hold; 0 once it does not hold all keys. */
  #reserveList(): number {
    if (!this.#isListed) return 0;
    const max = Math.floor(this.#bits.length * maxListedShare);
    if (this.#listed.length < max) {
      const wider = new Int32Array(max);
      wider.set(this.#listed);
      this.#listed = wider;
    }
    return max;
  }

  /** Adds a word of bits at a time: large sets are bitmaps, and a year unites many of them. */
  #addBits(sets: Uint8Array, from: number, end: number): void {
    const words = (end - from + 3) >>> 2;
    if (words > this.#bits.length) this.#widen(words - 1);
    if (words > this.#words) this.#words = words;
    this.#isListed = false;
    for (let word = 0, at = from; word < words; word++, at += 4) {
      let bits = sets[at] ?? 0;
      if (at + 1 < end) bits |= (sets[at + 1] ?? 0) << 8;
      if (at + 2 < end) bits |= (sets[at + 2] ?? 0) << 16;
      if (at + 3 < end) bits |= (sets[at + 3] ?? 0) << 24;
      const held = this.#bits[word] ?? 0;
      const added = bits & ~held;
      if (added === 0) continue;
      this.#bits[word] = held | bits;
      this.#count += bitsIn(added);
    }
  }

  toSet(): Uint8Array {
    return toSet(this.#sorted());
  }

  #sorted(): Int32Array {
    if (this.#isListed) return this.#listed.slice(0, this.#count).sort();
    const sorted = new Int32Array(this.#count);
    let at = 0;
    for (let word = 0; word < this.#words; word++) {
      for (let bits = this.#bits[word] ?? 0; bits !== 0; bits &= bits - 1) {
        sorted[at++] = word * 32 + 31 - Math.clz32(bits & -bits);
      }
    }
    return sorted;
  }

  /** Removes all keys. */
  clear(): void {
    if (this.#isListed) {
      for (let at = 0; at < this.#count; at++) this.#bits[(this.#listed[at] ?? 0) >>> 5] = 0;
    } else this.#bits.fill(0, 0, this.#words);
    this.#count = 0;
    this.#words = 0;
    this.#isListed = true;
  }

  #widen(word: number): void {
    const wider = new Int32Array(Math.max(word + 1, this.#bits.length * 2));
    wider.set(this.#bits);
    this.#bits = wider;
  }
}

/** The number of set bits of a word. */
const bitsIn = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x55_55_55_55);
  bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33);
  return Math.imul((bits + (bits >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
};
