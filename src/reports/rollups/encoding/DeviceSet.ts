/**
 * The format of sets of device keys in rollups. A set is a kind (one byte), the length of what follows (four
 * bytes, little endian) and the keys: as gaps between ascending keys, seven bits a byte, lowest first; or as
 * a bitmap. Whichever is shorter is stored. So sets can lie end to end and are read without an index.
 */

/** The kind of a set of gaps. */
export const GAPS = 0;
/** The kind of a bitmap: bit `key & 7` of byte `key >>> 3`. */
const BITS = 1;
/** Bytes before the keys. */
export const HEAD = 5;
/** The most bytes that a gap takes. */
const MAX_GAP_BYTES = 5;

/** The offset behind the set that starts at an offset. */
export const setEnd = (sets: Uint8Array, offset: number): number =>
  offset +
  HEAD +
  ((sets[offset + 1] ?? 0) |
    ((sets[offset + 2] ?? 0) << 8) |
    ((sets[offset + 3] ?? 0) << 16) |
    ((sets[offset + 4] ?? 0) << 24));

/** Writes a set of distinct keys, ascending. */
export const toSet = (keys: Int32Array): Uint8Array => {
  const bitmapBytes = keys.length === 0 ? 0 : ((keys.at(-1) ?? 0) >>> 3) + 1;
  const set = new Uint8Array(HEAD + Math.min(bitmapBytes, keys.length * MAX_GAP_BYTES));
  let end = HEAD;
  let before = 0;
  for (const key of keys) {
    let gap = key - before;
    before = key;
    if (end + MAX_GAP_BYTES > set.length && end + gapBytes(gap) > HEAD + bitmapBytes) {
      return withHead(bitmapOf(keys, set), BITS);
    }
    while (gap > 127) {
      set[end++] = (gap & 127) | 128;
      gap >>>= 7;
    }
    set[end++] = gap;
  }
  return withHead(set.subarray(0, end), GAPS);
};

const gapBytes = (gap: number): number => (gap === 0 ? 1 : Math.ceil((32 - Math.clz32(gap)) / 7));

const bitmapOf = (keys: Int32Array, set: Uint8Array): Uint8Array => {
  set.fill(0, HEAD);
  for (const key of keys) {
    const byte = HEAD + (key >>> 3);
    set[byte] = (set[byte] ?? 0) | (1 << (key & 7));
  }
  return set;
};

const withHead = (set: Uint8Array, kind: number): Uint8Array => {
  set[0] = kind;
  new DataView(set.buffer).setUint32(1, set.length - HEAD, true);
  return set;
};
