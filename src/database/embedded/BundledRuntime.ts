/** What the executable carries inside: texts to read in place, and native programs and libraries that must lie on a disk to run. */
import { Data, Effect } from "effect";
import { lstatSync, type Stats } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, open, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { getAsset, getAssetKeys, getRawAsset, isSea } from "node:sea";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";

/** A file of the archive, in the order of their bytes there, or a link to another path of it. Paths have no `..`. */
export type BundledEntry =
  | { readonly path: string; readonly size: number; readonly isProgram: boolean }
  | { readonly path: string; readonly linkTo: string };

/** What the archive holds; `id` is a digest of it, so each build unpacks beside the others. */
export interface BundledIndex {
  readonly id: string;
  /** What a person calls it, as "PostgreSQL 18.4 and libvips 8.18". */
  readonly title: string;
  readonly entries: ReadonlyArray<BundledEntry>;
}

/** The names of the two assets that make up the archive. */
export const archiveAssets = { index: "runtime.json", bytes: "runtime.zst" } as const;

/** The runtime cannot be unpacked; `problem` is the system's word for why. */
export class BundledRuntimeUnusable extends Data.TaggedError("BundledRuntimeUnusable")<{
  readonly folder: string;
  readonly problem: string;
}> {
  override get message(): string {
    return (
      `Waypost cannot unpack its programs into ${this.folder}: ${this.problem}. ` +
      `Set WAYPOST_DATA_DIR to a directory that this account may write, with 200 MB of room.`
    );
  }
}

/** The text of a file of the source tree, when this is the executable and it carries that file. */
export const bundledText = (path: string): string | undefined =>
  isSea() && getAssetKeys().includes(path) ? getAsset(path, "utf8") : undefined;

/** Names and texts of all carried files of a folder of the source tree. */
export const bundledFolder = (
  folder: string,
): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  getAssetKeys()
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => ({ name: path.slice(folder.length + 1), text: getAsset(path, "utf8") }));

const bundledIndex = (): BundledIndex => JSON.parse(getAsset(archiveAssets.index, "utf8")) as BundledIndex;

/**
 * Where this executable's programs are under that data directory: `postgres/` and `sharp/` in a folder for each build. Root has
 * one of its own: it must not run what another account could have changed, nor take away what a service of that account starts with.
 */
export const runtimeFolder = (dataDir: string): string =>
  join(dataDir, "runtime", bundledIndex().id + (process.geteuid?.() === 0 ? "-root" : ""));

/** Unpacks what the executable carries, at the first start of each build, and removes that of other builds. No-op in a source tree. */
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
      new BundledRuntimeUnusable({ folder, problem: error instanceof Error ? error.message : String(error) }),
  });
});

/** Every file is there in its full length, and nobody but this account could have put it there. */
export const isUnpacked = (index: BundledIndex, folder: string): boolean => {
  const own = process.geteuid?.();
  // A thousand looks, one after another: nothing else runs yet, and as promises they would take ten times as long.
  return [{ path: "." }, ...index.entries].every((entry) => {
    const found = seen(join(folder, entry.path));
    if (found === undefined || found.uid !== own) return false;
    if ("linkTo" in entry) return found.isSymbolicLink();
    if (!("size" in entry)) return found.isDirectory() && (found.mode & 0o022) === 0;
    return found.isFile() && found.size === entry.size && (found.mode & 0o022) === 0;
  });
};

const seen = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/** A whole folder or none: written under another name, brought to the disk, renamed. Then its siblings, of other builds, go. */
export const unpackArchive = async (
  index: BundledIndex,
  compressed: Uint8Array,
  folder: string,
): Promise<void> => {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  const { gid, uid } = await stat(dirname(parent));
  // What root makes in the data directory of another account must not be in that one's way.
  if (process.geteuid?.() === 0) await chown(parent, uid, gid);
  if (((await stat(parent)).mode & 0o777) !== 0o755) await chmod(parent, 0o755);
  // Of unpackings that were cut short: one after another they would fill the disk.
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

/** Removes what other builds, and unpackings that were cut short, left beside the folder; nobody uses it while the data directory is held. */
const removeOthers = async (folder: string, id: string): Promise<void> => {
  const parent = dirname(folder);
  const kept = new Set([basename(folder), ...(process.geteuid?.() === 0 ? [id] : [])]);
  for (const name of await readdir(parent)) {
    // What belongs to root stays where Waypost runs as another account: it is in nobody's way.
    if (!kept.has(name))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
};

const writeEntries = async (index: BundledIndex, compressed: Uint8Array, into: string): Promise<void> => {
  await chmod(into, 0o755);
  const folders = new Set(index.entries.map((entry) => dirname(join(into, entry.path))));
  for (const each of folders) await mkdir(each, { recursive: true, mode: 0o755 });
  // A piece at a time: the whole of it would stay in the memory of the process.
  const pieces = Readable.from([compressed]).pipe(createZstdDecompress())[Symbol.asyncIterator]();
  let left: Buffer = Buffer.alloc(0);
  const next = async (most: number): Promise<Buffer> => {
    if (left.length === 0) {
      const piece = await pieces.next();
      if (piece.done === true) throw new Error("the executable is damaged: copy it anew");
      left = piece.value as Buffer;
    }
    const taken = left.subarray(0, most);
    left = left.subarray(taken.length);
    return taken;
  };
  for (const entry of index.entries) {
    const path = join(into, entry.path);
    if ("linkTo" in entry) {
      await symlink(entry.linkTo, path);
      continue;
    }
    const file = await open(path, "wx", entry.isProgram ? 0o755 : 0o644);
    try {
      for (let missing = entry.size; missing > 0;) {
        const piece = await next(missing);
        await file.writeFile(piece);
        missing -= piece.length;
      }
      await file.chmod(entry.isProgram ? 0o755 : 0o644);
    } finally {
      await file.close();
    }
  }
  const files = index.entries.filter((entry) => "size" in entry).map(({ path }) => join(into, path));
  for (let at = 0; at < files.length; at += together)
    await Promise.all(files.slice(at, at + together).map(bringToDisk));
};

/** Waiting for the disk file by file takes many times as long. */
const together = 64;

const bringToDisk = async (path: string): Promise<void> => {
  const file = await open(path, "r");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
};
