/** A tar file (POSIX ustar) written and read piece by piece, packed by gzip: any tar can look into it. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

const block = 512;

const header = (name: string, size: number, mtime: number): Buffer => {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long a name for the archive`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  bytes.write(name, 0);
  bytes.write(octal(0o600, 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(mtime, 12), 136);
  bytes.write("        0", 148);
  bytes.write("ustar\u000000", 257);
  const sum = bytes.reduce((total, each) => total + each, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
};

const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

/** What an archive holds, and what it must be. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes an archive to a new file; `mtime` in seconds. It is whole and on disk after `finish`. */
export const writeTar = (path: string, mtime: number) => {
  const gzip = createGzip({ level: 1 });
  const output = createWriteStream(path, { flags: "wx", mode: 0o600 });
  const flowing = pipeline(gzip, output);
  flowing.catch(() => undefined);
  const files: Array<ArchivedFile> = [];
  const write = async (bytes: Buffer): Promise<void> => {
    if (!gzip.write(bytes)) await Promise.race([once(gzip, "drain"), flowing]);
  };
  const finishFile = async (name: string, size: number, hash: Hash): Promise<void> => {
    await write(padding(size));
    files.push({ name, bytes: size, sha256: hash.digest("hex") });
  };
  return {
    files: (): ReadonlyArray<ArchivedFile> => files,
    add: async (name: string, content: Buffer): Promise<void> => {
      await write(header(name, content.length, mtime));
      await write(content);
      await finishFile(name, content.length, createHash("sha256").update(content));
    },
    /** Adds a file that is never changed in place; false where it is gone. */
    addFile: async (name: string, source: string): Promise<boolean> => {
      const handle = await open(source, "r").catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw error;
      });
      if (handle === null) return false;
      try {
        const { size } = await handle.stat();
        await write(header(name, size, mtime));
        const hash = createHash("sha256");
        let read = 0;
        for await (const piece of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
          read += piece.length;
          hash.update(piece);
          await write(piece);
        }
        if (read !== size) throw new Error(`${source} changed while it was read`);
        await finishFile(name, size, hash);
        return true;
      } finally {
        await handle.close();
      }
    },
    finish: async (): Promise<void> => {
      gzip.end(Buffer.alloc(2 * block));
      await flowing;
      const handle = await open(path, "r");
      await handle.sync();
      await handle.close();
    },
    abandon: (): void => void gzip.destroy(),
  };
};

/** A file of an archive as it is read: all of `pieces` must be taken before the next. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  readonly pieces: AsyncGenerator<Buffer>;
}

/** The file is no archive, or not whole; `message` says so. */
export class TarBroken extends Error {
  override readonly name = "TarBroken";
}

/** Reads an archive from its beginning to its end; `onRead` gets the bytes of the file that were read. @throws TarBroken */
export async function* readTar(
  path: string,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<TarEntry> {
  const source = createReadStream(path);
  const unzipped = createGunzip();
  source.on("error", (error) => unzipped.destroy(error));
  const chunks = source.pipe(unzipped)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<Buffer> => {
    try {
      const next = await chunks.next();
      onRead(source.bytesRead);
      if (next.done !== true) return next.value;
    } catch (error) {
      if (error instanceof Error && "code" in error && String(error.code).startsWith("E")) throw error;
    }
    throw new TarBroken("it is damaged or breaks off");
  };
  const take = async (most: number): Promise<Buffer> => {
    if (held.length === 0) held = await more();
    const taken = held.subarray(0, most);
    held = held.subarray(taken.length);
    return taken;
  };
  const exactly = async (size: number): Promise<Buffer> => {
    const parts: Array<Buffer> = [];
    for (let left = size; left > 0;) {
      const part = await take(left);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  };
  try {
    while (true) {
      const head = await exactly(block);
      if (head.every((byte) => byte === 0)) return;
      const text = (from: number, length: number): string =>
        head.toString("utf8", from, from + length).split("\0", 1)[0] ?? "";
      const size = Number.parseInt(text(124, 12), 8);
      if (text(257, 5) !== "ustar" || !Number.isSafeInteger(size)) throw new TarBroken("it is no archive");
      let left = size;
      const pieces = (async function* () {
        while (left > 0) {
          const piece = await take(left);
          left -= piece.length;
          yield piece;
        }
      })();
      yield { name: text(0, 100), bytes: size, pieces };
      while (left > 0) left -= (await take(left)).length;
      await exactly(padding(size).length);
    }
  } finally {
    source.destroy();
    unzipped.destroy();
  }
}
