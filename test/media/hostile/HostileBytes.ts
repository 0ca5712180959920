/** Builders of hostile media files. */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";

/** A hostile file. It is built when it is needed, because some have 20 MB. */
export interface HostileFile {
  readonly name: string;
  readonly build: () => Buffer | Promise<Buffer>;
}

export const hostile = (name: string, build: HostileFile["build"]): HostileFile => ({ name, build });

/** Hostile files by name. */
export const hostileFiles = (files: Readonly<Record<string, HostileFile["build"]>>) =>
  Object.entries(files).map(([name, build]) => hostile(name, build));

export const joined = (...parts: ReadonlyArray<Uint8Array>): Buffer => Buffer.concat(parts);

/** Large enough for millions of parts; inspection takes time in proportion to a file's size. */
export const fullSize = 20_000_000;

export const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

/** The same random numbers below 2^32 in every run. */
const seeded = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

export const latin = (text: string): Buffer => Buffer.from(text, "latin1");

export const u8 = (...values: ReadonlyArray<number>): Buffer => Buffer.from(values);

export const u16 = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16BE(value, index * 2));
  return bytes;
};

export const u32 = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
};

export const u16le = (...values: ReadonlyArray<number>): Buffer => u16(...values).swap16();
export const u32le = (...values: ReadonlyArray<number>): Buffer => u32(...values).swap32();

/** As many copies as fit into a number of bytes. */
export const repeated = (piece: Buffer, bytes = fullSize): Buffer =>
  Buffer.alloc(Math.floor(bytes / piece.length) * piece.length, piece);

/** So many copies. */
export const times = (count: number, piece: Buffer): Buffer => repeated(piece, count * piece.length);

/** A box of MP4. `size` may contradict the content. */
export const box = (type: string, content: Buffer, size = content.length + 8): Buffer =>
  joined(u32(size), latin(type), content);

/** A chunk of PNG with its checksum. */
export const chunk = (name: string, content: Buffer): Buffer => {
  const body = joined(latin(name), content);
  return joined(u32(content.length), body, u32(crc32(body)));
};

/** A copy with other bytes at an offset. */
export const patched = (bytes: Buffer, at: number, value: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  value.copy(copy, at);
  return copy;
};

/** The offset of the content of the first box of a type. */
export const contentOf = (bytes: Buffer, type: string): number => {
  const at = bytes.indexOf(type, 0, "latin1");
  if (at === -1) throw new Error(`No ${type}`);
  return at + 4;
};

/** Copies of a file with a few random bytes, half of them in the first 200. */
export const mutants = (name: string, count: number, seed: number, build: () => Promise<Buffer> | Buffer) =>
  Array.from({ length: count }, (_, index) =>
    hostile(`${name} with random changes ${index}`, async () => {
      const bytes = Buffer.from(await build());
      const random = seeded(seed + index);
      const changes = 1 + random(6);
      for (let change = 0; change < changes; change += 1)
        bytes[random(change % 2 === 0 ? bytes.length : Math.min(bytes.length, 200))] = random(256);
      return bytes;
    }),
  );
