/** The directory that holds everything one Waypost process keeps on disk, locked to that process. */
import { Context, Data, Effect, Layer, Redacted, type Scope } from "effect";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Settings } from "../config/Settings.ts";
import { type BundledRuntimeUnusable, unpackRuntime } from "./embedded/BundledRuntime.ts";

/** Another process holds the directory; `pid` is unknown in the instant before it has written it down. */
export class DataDirectoryInUse extends Data.TaggedError("DataDirectoryInUse")<{
  readonly path: string;
  readonly pid: number | undefined;
}> {
  override get message(): string {
    const holder = this.pid === undefined ? "another process" : `process ${this.pid}`;
    return (
      `The data directory ${this.path} is in use by ${holder}. ` +
      `Stop that one first, or give this one its own WAYPOST_DATA_DIR.`
    );
  }
}

/** The directory cannot be made, read, written or locked; `problem` says why and what to do. */
export class DataDirectoryUnusable extends Data.TaggedError("DataDirectoryUnusable")<{
  readonly path: string;
  readonly problem: string;
}> {
  override get message(): string {
    return `The data directory ${this.path} cannot be used: ${this.problem}`;
  }
}

/** The locked data directory and the two keys, from the settings or else kept in it. */
export class DataDirectory extends Context.Service<
  DataDirectory,
  {
    /** Absolute. */
    readonly path: string;
    readonly operatorKey: Redacted.Redacted;
    readonly secretKey: Redacted.Redacted;
  }
>()("waypost/database/DataDirectory") {
  static readonly layer: Layer.Layer<
    DataDirectory,
    DataDirectoryInUse | DataDirectoryUnusable | BundledRuntimeUnusable,
    Settings
  > = Layer.effect(
    DataDirectory,
    Effect.gen(function* () {
      const { dataDir, operatorKey, secretKey } = yield* Settings;
      yield* makeDirectory(dataDir);
      yield* holdDirectory(dataDir);
      yield* unpackRuntime(dataDir);
      return DataDirectory.of({
        path: dataDir,
        operatorKey: operatorKey ?? (yield* keptKey(dataDir, "operator.key")),
        secretKey: secretKey ?? (yield* keptKey(dataDir, "secret.key")),
      });
    }),
  );
}

/** What Waypost itself puts there: finding one tells its directory from somebody's home. */
const ownNames = new Set(["waypost.lock", "operator.key", "secret.key", "postgres", "media", "lost+found"]);

const attempt = <A>(path: string, action: () => Promise<A>): Effect.Effect<A, DataDirectoryUnusable> =>
  Effect.tryPromise({
    try: action,
    catch: (error) => new DataDirectoryUnusable({ path, problem: problemOf(error) }),
  });

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const problemOf = (error: unknown): string => {
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM") {
    return "this account may not write there. Set WAYPOST_DATA_DIR to a directory it owns.";
  }
  if (code === "ENOTDIR" || code === "EEXIST") return "there is a file in its place.";
  if (code === "ENOENT") return "no directory can be made there. Set WAYPOST_DATA_DIR to another place.";
  if (code === "EROFS") return "the file system is read-only. Set WAYPOST_DATA_DIR to a writable one.";
  return error instanceof Error ? error.message : String(error);
};

const makeDirectory = Effect.fnUntraced(function* (path: string) {
  // Only the directory itself is closed to others: the database's account must get through the folders above it.
  yield* attempt(path, () => mkdir(dirname(path), { recursive: true }));
  // Not recursively: where nothing can be made, Node would then tell the wrong reason (read-only), or never end (/proc).
  yield* attempt(path, () =>
    mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    }),
  );
  const entries = yield* attempt(path, () => readdir(path, { withFileTypes: true }));
  const isOwn = entries.some(({ name }) => ownNames.has(name));
  if (!isOwn && entries.some((entry) => entry.isDirectory() || entry.name.startsWith("."))) {
    // Going on would close it to everybody else: a wrong setting must not lock people out of /srv or a home. A log or a
    // settings file that was put there before the first start is no such thing.
    return yield* new DataDirectoryUnusable({
      path,
      problem: "it holds other folders. Set WAYPOST_DATA_DIR to a directory of its own.",
    });
  }
  const { mode } = yield* attempt(path, () => stat(path));
  if ((mode & 0o777) !== 0o700) yield* attempt(path, () => chmod(path, 0o700));
});

/**
 * Holds the directory until the scope closes or the process dies, however it dies.
 *
 * Node offers no flock. A file with a process id needs a takeover when its holder was killed, which races with a second
 * taker, and an id means nothing to a process in another container on the same volume. SQLite, which is part of Node, takes a
 * real lock of the kernel (fcntl) on an empty file: the kernel frees it with the process, children do not
 * inherit it, and there is nothing to take over. The file beside it only tells people who holds the lock.
 */
export const holdDirectory = (
  path: string,
): Effect.Effect<void, DataDirectoryInUse | DataDirectoryUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const holderFile = join(path, "waypost.pid");
    yield* Effect.acquireRelease(
      Effect.try({
        try: () => acquireLock(join(path, "waypost.lock")),
        catch: (error) =>
          isBusy(error)
            ? new DataDirectoryInUse({ path, pid: readHolder(holderFile) })
            : new DataDirectoryUnusable({ path, problem: problemOf(error) }),
      }),
      (database) =>
        Effect.andThen(
          Effect.promise(() => rm(holderFile, { force: true }).catch(() => undefined)),
          Effect.sync(() => database.close()),
        ),
    );
    yield* attempt(path, () => writeFile(holderFile, `${process.pid}\n`, { mode: 0o600 }));
  });

const acquireLock = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // The journal stays in memory, so that nothing is ever written beside the empty file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const sqliteBusy = 5;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;

const readHolder = (file: string): number | undefined => {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};

const keptKey = Effect.fnUntraced(function* (path: string, name: string) {
  const file = join(path, name);
  const kept = yield* attempt(path, () =>
    readFile(file, "utf8").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }),
  );
  if (kept === undefined) {
    const made = randomBytes(32).toString("base64url");
    yield* attempt(path, () => writeDurably(path, name, `${made}\n`));
    return Redacted.make(made, { label: name });
  }
  const key = kept.trim();
  if (key.length < 16) {
    // A new key in its place would make every cursor and stored credential unreadable: that is for a person to decide.
    return yield* new DataDirectoryUnusable({
      path,
      problem: `${name} holds no key of at least 16 characters. Put the right key back, or remove the file for a new one.`,
    });
  }
  return Redacted.make(key, { label: name });
});

/** A crash at any point leaves either no file of that name or the whole text. */
const writeDurably = async (directory: string, name: string, text: string): Promise<void> => {
  const temporary = join(directory, `.${name}.new`);
  await rm(temporary, { force: true });
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(directory, name));
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
