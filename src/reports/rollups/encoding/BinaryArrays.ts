/** Arrays without nulls as `array_send` writes them; a column of a million numbers is read so in milliseconds. */
const opened = (sent: Uint8Array) => {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  const isEmpty = sent.byteLength === 0 || view.getInt32(0) === 0;
  if (!isEmpty && view.getInt32(4) !== 0)
    throw new Error("An array of the database holds nulls where none can be");
  return { view, length: isEmpty ? 0 : view.getInt32(12) };
};

/** Where the elements begin; the length of each stands before it. */
const FIRST = 24;
/** Seconds from 1970 to 2000, from which PostgreSQL counts. */
const EPOCH = 946_684_800;

/** How many elements an array has; none for no bytes at all. */
export const arrayLength = (sent: Uint8Array): number => opened(sent).length;

/** The elements of an `integer[]`; none for no bytes at all. */
export const integersOf = (sent: Uint8Array): Int32Array => {
  const { length, view } = opened(sent);
  const integers = new Int32Array(length);
  for (let at = 0, from = FIRST; at < length; at++, from += 8) integers[at] = view.getInt32(from);
  return integers;
};

/** The elements of a `timestamptz[]`, in microseconds since 1970; none for no bytes at all. */
export const microsOf = (sent: Uint8Array): Float64Array => {
  const { length, view } = opened(sent);
  const micros = new Float64Array(length);
  for (let at = 0, from = FIRST; at < length; at++, from += 12) {
    micros[at] = view.getInt32(from) * 4_294_967_296 + view.getUint32(from + 4) + EPOCH * 1_000_000;
  }
  return micros;
};

/** The elements of a `bigint[]`, their upper and their lower 32 bits; none for no bytes at all. */
export const halvesOf = (sent: Uint8Array): readonly [Int32Array, Int32Array] => {
  const { length, view } = opened(sent);
  const halves = [new Int32Array(length), new Int32Array(length)] as const;
  for (let at = 0, from = FIRST; at < length; at++, from += 12) {
    halves[0][at] = view.getInt32(from);
    halves[1][at] = view.getInt32(from + 4);
  }
  return halves;
};
