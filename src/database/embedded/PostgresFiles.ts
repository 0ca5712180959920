/** The files of the embedded PostgreSQL in the data directory: its data, socket and log, and their owners. */
import { Data, Effect } from "effect";
import { chmodSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { chown, mkdir, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { syncToDisk } from "../DurableFiles.ts";
import { closedFolder, EmbeddedPostgresUnusable, type PostgresAccount, runAs } from "./PostgresAccount.ts";

/** The superuser and only user of the embedded server. */
export const username = "waypost";
/** The database that Waypost uses. */
export const database = "waypost";
/** Settings for data that may be lost. */
export const nonDurableSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
/** The file name of PostgreSQL's socket. */
export const socketName = ".s.PGSQL.5432";
/** The path of a socket has at most 103 bytes on macOS and 107 on Linux. */
const maxSocketPath = 103;
const maxLogBytes = 8 * 1024 * 1024;

/** A file operation without which the server cannot run. */
export const fileOperation = <A>(operation: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresUnusable> =>
  Effect.tryPromise({
    try: operation,
    catch: (error) => EmbeddedPostgresUnusable.of(String(error)),
  });

const giveTo = async (path: string, { drop }: PostgresAccount): Promise<void> => {
  if (drop !== undefined) await chown(path, drop.uid, drop.gid);
};

/**
 * As root, gives the data directory (mode 0700) to the database's account, which must enter it. The keys in
 * it stay root's own and unreadable to the database.
 */
export const openToAccount = Effect.fnUntraced(function* (dataDir: string, account: PostgresAccount) {
  if (account.drop === undefined) return;
  yield* fileOperation(() => giveTo(dataDir, account));
  const result = yield* runAs(account, "/bin/sh", ["-c", 'test -w "$0"', dataDir]);
  if (result.code === 0) return;
  const closed = yield* fileOperation(() => closedFolder(dataDir));
  return yield* EmbeddedPostgresUnusable.of(
    `Waypost runs as root, so its database runs as ${account.name}, which cannot reach ${dataDir}` +
      (closed === undefined ? ". " : `: the folder ${closed} is closed to it. `) +
      "Set WAYPOST_DATA_DIR to a directory such as /var/lib/waypost, or start Waypost as an ordinary user.",
  );
});

/** The problem that initdb reported, with advice where its own message has none. */
const initdbProblem = (dataDir: string, output: string): string => {
  if (output.includes("No space left on device")) return `there is no space left on the disk of ${dataDir}.`;
  const advice = output.includes("could not look up effective user ID")
    ? ". Start Waypost under an account that /etc/passwd names (in a container: add one for this id), " +
      "or set DATABASE_URL."
    : "";
  return `its data cannot be made: ${output}${advice}`;
};

/** Creates the database files in a temporary folder and renames it, so a crash leaves all of them or none. */
export const initialise = Effect.fnUntraced(function* (
  dataDir: string,
  folder: string,
  binaries: string,
  account: PostgresAccount,
  isDurable: boolean,
) {
  const temporary = `${folder}.new`;
  yield* fileOperation(async () => {
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { mode: 0o700 });
    await giveTo(temporary, account);
  });
  const initdb = yield* runAs(account, join(binaries, "bin/initdb"), [
    `--pgdata=${temporary}`,
    `--username=${username}`,
    "--encoding=UTF8",
    "--locale=C",
    "--auth=trust",
    "--no-instructions",
    ...(isDurable ? [] : ["--no-sync"]),
  ]);
  if (initdb.code !== 0) {
    return yield* EmbeddedPostgresUnusable.of(initdbProblem(dataDir, initdb.output));
  }
  const created = yield* runAs(
    account,
    join(binaries, "bin/postgres"),
    ["--single", ...(isDurable ? [] : ["-F"]), "-D", temporary, "postgres"],
    `CREATE DATABASE ${database}\n`,
  );
  // The single-user server reports a failed statement, but exits with code 0.
  if (created.code !== 0 || created.output.includes("ERROR")) {
    return yield* EmbeddedPostgresUnusable.of(`its database cannot be made: ${created.output}`);
  }
  yield* fileOperation(async () => {
    await rename(temporary, folder);
    await syncToDisk(dataDir);
  });
});

/** A folder (0700) for the socket: in the data directory, or a temporary one if the path is too long. */
export const socketFolder = Effect.fnUntraced(function* (dataDir: string, account: PostgresAccount) {
  const usual = join(dataDir, "run");
  if (Buffer.byteLength(join(usual, socketName)) <= maxSocketPath) {
    return yield* fileOperation(async () => {
      await rm(usual, { recursive: true, force: true });
      await mkdir(usual, { mode: 0o700 });
      await giveTo(usual, account);
      return usual;
    });
  }
  const parent = Buffer.byteLength(tmpdir()) > 60 ? "/tmp" : tmpdir();
  return yield* Effect.acquireRelease(
    fileOperation(async () => {
      const made = await mkdtemp(join(parent, "waypost-"));
      await giveTo(made, account);
      return made;
    }),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }).catch(() => undefined)),
  );
});

