/**
 * PostgreSQL arrays without nulls in their binary format, as `array_send` writes it. The driver reads a
 * column of a million numbers so in milliseconds; as rows or text it would take seconds.
 */

/** The header of an array; no bytes at all are an empty one. */
const opened = (array: Uint8Array) => {
  const view = new DataView(array.buffer, array.byteOffset, array.byteLength);
  const isEmpty = array.byteLength === 0 || view.getInt32(0) === 0;
  if (!isEmpty && view.getInt32(4) !== 0) throw new Error("A binary array holds nulls");
  return { view, length: isEmpty ? 0 : view.getInt32(12) };
};

/** The offset of the first element. Its length, four bytes, stands before each element. */
const FIRST = 24;

/** The number of elements. */
export const arrayLength = (array: Uint8Array): number => opened(array).length;

/** The elements of an `integer[]`. */
export const integersOf = (array: Uint8Array): Int32Array => {
  const { length, view } = opened(array);
  const integers = new Int32Array(length);
  for (let at = 0, from = FIRST; at < length; at++, from += 8) integers[at] = view.getInt32(from);
  return integers;
};
