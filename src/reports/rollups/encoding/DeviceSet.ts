/**
 * Sets of device numbers as the rollups store them. A set is a kind (one byte), the length of what follows (four bytes, little
 * endian) and the numbers, as gaps or as bits; so sets can be laid end to end and read without knowing how many they are.
 */
const GAPS = 0;
const BITS = 1;
const HEAD = 5;

/** Where the set that begins at a place in the bytes ends. */
export const setEnd = (sets: Uint8Array, at: number): number =>
  at +
  HEAD +
  ((sets[at + 1] ?? 0) |
    ((sets[at + 2] ?? 0) << 8) |
    ((sets[at + 3] ?? 0) << 16) |
    ((sets[at + 4] ?? 0) << 24));

/** Above this share of all words, walking the bits costs less than sorting the numbers. */
const walksBits = 1 / 16;

/** Counts distinct device numbers, from 0 up, and writes them as a set. Made to be emptied and used again. */
export class DeviceTally {
  #bits = new Int32Array(1024);
  #added = new Int32Array(256);
  #count = 0;
  #words = 0;
  /** Whether `#added` holds them all: it ends where walking the bits costs less. */
  #isListed = true;

  /** How many distinct numbers there are. */
  get count(): number {
    return this.#count;
  }

  /** Adds one number. */
  add(key: number): void {
    const word = key >>> 5;
    if (word >= this.#bits.length) this.#widen(word);
    const bit = 1 << (key & 31);
    const held = this.#bits[word] ?? 0;
    if ((held & bit) !== 0) return;
    this.#bits[word] = held | bit;
    if (word >= this.#words) this.#words = word + 1;
    if (this.#isListed) this.#list(key);
    this.#count++;
  }

  #list(key: number): void {
    if (this.#count >= this.#bits.length * walksBits) {
      this.#isListed = false;
      return;
    }
    if (this.#count === this.#added.length) {
      const more = new Int32Array(this.#count * 2);
      more.set(this.#added);
      this.#added = more;
    }
    this.#added[this.#count] = key;
  }

  /** Adds the numbers of sets that lie end to end; each is also told to `each`. */
  addSets(sets: Uint8Array, each?: DeviceTally): void {
    for (let at = 0; at < sets.length; at = setEnd(sets, at)) {
      this.addSetAt(sets, at);
      if (each !== undefined) each.addSetAt(sets, at);
    }
  }

  /** Adds the numbers of the set that begins at a place in the bytes. */
  addSetAt(sets: Uint8Array, at: number): void {
    const end = setEnd(sets, at);
    if (sets[at] === GAPS) this.#addGaps(sets, at + HEAD, end);
    else this.#addBits(sets, at + HEAD, end);
  }

  /** As `forEachGap` with `add`, written out, for reports spend most of their time here; and without a branch for gaps of one byte or two, which no processor foretells. */
  #addGaps(sets: Uint8Array, from: number, end: number): void {
    let bits = this.#bits;
    let count = this.#count;
    let key = 0;
    const listed = this.#roomToList();
    const added = this.#added;
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
      if (count < listed) added[count] = key;
      count++;
    }
    if (count > listed) this.#isListed = false;
    this.#count = count;
    if (key >>> 5 >= this.#words) this.#words = (key >>> 5) + 1;
  }

  /** How many numbers can be listed, with room for them; none any more where some are not. */
  #roomToList(): number {
    if (!this.#isListed) return 0;
    const room = Math.floor(this.#bits.length * walksBits);
    if (this.#added.length < room) {
      const more = new Int32Array(room);
      more.set(this.#added);
      this.#added = more;
    }
    return room;
  }

  /** Adds a word of bits at once: sets of many are written so, and years of them united. */
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
      const fresh = bits & ~held;
      if (fresh === 0) continue;
      this.#bits[word] = held | bits;
      this.#count += bitsIn(fresh);
    }
  }

  /** The numbers as a set, in the shorter of both ways. */
  toSet(): Uint8Array {
    const sorted = this.#sorted();
    const bytes = sorted.length === 0 ? 0 : ((sorted.at(-1) ?? 0) >>> 3) + 1;
    const set = new Uint8Array(HEAD + Math.min(bytes, sorted.length * 5));
    let at = HEAD;
    let before = 0;
    let kind = GAPS;
    for (const key of sorted) {
      let gap = key - before;
      before = key;
      // Room for the longest gap is left, or else bits are shorter.
      if (at + 5 > set.length && at + widthOf(gap) > HEAD + bytes) {
        kind = BITS;
        break;
      }
      while (gap > 127) {
        set[at++] = (gap & 127) | 128;
        gap >>>= 7;
      }
      set[at++] = gap;
    }
    if (kind === BITS) {
      set.fill(0, HEAD);
      for (const key of sorted) set[HEAD + (key >>> 3)] = (set[HEAD + (key >>> 3)] ?? 0) | (1 << (key & 7));
      at = HEAD + bytes;
    }
    set[0] = kind;
    new DataView(set.buffer).setUint32(1, at - HEAD, true);
    return set.subarray(0, at);
  }

  #sorted(): Int32Array {
    if (this.#isListed) return this.#added.slice(0, this.#count).sort();
    const sorted = new Int32Array(this.#count);
    let at = 0;
    for (let word = 0; word < this.#words; word++) {
      for (let bits = this.#bits[word] ?? 0; bits !== 0; bits &= bits - 1) {
        sorted[at++] = word * 32 + 31 - Math.clz32(bits & -bits);
      }
    }
    return sorted;
  }

  /** Empties it. */
  clear(): void {
    if (this.#isListed) {
      for (let at = 0; at < this.#count; at++) this.#bits[(this.#added[at] ?? 0) >>> 5] = 0;
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

/** How many bits of a word are set. */
const bitsIn = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x55_55_55_55);
  bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33);
  return Math.imul((bits + (bits >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
};

/** Reads the numbers of a set that is written as gaps, from one place in the bytes up to another. */
const forEachGap = (sets: Uint8Array, from: number, end: number, use: (key: number) => void): void => {
  let key = 0;
  for (let at = from; at < end;) {
    let byte = sets[at++] ?? 0;
    let gap = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = sets[at++] ?? 0;
      gap |= (byte & 127) << shift;
    }
    key += gap;
    use(key);
  }
};

const widthOf = (gap: number): number => (gap === 0 ? 1 : Math.ceil((32 - Math.clz32(gap)) / 7));

/** Writes sets of numbers that come in ascending order, each once: without a bitmap between, so many small ones cost little. */
export class DeviceGaps {
  #bytes = new Uint8Array(64);
  #at = HEAD;
  #last = 0;
  #count = 0;

  /** Adds a number that is higher than those before it; the same again is ignored. */
  add(key: number): void {
    if (key === this.#last) return;
    let gap = key - this.#last;
    this.#last = key;
    this.#count++;
    if (this.#at + 5 > this.#bytes.length) {
      const more = new Uint8Array(this.#bytes.length * 2);
      more.set(this.#bytes);
      this.#bytes = more;
    }
    while (gap > 127) {
      this.#bytes[this.#at++] = (gap & 127) | 128;
      gap >>>= 7;
    }
    this.#bytes[this.#at++] = gap;
  }

  /** The numbers as a set, in the shorter of both ways, and how many they are; then it is empty. */
  take(): { readonly set: Uint8Array; readonly count: number } {
    const count = this.#count;
    const gaps = this.#bytes.subarray(0, this.#at);
    const width = (this.#last >>> 3) + 1;
    const set = this.#at - HEAD <= width ? gaps.slice() : bitsOf(gaps, width);
    set[0] = set.length === this.#at ? GAPS : BITS;
    new DataView(set.buffer).setUint32(1, set.length - HEAD, true);
    this.#at = HEAD;
    this.#last = this.#count = 0;
    return { set, count };
  }
}

const bitsOf = (gaps: Uint8Array, width: number): Uint8Array => {
  const set = new Uint8Array(HEAD + width);
  forEachGap(gaps, HEAD, gaps.length, (key) => {
    set[HEAD + (key >>> 3)] = (set[HEAD + (key >>> 3)] ?? 0) | (1 << (key & 7));
  });
  return set;
};
