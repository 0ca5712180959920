/** A PostgreSQL server that Waypost creates, runs, restarts and stops as its child process. */
import { Context, Effect, Layer } from "effect";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { countRestart } from "../DatabaseMetrics.ts";
import { DataDirectory } from "../DataDirectory.ts";
import { exists } from "../DurableFiles.ts";
import { EmbeddedPostgresUnusable, postgresAccount } from "./PostgresAccount.ts";
import { reachableBinaries } from "./PostgresBinaries.ts";
import {
  checkMajor,
  database,
  fileOperation,
  initialise,
  lastLines,
  nonDurableSettings,
  openLog,
  openToAccount,
  removeLockFiles,
  socketFolder,
  socketName,
  username,
} from "./PostgresFiles.ts";
import { clusterName, stopOrphans } from "./PostgresProcesses.ts";
import { awaitReady, type ServerPlan, type ServerRun, startRun, stopRun } from "./PostgresServer.ts";

/** The folders, the account and the programs of the server. */
export interface EmbeddedPostgresOptions {
  /** An absolute path. The caller must hold its lock. */
  readonly directory: string;
  /** False skips waiting for the disk, for data that may be lost, as in tests. True if left out. */
  readonly isDurable?: boolean;
  /** Settings besides those for a small machine. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Crash recovery reads up to max_wal_size of log: seconds, on a slow disk a minute. */
const startTimeoutMillis = 120_000;

/** Prepares the data directory: creates the database if it is missing, and removes what a crash left. */
const prepare = Effect.fnUntraced(function* (
  { directory: dataDir, isDurable = true, settings }: EmbeddedPostgresOptions,
  logFile: string,
) {
  const account = yield* postgresAccount(dataDir);
  yield* openToAccount(dataDir, account);
  const binaries = yield* reachableBinaries(account, dataDir);
  const folder = join(dataDir, "postgres");
  if (yield* fileOperation(() => exists(folder))) yield* checkMajor(folder, binaries);
  else yield* initialise(dataDir, folder, binaries, account, isDurable);
  const cluster = yield* fileOperation(() => clusterName(folder));
  if (yield* stopOrphans(cluster)) {
    yield* Effect.logWarning("Stopped the embedded PostgreSQL that a killed Waypost left running.");
  }
  const socketDirectory = yield* socketFolder(dataDir, account);
  yield* removeLockFiles(folder, socketDirectory);
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openLog(logFile)),
    (descriptor) => Effect.sync(() => closeSync(descriptor)),
  );
  return {
    account,
    binaries,
    folder,
    socketDirectory,
    clusterName: cluster,
    settings: { ...(isDurable ? {} : nonDurableSettings), ...settings },
    log,
  } satisfies ServerPlan;
});

const start = Effect.fnUntraced(function* (options: EmbeddedPostgresOptions) {
  const logFile = join(options.directory, "postgres.log");
  const plan = yield* prepare(options, logFile);

  const server = yield* Effect.acquireRelease(
    Effect.sync(() => ({ run: startRun(plan) })),
    ({ run }) => stopRun(run),
  );
  if (!(yield* awaitReady(plan, server.run, startTimeoutMillis))) {
    yield* stopRun(server.run);
    const reason = yield* Effect.promise(() => server.run.exited);
    const log = yield* Effect.promise(() => lastLines(logFile));
    return yield* EmbeddedPostgresUnusable.of(`it did not start (${reason}). The end of ${logFile}:\n${log}`);
  }
  yield* Effect.forkScoped(supervise(plan, server));

  return {
    socketPath: join(plan.socketDirectory, socketName),
    username,
    database,
    /** The process id of the server; undefined while it is restarted. */
    pid: Effect.sync(() => (server.run.hasExited() ? undefined : server.run.pid)),
  };
});

const minPauseMillis = 100;
const maxPauseMillis = 2_000;

/** Restarts the server whenever it ends. Pauses double up to two seconds until it is ready. */
const supervise = Effect.fnUntraced(function* (plan: ServerPlan, server: { run: ServerRun }) {
  let pause = minPauseMillis;
  while (true) {
    const reason = yield* Effect.promise(() => server.run.exited);
    yield* countRestart;
    yield* Effect.logError(`The embedded PostgreSQL ended (${reason}); restarting it.`);
    // A new server does not start while orphaned backends hold the old one's shared memory.
    yield* stopOrphans(plan.clusterName).pipe(
      Effect.andThen(removeLockFiles(plan.folder, plan.socketDirectory)),
      Effect.catch((error) => Effect.logError(error.message)),
    );
    yield* Effect.sleep(pause);
    server.run = startRun(plan);
    if (yield* awaitReady(plan, server.run, startTimeoutMillis)) {
      yield* Effect.logInfo("The embedded PostgreSQL runs again.");
      pause = minPauseMillis;
    } else {
      pause = Math.min(pause * 2, maxPauseMillis);
    }
  }
});

/** A running server. If it ends by itself, it is restarted on the same socket. */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  Effect.Success<ReturnType<typeof start>>
>()("waypost/database/EmbeddedPostgres") {
  /** Runs the server in a data directory while the scope is open. */
  static readonly make = start;

  static readonly layer = Layer.effect(
    EmbeddedPostgres,
    Effect.flatMap(DataDirectory, ({ path }) => start({ directory: path })),
  );
}
