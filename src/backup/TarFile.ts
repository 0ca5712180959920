/** Tar archives compressed by gzip, written and read as streams with flat memory. */
import { createTarDecoder, createTarPacker } from "modern-tar";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, fstatSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { syncToDisk, unlessMissing } from "../database/DurableFiles.ts";
import type { BackupManifest } from "./BackupManifest.ts";
import { errorCode } from "./DiskProblem.ts";

/** Writes a new archive, which is complete and on disk after `finish`. `mtime` is in seconds. */
export const writeTar = (path: string, mtime: number) => {
  const { controller, readable } = createTarPacker();
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  let inode: number | null = null;
  file.once("open", (descriptor) => {
    inode = fstatSync(descriptor).ino;
  });
  const written = pipeline(Readable.fromWeb(readable), createGzip({ level: 1 }), file);
  written.catch(() => undefined);
  /** Whether the file at the path is this archive: another process can have removed and created it. */
  const isOwn = async (): Promise<boolean> => (await unlessMissing(stat(path)))?.ino === inode;
  const files: Array<BackupManifest["files"][number]> = [];
  const write = async (
    name: string,
    size: number,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    const hash = createHash("sha256");
    const body = controller.add({ name, size, mode: 0o600, mtime: new Date(mtime * 1000) }).getWriter();
    for await (const piece of pieces) {
      hash.update(piece);
      await body.write(piece);
    }
    await body.close();
    files.push({ name, bytes: size, sha256: hash.digest("hex") });
  };
  return {
    files: (): BackupManifest["files"] => files,
    add: (name: string, content: Buffer): Promise<void> => write(name, content.length, [content]),
    /** Adds a file of the disk. Returns false if it does not exist; rejects if its size changes. */
    addFile: async (name: string, source: string): Promise<boolean> => {
      const handle = await open(source, "r").catch((error: unknown) => {
        if (errorCode(error) === "ENOENT") return null;
        throw error;
      });
      if (handle === null) return false;
      try {
        await write(name, (await handle.stat()).size, handle.createReadStream({ autoClose: false }));
        return true;
      } catch (error) {
        // The archive refuses content that is longer or shorter than announced.
        throw errorCode(error) === "" ? new Error(`${source} changed while it was read`) : error;
      } finally {
        await handle.close();
      }
    },
    isOwn,
    /** Rejects if another file has taken its path. */
    finish: async (): Promise<void> => {
      controller.finalize();
      await written;
      await syncToDisk(path);
      if (!(await isOwn())) throw new Error("another backup to the same path has begun meanwhile");
    },
    abandon: (): void => controller.error(new Error("The archive was abandoned")),
  };
};

/** An entry of an archive. Its `pieces` can be read only until the next entry is read. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** The content. Throws TarBroken. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** The file is not a complete archive. `message` says why. */
export class TarBroken extends Error {
  override readonly name = "TarBroken";
}

/** Turns an error of zlib or of the decoder into `TarBroken`. Errors of the file system do not change. */
const broken = (error: unknown): unknown => {
  const code = errorCode(error);
  if (code.startsWith("E") || error instanceof TarBroken) return error;
  const isTruncated =
    code.startsWith("Z_") || (error instanceof Error && error.message.includes("truncated"));
  return new TarBroken(isTruncated ? "it is damaged or truncated" : "it is not a valid archive");
};

/**
 * The content of an entry. A reader that stops early does not cancel the stream: in modern-tar 0.8.6, a
 * cancel of content that is buffered whole discards the content of a later entry, which then never ends.
 */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body.values({ preventCancel: true });
  } catch (error) {
    throw broken(error);
  }
}

/**
 * Reads an archive from its beginning to its end. `onRead` receives the number of bytes of the file read so
 * far.
 * @throws TarBroken
 */
export async function* readTar(
  path: string,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<TarEntry> {
  const source = createReadStream(path);
  // Larger chunks than zlib's default of 16 KiB: each one crosses a web stream.
  const unzipped = createGunzip({ chunkSize: 131_072 });
  source.on("error", (error) => unzipped.destroy(error));
  source.on("data", () => onRead(source.bytesRead));
  const entries = Readable.toWeb(source.pipe(unzipped)).pipeThrough(createTarDecoder({ strict: true }));
  try {
    for await (const { body, header } of entries) {
      yield { name: header.name, bytes: header.size, pieces: piecesOf(body) };
      // Skips content that was not read: the decoder waits for it.
      for await (const _ of piecesOf(body));
    }
  } catch (error) {
    throw broken(error);
  } finally {
    source.destroy();
    unzipped.destroy();
  }
}
