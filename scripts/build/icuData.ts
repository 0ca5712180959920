/**
 * The data of ICU inside a program or a shared library, without what Waypost does not read: nine tenths of
 * PostgreSQL's library, and a quarter of Node.
 */

/** The items that the root locale's collation and mapping of letters read: `und-x-icu`, the only locale. */
const readByPostgres = new Set([
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

/**
 * Encodings besides Unicode and Latin 1, transliterations, and the dictionaries that divide Burmese, Chinese,
 * Japanese, Khmer, Lao and Thai into words.
 */
const unusedByNode = /\.(?:cnv|dict)$|^translit\//;

/** A bundle of a language, such as `de.res`, `zone/pt_PT.res` or `coll/zh.res`. English is not one. */
const ofLanguage = /(?:^|\/)(?!en(?:_US)?\.)[a-z]{2,3}(?:_\w+)?\.res$/;

/** Items that `Intl` reads for English and for no language: zones, calendars, tags, plurals and letters. */
const isReadByNode = (path: string): boolean => !unusedByNode.test(path) && !ofLanguage.test(path);

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

/** The data of a file, from `contents` to `end`, and the table of kept items that replaces them. */
const shrunkData = (file: Buffer, isKept: (path: string) => boolean) => {
  const start = file.indexOf("CmnD") - 12;
  const contents = start + file.readUInt16LE(start);
  const count = file.readUInt32LE(contents);
  const nameAt = (index: number): number => contents + file.readUInt32LE(contents + 4 + 8 * index);
  const dataAt = (index: number): number => contents + file.readUInt32LE(contents + 8 + 8 * index);
  const items = Array.from({ length: count - 1 }, (_, index) => ({
    name: file.subarray(nameAt(index), file.indexOf(0, nameAt(index))),
    data: file.subarray(dataAt(index), dataAt(index + 1)),
  }));
  // Names begin with that of the data, such as `icudt60l/root.res`.
  const kept = items.filter(({ name }) => isKept(name.toString("latin1").replace(/^\w+\//, "")));
  return { contents, end: dataAt(count - 1), table: tableOf(kept) };
};

const headerBytes = 56;

/** The program headers of a file, as copies. */
const headersOf = (file: Buffer): ReadonlyArray<Buffer> => {
  const first = Number(file.readBigUInt64LE(32));
  return Array.from({ length: file.readUInt16LE(56) }, (_, index) =>
    Buffer.from(file.subarray(first + headerBytes * index, first + headerBytes * (index + 1))),
  );
};

const offsetOf = (header: Buffer): number => Number(header.readBigUInt64LE(8));
const sizeOf = (header: Buffer): number => Number(header.readBigUInt64LE(32));

const withOffset = (header: Buffer, offset: number): Buffer => {
  header.writeBigUInt64LE(BigInt(offset), 8);
  return header;
};

/** Sets how long a segment is, in the file and in memory. */
const withSize = (header: Buffer, bytes: number): Buffer => {
  for (const field of [32, 40]) header.writeBigUInt64LE(BigInt(bytes), field);
  return header;
};

/** The rest of a segment from an offset on, at the same address in memory. */
const restOf = (header: Buffer, offset: number): Buffer => {
  const skipped = offset - offsetOf(header);
  const rest = withSize(withOffset(Buffer.from(header), offset), sizeOf(header) - skipped);
  for (const field of [16, 24]) rest.writeBigUInt64LE(rest.readBigUInt64LE(field) + BigInt(skipped), field);
  return rest;
};

/** Writes program headers, and removes section headers, which no program reads. */
const withHeaders = (file: Buffer, headers: ReadonlyArray<Buffer>): Buffer => {
  Buffer.concat(headers).copy(file, Number(file.readBigUInt64LE(32)));
  file.writeUInt16LE(headers.length, 56);
  return file.fill(0, 40, 48).fill(0, 58, 64);
};

/** The size of the largest page of memory: segments of a library keep their offset within such a page. */
const largePageBytes = 0x200000;

/**
 * Returns PostgreSQL's library without languages. Its later segments move up in the file and keep their
 * addresses in memory.
 */
export const postgresIcu = (library: Buffer): Buffer => {
  const { contents, table } = shrunkData(library, (path) => readByPostgres.has(path));
  const end = contents + table.length;
  const headers = headersOf(library);
  const later = Math.min(...headers.map(offsetOf).filter((offset) => offset > contents));
  const removed = Math.floor((later - end) / largePageBytes) * largePageBytes;
  const shrunk = Buffer.concat([
    library.subarray(0, contents),
    table,
    Buffer.alloc(later - removed - end),
    library.subarray(later),
  ]);
  const moved = headers.map((header) => {
    if (offsetOf(header) > contents) return withOffset(header, offsetOf(header) - removed);
    // The segment with the data.
    return sizeOf(header) > end ? withSize(header, end) : header;
  });
  return withHeaders(shrunk, moved);
};

/** The largest page of memory that programs for x64 and arm64 are linked for. */
const pageBytes = 0x10000;

const isLoaded = (header: Buffer): boolean => header.readUInt32LE(0) === 1;

/**
 * Returns the executable without the languages of Node. The data are in the middle of a segment, which is
 * divided there, so that everything keeps its address in memory. There must be room for one more program
 * header: the injection of the blob leaves some.
 */
export const withoutLanguages = (program: Buffer): Buffer => {
  const { contents, end, table } = shrunkData(program, isReadByNode);
  const from = Math.ceil((contents + table.length) / pageBytes) * pageBytes;
  const to = Math.floor(end / pageBytes) * pageBytes;
  const shrunk = Buffer.concat([
    program.subarray(0, contents),
    table,
    Buffer.alloc(from - contents - table.length),
    program.subarray(to),
  ]);
  const headers = headersOf(program).flatMap((header) => {
    const offset = offsetOf(header);
    if (offset >= to) return [withOffset(header, offset - (to - from))];
    if (!isLoaded(header) || offset > contents || offset + sizeOf(header) < end) return [header];
    return [withSize(Buffer.from(header), from - offset), withOffset(restOf(header, to), from)];
  });
  // The first header is that of the headers themselves.
  if (sizeOf(headers[0] ?? program) < headerBytes * headers.length)
    throw new Error("The executable has no room for one more program header.");
  return withHeaders(shrunk, headers);
};
