/** The directory that holds all files of a Waypost process, locked by that process. */
import { Context, Data, Effect, Layer, Redacted } from "effect";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { goodKey, isStrongKey } from "../config/KeyStrength.ts";
import { Settings } from "../config/Settings.ts";
import { ProcessMember } from "../processes/ProcessMember.ts";
import { errorCode, messageOf, unlessMissing, writeDurably } from "./DurableFiles.ts";
import { unpackRuntime } from "./embedded/BundledRuntime.ts";

/** Another process holds the lock of the directory. `pid` is undefined until that process has recorded it. */
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

/** The directory cannot be created, read, written or locked. `problem` says why and what to do. */
export class DataDirectoryUnusable extends Data.TaggedError("DataDirectoryUnusable")<{
  readonly path: string;
  readonly problem: string;
}> {
  override get message(): string {
    return `The data directory ${this.path} cannot be used: ${this.problem}`;
  }
}

/** The locked data directory, and the keys from the settings or from files in it. */
export class DataDirectory extends Context.Service<
  DataDirectory,
  {
    /** Absolute. */
    readonly path: string;
    readonly operatorKey: Redacted.Redacted;
    readonly secretKey: Redacted.Redacted;
  }
>()("waypost/database/DataDirectory") {
  static readonly layer = Layer.effect(
    DataDirectory,
    Effect.gen(function* () {
      const { dataDir, operatorKey, secretKey } = yield* Settings;
      // A supervisor has prepared the directory for its processes, and holds the lock.
      if ((yield* ProcessMember) === null) {
        yield* makeDirectory(dataDir);
        yield* holdDirectory(dataDir);
        yield* unpackRuntime(dataDir);
      }
      return {
        path: dataDir,
        operatorKey: operatorKey ?? (yield* storedKey(dataDir, "operator.key")),
        secretKey: secretKey ?? (yield* storedKey(dataDir, "secret.key")),
      };
    }),
  );
}

/** Names that Waypost creates: they tell a data directory from, say, a home directory. */
const ownNames = new Set(["waypost.lock", "operator.key", "secret.key", "postgres", "media", "lost+found"]);

const attempt = <A>(path: string, operation: () => Promise<A>): Effect.Effect<A, DataDirectoryUnusable> =>
  Effect.tryPromise({
    try: operation,
    catch: (error) => new DataDirectoryUnusable({ path, problem: problemOf(error) }),
  });

const problemOf = (error: unknown): string => {
  const code = errorCode(error);
  if (code === "EACCES" || code === "EPERM") {
    return "this account may not write there. Set WAYPOST_DATA_DIR to a directory it owns.";
  }
  if (code === "ENOTDIR" || code === "EEXIST") return "there is a file at this path.";
  if (code === "ENOENT") return "no directory can be made there. Set WAYPOST_DATA_DIR to another path.";
  if (code === "EROFS") return "the file system is read-only. Set WAYPOST_DATA_DIR to a writable one.";
  return messageOf(error);
};

const makeDirectory = Effect.fnUntraced(function* (path: string) {
  // The parent folders stay open to others: the database's account must get through them.
  yield* attempt(path, () => mkdir(dirname(path), { recursive: true }));
  // Not recursive: Node would report the wrong error (read-only), or never return (/proc).
  yield* attempt(path, () =>
    mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    }),
  );
  const entries = yield* attempt(path, () => readdir(path, { withFileTypes: true }));
  const isOwn = entries.some(({ name }) => ownNames.has(name));
  if (!isOwn && entries.some((entry) => entry.isDirectory() || entry.name.startsWith("."))) {
    // A wrong setting must not lock other accounts out of /srv or a home directory. Plain files, such as a
    // log or settings, may be there before the first start.
    return yield* new DataDirectoryUnusable({
      path,
      problem: "it holds other folders. Set WAYPOST_DATA_DIR to a directory of its own.",
    });
  }
  const { mode } = yield* attempt(path, () => stat(path));
  if ((mode & 0o777) !== 0o700) yield* attempt(path, () => chmod(path, 0o700));
});

/**
 * Locks the directory until the scope closes or the process ends, also when it is killed.
 *
 * Node has no flock. A file with a process id is stale after a kill, taking it over races with other
 * processes, and the id means nothing in another container on the same volume. SQLite, which is part of Node,
 * takes a kernel lock (fcntl) on an empty file: the kernel frees it with the process, and child processes do
 * not inherit it. The file `waypost.pid` only tells people who holds the lock.
 */
export const holdDirectory = Effect.fnUntraced(function* (path: string) {
  const pidFile = join(path, "waypost.pid");
  yield* Effect.acquireRelease(
    Effect.try({
      try: () => acquireLock(join(path, "waypost.lock")),
      catch: (error) =>
        isBusy(error)
          ? new DataDirectoryInUse({ path, pid: readPid(pidFile) })
          : new DataDirectoryUnusable({ path, problem: problemOf(error) }),
    }),
    (database) =>
      Effect.promise(async () => {
        await rm(pidFile, { force: true }).catch(() => undefined);
        database.close();
      }),
  );
  yield* attempt(path, () => writeFile(pidFile, `${process.pid}\n`, { mode: 0o600 }));
});

const acquireLock = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // A journal in memory adds no file beside the empty one.
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

const readPid = (file: string): number | undefined => {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};

/** The key in a file of the directory, which is created if it is missing. */
const storedKey = Effect.fnUntraced(function* (path: string, name: string) {
  const file = join(path, name);
  const stored = yield* attempt(path, () => unlessMissing(readFile(file, "utf8")));
  const key = stored?.trim() ?? randomBytes(32).toString("base64url");
  if (stored === undefined) yield* attempt(path, () => writeDurably(file, `${key}\n`));
  if (!isStrongKey(key)) {
    // Replacing the key would make every cursor and stored credential unreadable, so a person has to decide.
    return yield* new DataDirectoryUnusable({
      path,
      problem: `${name} holds no key of ${goodKey}. Put it back, or remove the file for a new one.`,
    });
  }
  return Redacted.make(key, { label: name });
});
