import { Clock, Effect, Layer, Option, Schedule, Stream } from "effect";
import { randomBytes } from "node:crypto";
import { copyFile, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { type ByteRange, isMediaKey, type MediaBytes, MediaStore, MediaStoreAway } from "./MediaStore.ts";
import { counted } from "./MediaStoreMetrics.ts";

const pieceBytes = 65_536;

/** Until then a file that is arriving may be another process's, on a disk that several share. */
const arrivingMillis = 60 * 60 * 1000;

/** Folders by the first two characters keep each of them small. */
const toIndexedLocation = (folder: string, key: string): string =>
  join(folder, key.slice(0, 2), key.replace("/", "."));

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const away = (cause: unknown): MediaStoreAway =>
  new MediaStoreAway({ problem: cause instanceof Error ? cause.message : String(cause), cause });

/** Once begun it is carried through: a file system does not let go of what it is doing. */
const attempt = <A>(action: () => Promise<A>): Effect.Effect<A, MediaStoreAway> =>
  Effect.uninterruptible(Effect.tryPromise({ try: action, catch: away }));

/** Makes the entries of a folder durable. */
const settle = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const makeFolder = async (path: string): Promise<void> => {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) await settle(dirname(made));
};

/** Writes all of it to a new file, down to the disk. */
const write = async (path: string, file: MediaBytes): Promise<void> => {
  if ("path" in file) await copyFile(file.path, path);
  const handle = await open(path, "path" in file ? "r+" : "wx", 0o600);
  try {
    if ("content" in file) await handle.writeFile(file.content);
    await handle.chmod(0o600);
    const { size } = await handle.stat();
    const wanted = "content" in file ? file.content.length : file.bytes;
    if (size !== wanted) throw new Error(`${size} bytes were written of ${wanted}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const put = async (folder: string, arriving: string, key: string, file: MediaBytes): Promise<void> => {
  const place = toIndexedLocation(folder, key);
  const temporary = join(arriving, randomBytes(12).toString("hex"));
  try {
    await write(temporary, file);
    await makeFolder(dirname(place));
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await settle(dirname(place));
};

const remove = async (folder: string, key: string): Promise<void> => {
  const place = toIndexedLocation(folder, key);
  try {
    await rm(place);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  await settle(dirname(place));
};

const openFile = async (place: string): Promise<{ handle: FileHandle; bytes: number } | null> => {
  try {
    const handle = await open(place, "r");
    return { handle, bytes: (await handle.stat()).size };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
};

/** Asks for the next piece when the one before is taken. */
const pieces = (handle: FileHandle, first: number, past: number): Stream.Stream<Uint8Array, MediaStoreAway> =>
  Stream.unfold(first, (at) =>
    at >= past
      ? Effect.succeed(undefined)
      : attempt(async () => {
          const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, past - at));
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
          if (bytesRead === 0) throw new Error(`The file ends at ${at}, before its end at ${past}`);
          return [buffer.subarray(0, bytesRead), at + bytesRead] as const;
        }),
  );

const read = Effect.fnUntraced(function* (folder: string, key: string, range: ByteRange | undefined) {
  if (!isMediaKey(key)) return Option.none();
  const file = yield* Effect.acquireRelease(
    attempt(() => openFile(toIndexedLocation(folder, key))),
    (opened) => Effect.promise(async () => opened?.handle.close()),
  );
  if (file === null) return Option.none();
  const past = Math.min(file.bytes, (range?.end ?? Infinity) + 1);
  return Option.some({ bytes: file.bytes, body: pieces(file.handle, range?.start ?? 0, past) });
});

/** Removes what a crash left half written; tells how many. */
const sweep = Effect.fnUntraced(function* (arriving: string) {
  const before = (yield* Clock.currentTimeMillis) - arrivingMillis;
  return yield* attempt(async () => {
    let swept = 0;
    for (const name of await readdir(arriving)) {
      const path = join(arriving, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || found.mtimeMs >= before) continue;
      await rm(path, { force: true });
      swept += 1;
    }
    return swept;
  });
});

/**
 * Media in a folder, which is made where it is missing (0700, files 0600). Processes may share it: it can be a mount, or a link to one.
 */
export const diskMediaStore = (folder: string): Layer.Layer<MediaStore, MediaStoreAway> =>
  Layer.effect(
    MediaStore,
    Effect.gen(function* () {
      const arriving = join(folder, ".arriving");
      yield* attempt(() => makeFolder(arriving));
      yield* sweep(arriving);
      yield* sweep(arriving).pipe(
        Effect.ignoreCause({ log: "Warn" }),
        Effect.schedule(Schedule.spaced("1 hour")),
        Effect.forkScoped,
      );
      return counted(
        MediaStore.of({
          put: (key, file) =>
            isMediaKey(key)
              ? attempt(() => put(folder, arriving, key, file))
              : Effect.die(new Error("What is put into the media store needs a media key")),
          read: (key, range) => read(folder, key, range),
          remove: (key) => (isMediaKey(key) ? attempt(() => remove(folder, key)) : Effect.void),
        }),
      );
    }),
  );

/** Media in the data directory. */
export const dataDirectoryMediaStore: Layer.Layer<MediaStore, MediaStoreAway, DataDirectory> = Layer.unwrap(
  Effect.map(DataDirectory, ({ path }) => diskMediaStore(join(path, "media"))),
);