/** Opens the log for appending. A large log is renamed first and replaces the previous one. */
export const openLog = (file: string): number => {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) renameSync(file, `${file}.1`);
  const descriptor = openSync(file, "a", 0o600);
  chmodSync(file, 0o600);
  return descriptor;
};

/** The last lines of the log, for the error when the server does not start. */
export const lastLines = async (file: string): Promise<string> => {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-8).join("\n");
};

/**
 * Removes the lock files of a killed server. PostgreSQL trusts such a file as long as a process with its
 * number exists, even a zombie, as in many containers, or an unrelated process after a reboot. The caller
 * must hold the data directory and know that no process of the server is left.
 */
export const removeLockFiles = (folder: string, socketDirectory: string) =>
  fileOperation(async () => {
    await rm(join(folder, "postmaster.pid"), { force: true });
    await rm(join(socketDirectory, socketName), { force: true });
    await rm(join(socketDirectory, `${socketName}.lock`), { force: true });
  });

/** The major version of the programs, from the first line of their bootstrap file: `# PostgreSQL 18`. */
const majorOfPrograms = async (binaries: string): Promise<number> => {
  const file = await open(join(binaries, "share/postgresql/postgres.bki"), "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return Number(/^# PostgreSQL (\d+)$/m.exec(buffer.toString("utf8", 0, bytesRead))?.[1]);
  } finally {
    await file.close();
  }
};

/** Refuses data files of another major version. An unknown version is left to PostgreSQL. */
export const checkMajor = Effect.fnUntraced(function* (folder: string, binaries: string) {
  const files = yield* fileOperation(() =>
    readFile(join(folder, "PG_VERSION"), "utf8").then(Number, () => NaN),
  );
  const programs = yield* fileOperation(() => majorOfPrograms(binaries));
  if (Number.isNaN(files) || Number.isNaN(programs) || files === programs) return;
  return yield* EmbeddedPostgresUnusable.of(
    `its files in ${folder} were made by PostgreSQL ${files}, ` +
      `and this Waypost brings PostgreSQL ${programs}. ` +
      (files < programs
        ? "Nothing was changed. With the previous Waypost write a backup (waypost backup FILE), " +
          "move the data directory away, and restore it with this one (waypost restore FILE)."
        : "Start the version of Waypost that ran here before, or a later one."),
  );
});

/** Another process holds the data directory, but its PostgreSQL does not run. */
export class PostgresNotRunning extends Data.TaggedError("PostgresNotRunning")<{
  readonly message: string;
}> {}

/** The socket of the PostgreSQL that runs on the data directory, from its `postmaster.pid`. */
export const runningSocket = (dataDir: string): Effect.Effect<string, PostgresNotRunning> =>
  Effect.try({
    try: () => {
      const lines = readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n");
      const folder = lines[4]?.trim() ?? "";
      if (folder === "") throw new Error("no socket");
      return join(folder, socketName);
    },
    catch: () =>
      new PostgresNotRunning({
        message: `A Waypost holds ${dataDir}, but its database does not run (yet): try again in a moment.`,
      }),
  });
