/** The files inside the executable: texts, and an archive of native programs to unpack to disk. */
import { Data, Effect } from "effect";
import { lstatSync, type Stats } from "node:fs";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { getAsset, getAssetKeys, getRawAsset, isSea } from "node:sea";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { messageOf, syncToDisk } from "../DurableFiles.ts";

/** A file of the archive, in the order of its bytes, or a link inside it. Paths have no `..`. */
export type BundledEntry =
  | { readonly path: string; readonly size: number; readonly isProgram: boolean }
  | { readonly path: string; readonly linkTo: string };

/** The content of the archive. `id` is a digest of it, so every build unpacks to its own folder. */
export interface BundledIndex {
  readonly id: string;
  /** A name for people, such as "PostgreSQL 18.4 and libvips 8.18". */
  readonly title: string;
  readonly entries: ReadonlyArray<BundledEntry>;
}

/** The names of the archive's two assets. */
export const archiveAssets = { index: "runtime.json", bytes: "runtime.zst" } as const;

/** The archive cannot be unpacked. `message` says why, and what to do. */
class BundledRuntimeUnusable extends Data.TaggedError("BundledRuntimeUnusable")<{
  readonly message: string;
}> {}

/** The text of a file of the source tree that is bundled in this executable; else undefined. */
export const bundledText = (path: string): string | undefined =>
  isSea() && getAssetKeys().includes(path) ? getAsset(path, "utf8") : undefined;

/** As `bundledText`, the bytes of a file. */
export const bundledBytes = (path: string): Uint8Array | undefined =>
  isSea() && getAssetKeys().includes(path) ? new Uint8Array(getRawAsset(path)) : undefined;

/** Names and texts of all bundled files in a folder of the source tree. */
export const bundledFolder = (
  folder: string,
): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  getAssetKeys()
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => ({ name: path.slice(folder.length + 1), text: getAsset(path, "utf8") }));

const bundledIndex = (): BundledIndex => JSON.parse(getAsset(archiveAssets.index, "utf8")) as BundledIndex;

const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * The folder of a data directory in which this build is unpacked. Root uses its own folder: it must not run
 * files that another account can change, nor remove those of a service that runs under such an account.
 */
export const runtimeFolder = (dataDir: string): string =>
  join(dataDir, "runtime", bundledIndex().id + (isRoot() ? "-root" : ""));

/** Unpacks the archive at the first start of a build. Does nothing in a source tree. */
export const unpackRuntime = Effect.fnUntraced(function* (dataDir: string) {
  if (!isSea()) return;
  const index = bundledIndex();
  const folder = runtimeFolder(dataDir);
  if (isUnpacked(index, folder)) return yield* Effect.promise(() => removeOthers(folder, index.id));
  const bytes = index.entries.reduce((sum, entry) => sum + ("size" in entry ? entry.size : 0), 0);
  const size = `${Math.ceil(bytes / 1_000_000)} MB`;
  yield* Effect.logInfo(
    `First start of this build: unpacking ${index.title} into ${folder} (${size}, once).`,
  );
  yield* Effect.tryPromise({
    try: () => unpackArchive(index, new Uint8Array(getRawAsset(archiveAssets.bytes)), folder),
    catch: (error) =>
      new BundledRuntimeUnusable({
        message:
          `Waypost cannot unpack its programs into ${folder}: ${messageOf(error)}. ` +
          "Set WAYPOST_DATA_DIR to a directory that this account may write, with 200 MB of room.",
      }),
  });
});

/** Whether every file is there with its full length, and only this account could have written it. */
export const isUnpacked = (index: BundledIndex, folder: string): boolean => {
  const account = process.geteuid?.();
  // A thousand synchronous calls take a tenth of the time of asynchronous ones, and nothing else runs yet.
  return [{ path: "." }, ...index.entries].every((entry) => {
    const found = statsOf(join(folder, entry.path));
    if (found === undefined || found.uid !== account) return false;
    if ("linkTo" in entry) return found.isSymbolicLink();
    if (!("size" in entry)) return found.isDirectory() && (found.mode & 0o022) === 0;
    return found.isFile() && found.size === entry.size && (found.mode & 0o022) === 0;
  });
};

const statsOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/** Unpacks to a temporary folder, syncs it, renames it, and then removes other builds: all files or none. */
export const unpackArchive = async (
  index: BundledIndex,
  compressed: Uint8Array,
  folder: string,
): Promise<void> => {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  const { gid, uid } = await stat(dirname(parent));
  // A folder that root creates in another account's data directory must belong to that account.
  if (isRoot()) await chown(parent, uid, gid);
  if (((await stat(parent)).mode & 0o777) !== 0o755) await chmod(parent, 0o755);
  // Interrupted attempts would fill the disk.
  for (const name of await readdir(parent))
    if (name.startsWith("new-")) await rm(join(parent, name), { recursive: true, force: true });
  const temporary = await mkdtemp(join(parent, "new-"));
  try {
    await writeEntries(index, compressed, temporary);
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  await removeOthers(folder, index.id);
};

/** Removes other builds and interrupted attempts. Nobody uses them: the data directory is locked. */
const removeOthers = async (folder: string, id: string): Promise<void> => {
  const parent = dirname(folder);
  const kept = new Set([basename(folder), ...(isRoot() ? [id] : [])]);
  for (const name of await readdir(parent)) {
    // An account that is not root cannot remove root's folder, and need not.
    if (!kept.has(name))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
};

const writeEntries = async (index: BundledIndex, compressed: Uint8Array, into: string): Promise<void> => {
  await chmod(into, 0o755);
  const folders = new Set(index.entries.map((entry) => dirname(join(into, entry.path))));
  for (const each of folders) await mkdir(each, { recursive: true, mode: 0o755 });
  const take = takeFrom(Readable.from([compressed]).pipe(createZstdDecompress())[Symbol.asyncIterator]());
  const files: Array<string> = [];
  for (const entry of index.entries) {
    const path = join(into, entry.path);
    if ("linkTo" in entry) {
      await symlink(entry.linkTo, path);
      continue;
    }
    await writeFile(path, take(entry.size), { flag: "wx" });
    await chmod(path, entry.isProgram ? 0o755 : 0o644);
    files.push(path);
  }
  // Syncing one file at a time takes many times as long.
  for (let start = 0; start < files.length; start += syncConcurrency)
    await Promise.all(files.slice(start, start + syncConcurrency).map(syncToDisk));
};

const syncConcurrency = 64;

/** Returns a function that yields the next `bytes` bytes of a stream, in chunks to keep memory flat. */
const takeFrom = (chunks: AsyncIterator<Buffer>) => {
  let rest: Buffer = Buffer.alloc(0);
  return async function* (bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0;) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done === true) throw new Error("the executable is damaged: copy it again");
        rest = next.value;
      }
      const part = rest.subarray(0, missing);
      rest = rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  };
};
