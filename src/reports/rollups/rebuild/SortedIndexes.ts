const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** The indexes of rows, from 0. */
export const rowIndexes = (length: number): Int32Array => {
  const indexes = new Int32Array(length);
  for (let at = 0; at < length; at++) indexes[at] = at;
  return indexes;
};

/**
 * Sorts indexes of rows by their keys (none negative); rows of one key keep their order. A radix sort: a
 * million rows in milliseconds.
 */
export const sortedBy = (keys: Int32Array, indexes: Int32Array): Int32Array => {
  let sorted = indexes;
  let spare: Int32Array = new Int32Array(indexes.length);
  let highest = 0;
  for (const key of keys) if (key > highest) highest = key;
  for (let shift = 0; shift < 31 && highest >>> shift > 0; shift += DIGIT_BITS) {
    const starts = new Int32Array(DIGITS + 1);
    for (const index of sorted) {
      const digit = ((keys[index] ?? 0) >>> shift) & (DIGITS - 1);
      starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
    }
    for (let digit = 0; digit < DIGITS; digit++) {
      starts[digit + 1] = (starts[digit + 1] ?? 0) + (starts[digit] ?? 0);
    }
    for (const index of sorted) {
      const digit = ((keys[index] ?? 0) >>> shift) & (DIGITS - 1);
      const at = starts[digit] ?? 0;
      starts[digit] = at + 1;
      spare[at] = index;
    }
    [sorted, spare] = [spare, sorted === indexes ? new Int32Array(indexes.length) : sorted];
  }
  return sorted;
};
