/** A real PostgreSQL that Waypost runs itself: made, started, watched, restarted and stopped with it. */
import { Context, Effect, Layer, Ref, type Scope } from "effect";
import { closeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectory } from "../DataDirectory.ts";
import { countRestart } from "../DatabaseMetrics.ts";
import { EmbeddedPostgresUnusable, postgresAccount } from "./PostgresAccount.ts";
import { reachableBinaries } from "./PostgresBinaries.ts";
import {
  clearMarks,
  database,
  fileWork,
  initialise,
  lastLines,
  notDurable,
  openLog,
  openToAccount,
  socketHome,
  socketName,
  username,
} from "./PostgresFiles.ts";
import { checkMajor } from "./PostgresMajor.ts";
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
  else yield* checkMajor(folder, binaries);
  const name = yield* fileWork(() => clusterName(folder));
  if (yield* stopLeftovers(name)) {
    yield* Effect.logWarning("Stopped the embedded PostgreSQL that a killed Waypost left running.");
  }
  const socketDirectory = yield* socketHome(dataDir, account);
  yield* clearMarks(folder, socketDirectory);
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
      yield* countRestart;
      yield* Effect.logError(`The embedded PostgreSQL ended (${how}); starting it again.`);
      // Orphaned backends hold its shared memory, and it would refuse to start beside them.
      yield* stopLeftovers(plan.clusterName).pipe(
        Effect.andThen(clearMarks(plan.folder, plan.socketDirectory)),
        Effect.catch((error) => Effect.logError(error.message)),
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
