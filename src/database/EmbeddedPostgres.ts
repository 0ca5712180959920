/** A real PostgreSQL that Waypost runs itself: made, started, watched, restarted and stopped with it. */
import { Context, Effect, Layer, Ref, type Scope } from "effect";
import { chmodSync, closeSync, openSync, renameSync, statSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, open, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataDirectory } from "./DataDirectory.ts";
import {
  closedFolder,
  EmbeddedPostgresUnusable,
  type PostgresAccount,
  postgresAccount,
  runAs,
} from "./PostgresAccount.ts";
import { reachableBinaries } from "./PostgresBinaries.ts";
import { clusterName, type LeftoversRemain, stopLeftovers } from "./PostgresProcesses.ts";
import { awaitReady, type ServerPlan, type ServerRun, startRun, stopRun } from "./PostgresServer.ts";

/** Where to keep the server and how to run it. */
export interface EmbeddedPostgresOptions {
  /** Absolute; this process alone must own it. */
  readonly directory: string;
  /** False only for data that may be lost, as in tests: nothing is waited for to reach the disk. Default true. */
  readonly isDurable?: boolean;
  /** Settings beside those for a small machine. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A running server; it comes back by itself on the same socket when it dies. */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    readonly socketPath: string;
    readonly username: string;
    readonly database: string;
    /** The server's process now; none between its death and its return. */
    readonly pid: Effect.Effect<number | undefined>;
  }
>()("waypost/database/EmbeddedPostgres") {
  /** Runs the server in the data directory for as long as the scope is open. */
  static readonly make = (
    options: EmbeddedPostgresOptions,
  ): Effect.Effect<EmbeddedPostgres["Service"], EmbeddedPostgresUnusable | LeftoversRemain, Scope.Scope> =>
    start(options);

  static readonly layer: Layer.Layer<
    EmbeddedPostgres,
    EmbeddedPostgresUnusable | LeftoversRemain,
    DataDirectory
  > = Layer.effect(
    EmbeddedPostgres,
    Effect.gen(function* () {
      const { path } = yield* DataDirectory;
      return yield* start({ directory: path });
    }),
  );
}

const username = "waypost";
const database = "waypost";
const notDurable = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
const socketName = ".s.PGSQL.5432";
/** A socket's path has at most 103 bytes on macOS and 107 on Linux. */
const maxSocketPath = 103;
const maxLogBytes = 8 * 1024 * 1024;
/** Recovery after a crash reads back up to max_wal_size: seconds, on a slow disk a minute. */
const startPatience = 120_000;

const start = Effect.fnUntraced(function* (options: EmbeddedPostgresOptions) {
  const dataDir = options.directory;
  const account = yield* postgresAccount(dataDir);
  yield* openToAccount(dataDir, account);
  const binaries = yield* reachableBinaries(account, dataDir);
  const folder = join(dataDir, "postgres");
  const isNew = yield* fileWork(() =>
    stat(folder).then(
      () => false,
      () => true,
    ),
  );
  const isDurable = options.isDurable ?? true;
  if (isNew) yield* initialise(dataDir, folder, binaries, account, isDurable);
  const name = yield* fileWork(() => clusterName(folder));
  if (yield* stopLeftovers(name)) {
    yield* Effect.logWarning("Stopped the embedded PostgreSQL that a killed Waypost left running.");
  }
  const socketDirectory = yield* socketHome(dataDir, account);
  const logFile = join(dataDir, "postgres.log");
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openLog(logFile)),
    (descriptor) => Effect.sync(() => closeSync(descriptor)),
  );
  const plan: ServerPlan = {
    account,
    binaries,
    folder,
    socketDirectory,
    clusterName: name,
    settings: { ...(isDurable ? {} : notDurable), ...options.settings },
    log,
  };

  const current = yield* Ref.make<ServerRun>(neverStarted);
  // Uninterruptible up to the Ref, so that the finalizer knows of every server that was started.
  const spawnNow = Effect.uninterruptible(
    Effect.tap(
      Effect.sync(() => startRun(plan)),
      (run) => Ref.set(current, run),
    ),
  );
  yield* Effect.addFinalizer(() => Effect.flatMap(Ref.get(current), stopRun));

  const first = yield* spawnNow;
  if (!(yield* awaitReady(plan, first, startPatience))) {
    yield* stopRun(first);
    const how = yield* Effect.promise(() => first.exited);
    return yield* new EmbeddedPostgresUnusable({
      problem: `it did not start (${how}). The end of ${logFile}:\n${yield* Effect.promise(() => lastLines(logFile))}`,
    });
  }
  yield* Effect.forkScoped(Effect.flatMap(Ref.get(current), (run) => supervise(plan, run, spawnNow)));

  return EmbeddedPostgres.of({
    socketPath: join(socketDirectory, socketName),
    username,
    database,
    pid: Effect.map(Ref.get(current), (run) => (run.hasExited() ? undefined : run.pid)),
  });
});

const neverStarted: ServerRun = {
  pid: undefined,
  exited: Promise.resolve("never started"),
  hasExited: () => true,
};

/** Brings the server back whenever it dies: at once, then with pauses that grow to two seconds while it keeps dying. */
const supervise = (
  plan: ServerPlan,
  first: ServerRun,
  spawnNow: Effect.Effect<ServerRun>,
): Effect.Effect<never> =>
  Effect.gen(function* () {
    let run = first;
    let pause = firstPause;
    while (true) {
      const how = yield* Effect.promise(() => run.exited);
      yield* Effect.logError(`The embedded PostgreSQL ended (${how}); starting it again.`);
      // Orphaned backends hold its shared memory, and it would refuse to start beside them.
      yield* Effect.catchTag(stopLeftovers(plan.clusterName), "LeftoversRemain", (error) =>
        Effect.logError(error.message),
      );
      yield* Effect.sleep(pause);
      run = yield* spawnNow;
      if (yield* awaitReady(plan, run, startPatience)) {
        yield* Effect.logInfo("The embedded PostgreSQL is back.");
        pause = firstPause;
      } else {
        pause = Math.min(pause * 2, longestPause);
      }
    }
  });

const firstPause = 100;
const longestPause = 2_000;

const fileWork = <A>(work: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresUnusable> =>
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
const openToAccount = Effect.fnUntraced(function* (dataDir: string, account: PostgresAccount) {
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

/** A whole database folder or none: made under another name and renamed, so a crash on the way leaves nothing half made. */
const initialise = Effect.fnUntraced(function* (
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
    return yield* new EmbeddedPostgresUnusable({ problem: `its data cannot be made: ${made.output}` });
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
const socketHome = Effect.fnUntraced(function* (dataDir: string, account: PostgresAccount) {
  const usual = join(dataDir, "run");
  if (Buffer.byteLength(join(usual, socketName)) <= maxSocketPath) {
    return yield* fileWork(async () => {
      await mkdir(usual, { recursive: true, mode: 0o700 });
      await chmod(usual, 0o700);
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
const openLog = (file: string): number => {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) renameSync(file, `${file}.1`);
  const descriptor = openSync(file, "a", 0o600);
  chmodSync(file, 0o600);
  return descriptor;
};

const lastLines = async (file: string): Promise<string> => {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-8).join("\n");
};
