/**
 * The format of sets of device keys in rollups. A set is a kind (one byte), the length of what follows (four
 * bytes, little endian) and the keys: as gaps between ascending keys, seven bits a byte, lowest first; or as
 * a bitmap. Whichever is shorter is stored. So sets can lie end to end and are read without an index.
 */

/** The kinds of a set. */
export const GAPS = 0;
/** A bitmap: bit `key & 7` of byte `key >>> 3`. */
export const BITS = 1;
/** Bytes before the keys. */
export const HEAD = 5;
/** The most bytes that a gap takes. */
export const MAX_GAP_BYTES = 5;

/** The offset behind the set that starts at an offset. */
export const setEnd = (sets: Uint8Array, offset: number): number =>
  offset +
  HEAD +
  ((sets[offset + 1] ?? 0) |
    ((sets[offset + 2] ?? 0) << 8) |
    ((sets[offset + 3] ?? 0) << 16) |
    ((sets[offset + 4] ?? 0) << 24));

/** Writes the kind and length of a set that has its buffer to itself. */
export const writeHead = (set: Uint8Array, kind: typeof GAPS | typeof BITS): Uint8Array => {
  set[0] = kind;
  new DataView(set.buffer).setUint32(1, set.length - HEAD, true);
  return set;
};

/** Sets the bit of a key. */
export const writeBit = (set: Uint8Array, key: number): void => {
  const byte = HEAD + (key >>> 3);
  set[byte] = (set[byte] ?? 0) | (1 << (key & 7));
};
