/** QR codes (ISO/IEC 18004) of texts: always version 10 with error correction L and mask 0. */

const size = 57;
/** Centres of the alignment patterns, on both axes. */
const centres = [6, 28, 50];
/** Bits that name the version, and the format. */
const [versionBits, formatBits] = [0x0a4d3, 0x77c4];
/** The codewords of data in each block, and those of error correction. */
const blocks = [68, 68, 69, 69];
const corrections = 18;
const room = blocks.reduce((sum, length) => sum + length, 0);
/** The longest text: the head has 20 bits. */
const maxBytes = room - 3;

/** Powers of 2 in the field of 256 elements of the code. */
const powers: Array<number> = [];
for (let value = 1; powers.length < 255; value = (value << 1) ^ (value > 127 ? 0x11d : 0)) powers.push(value);
const times = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (powers[(powers.indexOf(a) + powers.indexOf(b)) % 255] ?? 0);

const generator = Array.from({ length: corrections }).reduce<Array<number>>(
  (product, _, root) =>
    [...product, 0].map((each, at) => each ^ times(product[at - 1] ?? 0, powers[root] ?? 0)),
  [1],
);

/** The codewords of error correction of a block: the remainder of a division of polynomials. */
const correctionOf = (data: ReadonlyArray<number>): ReadonlyArray<number> =>
  data.reduce<ReadonlyArray<number>>(
    (rest, byte) => {
      const factor = byte ^ (rest[0] ?? 0);
      return generator.slice(1).map((each, at) => (rest[at + 1] ?? 0) ^ times(each, factor));
    },
    Array.from({ length: corrections }, () => 0),
  );

/** The first elements of all lists, then the second ones, and so on. */
const woven = (lists: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> =>
  Array.from({ length: 69 }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();

const codewordsOf = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const text = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  // Four bits say that bytes follow, 16 how many, and four end them.
  const hex = `4${bytes.length.toString(16).padStart(4, "0")}${text}0`;
  const data = (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  let start = 0;
  const parts = blocks.map((length) => data.slice(start, (start += length)));
  return [...woven(parts), ...woven(parts.map(correctionOf))];
};

/** The rows of the code of a text, true for dark; null for a text that is too long. */
export const qrCode = (text: string): ReadonlyArray<ReadonlyArray<boolean>> | null => {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > maxBytes) return null;
  const cells = Array.from({ length: size }, () => Array.from<boolean | undefined>({ length: size }));
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = cells[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  /** Squares within each other around a centre: the distances from it that are dark. */
  const rings = (x: number, y: number, radius: number, dark: ReadonlyArray<number>): void => {
    for (let down = -radius; down <= radius; down++)
      for (let right = -radius; right <= radius; right++)
        set(x + right, y + down, dark.includes(Math.max(Math.abs(right), Math.abs(down))));
  };
  const isSet = (bits: number, index: number): boolean => ((bits >>> index) & 1) === 1;
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  rings(3, 3, 4, [0, 1, 3]);
  rings(size - 4, 3, 4, [0, 1, 3]);
  rings(3, size - 4, 4, [0, 1, 3]);
  for (const x of centres) for (const y of centres) if (x + y > 12 && x + y !== 56) rings(x, y, 2, [0, 2]);
  rings(28, 28, 2, [0, 2]);
  for (let index = 0; index < 15; index++) {
    set(8, index < 6 ? index : index < 8 ? index + 1 : size - 15 + index, isSet(formatBits, index));
    set(index < 8 ? size - 1 - index : index === 8 ? 7 : 14 - index, 8, isSet(formatBits, index));
  }
  set(8, size - 8, true);
  for (let index = 0; index < 18; index++) {
    const [far, near] = [size - 11 + (index % 3), Math.floor(index / 3)];
    set(far, near, isSet(versionBits, index));
    set(near, far, isSet(versionBits, index));
  }
  // Codewords fill what is left in columns of two from the right, up and down.
  const words = codewordsOf(bytes);
  let bit = 0;
  for (let column = size - 1; column > 0; column -= column === 8 ? 3 : 2)
    for (let step = 0; step < size; step++)
      for (const x of [column, column - 1]) {
        const y = ((column + 1) & 2) === 0 ? size - 1 - step : step;
        if (cells[y]?.[x] !== undefined) continue;
        set(x, y, isSet(words[bit >>> 3] ?? 0, 7 - (bit & 7)) !== ((x + y) % 2 === 0));
        bit += 1;
      }
  return cells.map((row) => row.map((cell) => cell === true));
};
