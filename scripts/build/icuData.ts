/**
 * The data of ICU inside a shared library, without those of languages. The database folds letters by the root
 * locale (`und-x-icu`) only, and the rest is nine tenths of the library.
 */

/** The items that the root locale's collation and mapping of letters read. */
const kept = new Set([
  "root.res",
  "pool.res",
  "cnvalias.icu",
  "nfkc.nrm",
  "coll/root.res",
  "coll/ucadata.icu",
  "brkitr/root.res",
  "brkitr/char.brk",
  "brkitr/word.brk",
]);

/** Whether an item such as `icudt60l/root.res` is kept. */
const isKept = (name: string): boolean => kept.has(name.replace(/^\w+\//, ""));

interface Item {
  readonly name: Buffer;
  readonly data: Buffer;
}

const aligned = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 15)]);

/** The table of contents and the items after it: names first, then data, both in order of names. */
const tableOf = (items: ReadonlyArray<Item>): Buffer => {
  const names = items.map(({ name }) => Buffer.concat([name, Buffer.alloc(1)]));
  const head = Buffer.alloc(4 + 8 * items.length);
  head.writeUInt32LE(items.length, 0);
  const beforeData = aligned(Buffer.concat([head, ...names]));
  let nameAt = head.length;
  let dataAt = beforeData.length;
  for (const [index, { data }] of items.entries()) {
    beforeData.writeUInt32LE(nameAt, 4 + 8 * index);
    beforeData.writeUInt32LE(dataAt, 8 + 8 * index);
    nameAt += names[index]?.length ?? 0;
    dataAt += aligned(data).length;
  }
  return Buffer.concat([beforeData, ...items.map(({ data }) => aligned(data))]);
};

/** The size of the largest page of memory: segments of a file keep their offset within such a page. */
const pageBytes = 0x200000;

/**
 * Returns the library with the kept items alone. Its later segments move up in the file and keep their
 * addresses in memory. Section headers, which no program reads, are removed.
 */
export const withoutLanguages = (library: Buffer): Buffer => {
  const start = library.indexOf("CmnD") - 12;
  const contents = start + library.readUInt16LE(start);
  const count = library.readUInt32LE(contents);
  const nameAt = (index: number): number => contents + library.readUInt32LE(contents + 4 + 8 * index);
  const dataAt = (index: number): number => contents + library.readUInt32LE(contents + 8 + 8 * index);
  const items = Array.from({ length: count - 1 }, (_, index) => ({
    name: library.subarray(nameAt(index), library.indexOf(0, nameAt(index))),
    data: library.subarray(dataAt(index), dataAt(index + 1)),
  })).filter(({ name }) => isKept(name.toString("latin1")));
  const end = contents + tableOf(items).length;
  const programHeaders = Number(library.readBigUInt64LE(32));
  const headers = Array.from({ length: library.readUInt16LE(56) }, (_, index) => programHeaders + 56 * index);
  const offsetOf = (header: number): number => Number(library.readBigUInt64LE(header + 8));
  const later = Math.min(...headers.map(offsetOf).filter((offset) => offset > start));
  const removed = Math.floor((later - end) / pageBytes) * pageBytes;
  const shrunk = Buffer.concat([
    library.subarray(0, contents),
    tableOf(items),
    Buffer.alloc(later - removed - end),
    library.subarray(later),
  ]);
  for (const header of headers) {
    const offset = offsetOf(header);
    if (offset > start) shrunk.writeBigUInt64LE(BigInt(offset - removed), header + 8);
    // The segment with the data, in the file and in memory.
    else if (Number(library.readBigUInt64LE(header + 32)) > end)
      for (const field of [32, 40]) shrunk.writeBigUInt64LE(BigInt(end), header + field);
  }
  shrunk.fill(0, 40, 48);
  shrunk.fill(0, 58, 64);
  return shrunk;
};
