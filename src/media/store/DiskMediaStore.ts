import { Clock, Effect, Layer, Option, Schedule, Stream } from "effect";
import { randomBytes } from "node:crypto";
import { copyFile, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { syncToDisk, unlessMissing } from "../../database/DurableFiles.ts";
import {
  type ByteRange,
  checkedStore,
  type MediaBytes,
  MediaStore,
  MediaStoreUnavailable,
} from "./MediaStore.ts";

const chunkBytes = 65_536;

/** Temporary files younger than this may belong to another process on a shared disk. */
const temporaryFileMillis = 60 * 60 * 1000;

/** Subfolders by the first two characters keep each folder small. */
const pathOf = (folder: string, key: string): string => join(folder, key.slice(0, 2), key.replace("/", "."));

/** Runs a file operation without interruption: the file system finishes what it started. */
const attempt = <A>(operation: () => Promise<A>) =>
  Effect.uninterruptible(MediaStoreUnavailable.attempt(operation));

const makeFolder = async (path: string): Promise<void> => {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncToDisk(dirname(made));
};

/** Writes all bytes to a new file and syncs it. */
const write = async (path: string, file: MediaBytes): Promise<void> => {
  if ("path" in file) await copyFile(file.path, path);
  const handle = await open(path, "path" in file ? "r+" : "wx", 0o600);
  try {
    if ("content" in file) await handle.writeFile(file.content);
    await handle.chmod(0o600);
    const { size } = await handle.stat();
    const expected = "content" in file ? file.content.length : file.bytes;
    if (size !== expected) throw new Error(`${size} bytes were written of ${expected}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const put = async (folder: string, temporaryFolder: string, key: string, file: MediaBytes): Promise<void> => {
  const path = pathOf(folder, key);
  const temporary = join(temporaryFolder, randomBytes(12).toString("hex"));
  try {
    await write(temporary, file);
    await makeFolder(dirname(path));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncToDisk(dirname(path));
};

const remove = async (folder: string, key: string): Promise<void> => {
  const path = pathOf(folder, key);
  const isRemoved = await unlessMissing(rm(path).then(() => true));
  if (isRemoved === true) await syncToDisk(dirname(path));
};

/** Reads each chunk when the consumer asks for it. */
const chunks = (handle: FileHandle, start: number, past: number) =>
  Stream.unfold(start, (offset) =>
    offset >= past
      ? Effect.succeed(undefined)
      : attempt(async () => {
          const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, past - offset));
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
          if (bytesRead === 0) throw new Error(`The file ends at ${offset}, before its end at ${past}`);
          return [buffer.subarray(0, bytesRead), offset + bytesRead] as const;
        }),
  );

const read = Effect.fnUntraced(function* (folder: string, key: string, range: ByteRange | undefined) {
  const handle = yield* Effect.acquireRelease(
    attempt(() => unlessMissing(open(pathOf(folder, key), "r"))),
    (opened) => Effect.promise(async () => opened?.close()),
  );
  if (handle === undefined) return Option.none();
  const { size: bytes } = yield* attempt(() => handle.stat());
  const past = Math.min(bytes, (range?.end ?? Infinity) + 1);
  return Option.some({ bytes, body: chunks(handle, range?.start ?? 0, past) });
});

/** Removes temporary files that a crash left. */
const removeTemporaryFiles = Effect.fnUntraced(function* (folder: string) {
  const before = (yield* Clock.currentTimeMillis) - temporaryFileMillis;
  yield* attempt(async () => {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true });
    }
  });
});

/**
 * Media in a folder, which is created if it is missing (folders 0700, files 0600). Several processes may
 * share it: it may be a mount or a link to one.
 */
export const diskMediaStore = (folder: string): Layer.Layer<MediaStore, MediaStoreUnavailable> =>
  Layer.effect(
    MediaStore,
    Effect.gen(function* () {
      const temporaryFolder = join(folder, ".arriving");
      yield* attempt(() => makeFolder(temporaryFolder));
      yield* removeTemporaryFiles(temporaryFolder);
      yield* removeTemporaryFiles(temporaryFolder).pipe(
        Effect.ignoreCause({ log: "Warn" }),
        Effect.schedule(Schedule.spaced("1 hour")),
        Effect.forkScoped,
      );
      return checkedStore({
        put: (key, file) => attempt(() => put(folder, temporaryFolder, key, file)),
        read: (key, range) => read(folder, key, range),
        remove: (key) => attempt(() => remove(folder, key)),
      });
    }),
  );

/** Media in the data directory. */
export const dataDirectoryMediaStore: Layer.Layer<MediaStore, MediaStoreUnavailable, DataDirectory> =
  Layer.unwrap(Effect.map(DataDirectory, ({ path }) => diskMediaStore(join(path, "media"))));
