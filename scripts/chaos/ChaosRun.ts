/** A chaos run: the processes that a script disrupts, and its verdict. */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Context, Effect, Random, Redacted, References, type Scope } from "effect";
import type { SqlClient } from "effect/sql";
import { dirname, join } from "node:path";
import process from "node:process";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { type Program, spawned } from "../bench/BenchChild.ts";
import { temporaryFolder, waypostSettings } from "../bench/BenchWorld.ts";

const launcher = new URL("../../bin/waypost.js", import.meta.url).pathname;

/** How long processes or their database may take to start, on a machine with other work. */
export const startTimeoutMillis = 180_000;

/** Polls until there is a result; fails after a timeout. The database may be away meanwhile. */
export const until = <A, E, R>(what: string, poll: Effect.Effect<A | null, E, R>, millis: number) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + millis;
    while ((yield* Clock.currentTimeMillis) < end) {
      const found = yield* Effect.catchCause(poll, () => Effect.succeed(null));
      if (found !== null) return found;
      yield* Effect.sleep(20);
    }
    return yield* Effect.die(new Error(`${what}: not within ${millis / 1000} s.`));
  });

/** The same without a failure: whether there was a result in time. */
export const settles = <A, E, R>(what: string, poll: Effect.Effect<A | null, E, R>, millis: number) =>
  Effect.map(Effect.exit(until(what, poll, millis)), ({ _tag }) => {
    if (_tag === "Failure") console.log(`${what}: not within ${millis / 1000} s after the last disruption.`);
    return _tag === "Success";
  });

/** An embedded PostgreSQL for many processes, and its URL. */
export const embedded = Effect.fnUntraced(function* (folder: string) {
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({
    directory: folder,
    settings: { max_connections: "120" },
  });
  return `postgresql://${username}@localhost/${database}?host=${encodeURIComponent(dirname(socketPath))}`;
});

/** The processes of a run. All are stopped when the scope closes. */
export class ChaosRun extends Context.Service<
  ChaosRun,
  {
    readonly folder: string;
    readonly settings: Readonly<Record<string, string>>;
    /** Starts a process. It does not wait until it listens. */
    readonly start: (role: "api" | "worker", port?: string) => Program;
    /** The number of processes that have ended by themselves or by a signal. */
    readonly exits: () => number;
  }
>()("waypost/scripts/ChaosRun") {
  /** Processes on a database, with their logs in a folder. */
  static readonly make = Effect.fnUntraced(function* (folder: string, database: string) {
    const settings = waypostSettings(join(folder, "data"), database);
    const running = new Set<Program>();
    let [started, exits] = [0, 0];
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => Promise.all([...running].map(({ end }) => end("SIGTERM")))),
    );
    const start = (role: "api" | "worker", port = "0") => {
      const name = join(folder, `${role}-${++started}`);
      const own = { PORT: port, WAYPOST_DATA_DIR: name, WAYPOST_ROLES: role };
      const program = spawned([launcher, "serve"], { ...settings, ...own }, `${name}.log`);
      running.add(program);
      program.child.once("exit", () => {
        running.delete(program);
        exits++;
      });
      return program;
    };
    return ChaosRun.of({ folder, settings, start, exits: () => exits });
  });
}

/** Starts a process with the role `api`. Gives it with its address. */
export const startApi = Effect.gen(function* () {
  const api = (yield* ChaosRun).start("api");
  return { api, origin: yield* until("A listening API", Effect.sync(api.listening), startTimeoutMillis) };
});

/** Figures by name that must be 0. */
export type Faults = Record<string, number>;

/** The number of elements of one set that another one does not have. */
export const without = <A>(some: Iterable<A>, others: { readonly has: (each: A) => boolean }): number =>
  [...some].filter((each) => !others.has(each)).length;

/** Median and maximum, in seconds. */
export const spread = (seconds: ReadonlyArray<number>): string => {
  const sorted = seconds.toSorted((a, b) => a - b);
  return sorted.length === 0
    ? "-"
    : `${sorted[sorted.length >> 1]?.toFixed(2)} s, ${sorted.at(-1)?.toFixed(2)} s`;
};

/** The result of a scenario: figures to print, and faults. */
export interface Verdict {
  readonly figures: Readonly<Record<string, number | string>>;
  readonly faults: Faults;
}

/** A script: a load that is disrupted at moments that the seed determines, and what must hold afterwards. */
export interface Scenario {
  readonly seed: string;
  /** The URL of the database, and the one of the processes if that is another. */
  readonly database: (
    folder: string,
  ) => Effect.Effect<{ readonly url: string; readonly ofProcesses?: string }, unknown, Scope.Scope>;
  /** Prepares and loads the processes, disrupts them, waits for the end and counts. */
  readonly run: Effect.Effect<Verdict, unknown, ChaosRun | SqlClient.SqlClient | Scope.Scope>;
}

/** Runs a scenario as a program. The exit code is 1 if there is a fault. */
export const runScenario = ({ database, run, seed }: Scenario): void =>
  Effect.gen(function* () {
    const began = Date.now();
    const folder = yield* temporaryFolder("chaos");
    const { ofProcesses, url } = yield* database(folder);
    const { faults, figures } = yield* run.pipe(
      Effect.provideService(ChaosRun, yield* ChaosRun.make(folder, ofProcesses ?? url)),
      Effect.provide(postgresLayer({ _tag: "url", url: Redacted.make(url) }, { maxConnections: 2 })),
    );
    for (const [name, value] of Object.entries({ ...figures, ...faults }))
      console.log(`${name.padEnd(52)} ${String(value).padStart(10)}`);
    if (Object.values(faults).some((count) => count !== 0)) process.exitCode = 1;
    console.log(`seed ${seed}: ${Math.round((Date.now() - began) / 1000)} s`);
  }).pipe(
    Effect.scoped,
    Random.withSeed(seed),
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    NodeRuntime.runMain,
  );
