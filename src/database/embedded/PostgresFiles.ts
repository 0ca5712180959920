/** The files around the embedded PostgreSQL in the data directory: its data, its socket, its log, and who may reach them. */
import { Effect } from "effect";
import { chmodSync, openSync, renameSync, statSync } from "node:fs";
import { chown, mkdir, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closedFolder, EmbeddedPostgresUnusable, type PostgresAccount, runAs } from "./PostgresAccount.ts";

/** The superuser and only user of the embedded server. */
export const username = "waypost";
/** The database that Waypost uses. */
export const database = "waypost";
/** Settings for data that may be lost. */
export const notDurable = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
/** What PostgreSQL calls its socket. */
export const socketName = ".s.PGSQL.5432";
/** A socket's path has at most 103 bytes on macOS and 107 on Linux. */
const maxSocketPath = 103;
const maxLogBytes = 8 * 1024 * 1024;
/** Work on files whose failure means that the server cannot be run here. */
export const fileWork = <A>(work: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresUnusable> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new EmbeddedPostgresUnusable({ problem: String(error) }),
  });

const give = async (path: string, account: PostgresAccount): Promise<void> => {
  if (account.drop !== undefined) await chown(path, account.drop.uid, account.drop.gid);
};

/**
 * As root, the data directory (mode 0700) goes to the account, or the database could not enter it; the keys in it stay
 * root's own and unreadable to the database.
 */
export const openToAccount = Effect.fnUntraced(function* (dataDir: string, account: PostgresAccount) {
  if (account.drop === undefined) return;
  yield* fileWork(() => give(dataDir, account));
  const result = yield* runAs(account, "/bin/sh", ["-c", 'test -w "$0"', dataDir]);
  if (result.code === 0) return;
  const closed = yield* fileWork(() => closedFolder(dataDir));
  return yield* new EmbeddedPostgresUnusable({
    problem:
      `Waypost runs as root, so its database runs as ${account.name}, which cannot reach ${dataDir}` +
      (closed === undefined ? ". " : `: the folder ${closed} is closed to it. `) +
      `Set WAYPOST_DATA_DIR to a place such as /var/lib/waypost, or start Waypost as an ordinary user.`,
  });
});

/** Why initdb failed, with what would be right where it does not say so itself. */
const whyNotMade = (dataDir: string, output: string): string => {
  if (output.includes("No space left on device")) return `there is no space left on the disk of ${dataDir}.`;
  const advice = output.includes("could not look up effective user ID")
    ? ". Start Waypost under an account that /etc/passwd names (in a container: add one for this id), or set DATABASE_URL."
    : "";
  return `its data cannot be made: ${output}${advice}`;
};

/** A whole database folder or none: made under another name and renamed, so a crash on the way leaves nothing half made. */
export const initialise = Effect.fnUntraced(function* (
  dataDir: string,
  folder: string,
  binaries: string,
  account: PostgresAccount,
  isDurable: boolean,
) {
  const temporary = `${folder}.new`;
  yield* fileWork(async () => {
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { mode: 0o700 });
    await give(temporary, account);
  });
  const made = yield* runAs(account, join(binaries, "bin/initdb"), [
    `--pgdata=${temporary}`,
    `--username=${username}`,
    "--encoding=UTF8",
    "--locale=C",
    "--auth=trust",
    "--no-instructions",
    ...(isDurable ? [] : ["--no-sync"]),
  ]);
  if (made.code !== 0) {
    return yield* new EmbeddedPostgresUnusable({ problem: whyNotMade(dataDir, made.output) });
  }
  const created = yield* runAs(
    account,
    join(binaries, "bin/postgres"),
    ["--single", ...(isDurable ? [] : ["-F"]), "-D", temporary, "postgres"],
    `CREATE DATABASE ${database}\n`,
  );
  // A failed statement does not fail the single-user server, but it says so.
  if (created.code !== 0 || created.output.includes("ERROR")) {
    return yield* new EmbeddedPostgresUnusable({ problem: `its database cannot be made: ${created.output}` });
  }
  yield* fileWork(async () => {
    await rename(temporary, folder);
    const parent = await open(dataDir, "r");
    try {
      await parent.sync();
    } finally {
      await parent.close();
    }
  });
});

/** A folder of mode 0700 for the socket: in the data directory, or among temporary files when that path is too long. */
export const socketHome = Effect.fnUntraced(function* (dataDir: string, account: PostgresAccount) {
  const usual = join(dataDir, "run");
  if (Buffer.byteLength(join(usual, socketName)) <= maxSocketPath) {
    return yield* fileWork(async () => {
      await rm(usual, { recursive: true, force: true });
      await mkdir(usual, { mode: 0o700 });
      await give(usual, account);
      return usual;
    });
  }
  const parent = Buffer.byteLength(tmpdir()) > 60 ? "/tmp" : tmpdir();
  return yield* Effect.acquireRelease(
    fileWork(async () => {
      const made = await mkdtemp(join(parent, "waypost-"));
      await give(made, account);
      return made;
    }),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }).catch(() => undefined)),
  );
});

/** Opens the log for appending; a long one is put aside first, over the one put aside before it. */
export const openLog = (file: string): number => {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) renameSync(file, `${file}.1`);
  const descriptor = openSync(file, "a", 0o600);
  chmodSync(file, 0o600);
  return descriptor;
};

/** The end of the log, to show why the server did not start. */
export const lastLines = async (file: string): Promise<string> => {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-8).join("\n");
};

/**
 * Removes what a killed server leaves to mark itself as running. PostgreSQL believes such a mark as long as a process of that
 * number exists: also a dead one that nobody has reaped, as in many containers, and a stranger after a restart of the machine.
 * Only for a caller that holds the data directory and has seen that no process of the server is left.
 */
export const clearMarks = (
  folder: string,
  socketDirectory: string,
): Effect.Effect<void, EmbeddedPostgresUnusable> =>
  fileWork(async () => {
    await rm(join(folder, "postmaster.pid"), { force: true });
    await rm(join(socketDirectory, socketName), { force: true });
    await rm(join(socketDirectory, `${socketName}.lock`), { force: true });
  });
