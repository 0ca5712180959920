/** The world of a bench: a folder, a durable PostgreSQL, and the programs on it, each in its own process. */
import { NodeRuntime } from "@effect/platform-node";
import { Context, Effect, Layer, References, type Scope } from "effect";
import { SqlClient } from "effect/sql";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { cpuOf, cpuOfServer, started } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";
import type { Loaded } from "./RequestLoad.ts";
import { operatorKey, secretKey } from "./ServiceApi.ts";
import { alternately, figure, setting } from "./Rounds.ts";

/** A process that is measured. */
export interface Served {
  readonly origin: string;
  readonly pid: number;
}

/** A load's rate and p99, and the CPU of one piece of work in microseconds: of the program, of PostgreSQL. */
export interface Figures extends Loaded {
  readonly cpu: number;
  readonly databaseCpu: number;
}

/** A program with the way to send it `count` requests. `reset` runs before a round, and is not measured. */
export interface Side {
  readonly pid: number;
  readonly load: (count: number) => Promise<Loaded>;
  readonly reset?: Effect.Effect<unknown, unknown, SqlClient.SqlClient>;
}

const pathOf = (file: string): string => new URL(file, import.meta.url).pathname;

/** The settings of a Waypost in one process: a data directory and a database. */
export const waypostSettings = (dataDir: string, database?: string): Readonly<Record<string, string>> => ({
  PORT: "0",
  WAYPOST_PROCESSES: "1",
  WAYPOST_DATA_DIR: dataDir,
  WAYPOST_OPERATOR_KEY: operatorKey,
  WAYPOST_SECRET_KEY: secretKey,
  WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
  WAYPOST_LOG_FORMAT: "json",
  ...(database === undefined ? {} : { DATABASE_URL: database }),
});

/** The folder and the server of a bench. Its SqlClient is one session without a statement timeout. */
export class BenchWorld extends Context.Service<
  BenchWorld,
  {
    readonly folder: string;
    readonly server: Effect.Success<ReturnType<typeof EmbeddedPostgres.make>>;
    /** A session of a database of the server. */
    readonly client: (database: string) => Layer.Layer<SqlClient.SqlClient>;
  }
>()("waypost/scripts/BenchWorld") {
  /** Starts a Waypost. `BENCH_PROFILE` names a folder for a CPU profile of it. */
  static readonly waypost = Effect.fnUntraced(function* (
    settings: Readonly<Record<string, string>> = {},
    name: string = "waypost",
    preload?: string,
  ) {
    const { folder, server } = yield* BenchWorld;
    const profile = process.env["BENCH_PROFILE"];
    return yield* started(
      [
        ...(preload === undefined ? [] : ["--import", pathOf(preload)]),
        ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]),
        pathOf("../../bin/waypost.js"),
        "serve",
      ],
      { ...waypostSettings(join(folder, name), databaseUrl(server)), ...settings },
      join(folder, `${name}.log`),
    );
  });

  /** Starts another program of this folder. */
  static readonly program = Effect.fnUntraced(function* (
    file: string,
    parameters: ReadonlyArray<string> = [],
    settings: Readonly<Record<string, string>> = {},
    preload?: string,
  ) {
    const { folder } = yield* BenchWorld;
    const flags = preload === undefined ? [] : ["--import", pathOf(preload)];
    return yield* started([...flags, pathOf(file), ...parameters], settings, join(folder, `${file}.log`));
  });

  /** Starts a baseline on a database: a server of BaselineServer.ts with an argument. */
  static readonly baseline = Effect.fnUntraced(function* (file: string, argument: unknown, name?: string) {
    const { database, socketPath, username } = (yield* BenchWorld).server;
    const parameters = [dirname(socketPath), username, name ?? database, JSON.stringify(argument)];
    return yield* BenchWorld.program(file, parameters);
  });

  /** Seconds of CPU of PostgreSQL so far. */
  static readonly databaseCpu = Effect.gen(function* () {
    return cpuOfServer((yield* (yield* BenchWorld).server.pid) ?? 0);
  });

  /** The CPU of work over `count` pieces, in microseconds each: of a process, and of PostgreSQL. */
  static readonly measured = Effect.fnUntraced(function* <A extends object, E, R>(
    pid: number,
    count: number,
    work: Effect.Effect<A, E, R>,
  ) {
    const micros = (seconds: number): number => (seconds / count) * 1e6;
    const before = [cpuOf(pid), yield* BenchWorld.databaseCpu] as const;
    const result = yield* work;
    const cpu = micros(cpuOf(pid) - before[0]);
    return { ...result, cpu, databaseCpu: micros((yield* BenchWorld.databaseCpu) - before[1]) };
  });

  /** Sends requests to each side alternately, and gives the rounds of each. */
  static readonly compare = Effect.fnUntraced(function* <const Name extends string>(
    perRound: number,
    sides: Readonly<Record<Name, Side>>,
  ) {
    const loads = Object.entries<Side>(sides).map(([name, { load, pid, reset }]) => [
      name,
      Effect.andThen(
        reset ?? Effect.void,
        BenchWorld.measured(
          pid,
          perRound,
          Effect.promise(() => load(perRound)),
        ),
      ),
    ]);
    type Loads = Record<Name, Effect.Effect<Figures, unknown, SqlClient.SqlClient | BenchWorld>>;
    return yield* alternately(setting("ROUNDS", 7), Object.fromEntries(loads) as Loads);
  });
}

/** One figure of all rounds. */
export const each = <A, K extends keyof A>(rows: ReadonlyArray<A>, key: K): ReadonlyArray<A[K]> =>
  rows.map((row) => row[key]);

/** The CPU of Waypost and PostgreSQL together, by round. */
export const costs = (rows: ReadonlyArray<Pick<Figures, "cpu" | "databaseCpu">>): ReadonlyArray<number> =>
  rows.map(({ cpu, databaseCpu }) => cpu + databaseCpu);

/** Bars of a load: the least ratio of its rate, and the most of its p99, of its own CPU and of all CPU. */
interface LoadBars {
  readonly rate?: number;
  /** In milliseconds. */
  readonly p99?: number;
  readonly node?: number;
  readonly cpu?: number;
  /** The least requests a second. */
  readonly perSecond?: number;
}

/** States the rate and the CPU of a side beside a baseline, and what else has a bar. */
export const stateLoad = (
  id: string,
  what: string,
  own: ReadonlyArray<Figures>,
  [baseline, bare]: readonly [name: string, rows: ReadonlyArray<Figures>],
  bars: LoadBars,
): void => {
  type Values = (rows: ReadonlyArray<Figures>) => ReadonlyArray<number>;
  const state = (suffix: string, about: string, unit: string, of: Values, limits: object) =>
    figure(`${id}${suffix}`, `${about}${what}`, unit, of(own), { beside: [baseline, of(bare)], ...limits });
  state("", "", "a second", (rows) => each(rows, "perSecond"), {
    atLeast: bars.rate,
    valueAtLeast: bars.perSecond,
  });
  state("-cpu", "CPU of each, with PostgreSQL's: ", "µs", costs, { atMost: bars.cpu });
  if (bars.node !== undefined)
    state("-node", "CPU of each in Node: ", "µs", (rows) => each(rows, "cpu"), { atMost: bars.node });
  if (bars.p99 !== undefined)
    state("-p99", "p99 of ", "ms", (rows) => each(rows, "p99"), { valueAtMost: bars.p99 });
};

interface WorldOptions {
  /** A folder that is kept; a new one that is removed if left out. */
  readonly keep?: string | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  readonly isDurable?: boolean;
}

const makeWorld = Effect.fnUntraced(function* ({ isDurable, keep, settings = {} }: WorldOptions) {
  const folder = yield* temporaryFolder("bench", keep);
  const server = yield* EmbeddedPostgres.make({
    directory: folder,
    settings,
    ...(isDurable === undefined ? {} : { isDurable }),
  });
  const { socketPath: path, username } = server;
  const client = (database: string) =>
    Layer.orDie(postgresLayer({ _tag: "socket", path, username, database }, { maxConnections: 1 }));
  return { folder, server, client };
});

/** A folder that is removed when the scope closes, unless it is kept. */
export const temporaryFolder = (name: string, keep?: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = keep ?? mkdtempSync(join(tmpdir(), `waypost-${name}-`));
      mkdirSync(folder, { recursive: true });
      // As root, the database runs under another account, which must be able to enter the folder.
      chmodSync(folder, 0o755);
      return folder;
    }),
    (folder) => Effect.sync(() => keep === undefined && rmSync(folder, { recursive: true, force: true })),
  );

/** Runs an effect as a program that logs warnings only. */
export const runScript = <E>(effect: Effect.Effect<unknown, E, Scope.Scope>): void =>
  effect.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);

/** Runs a bench in a world of its own, in one session of its database. */
export const runBench = <E>(
  bench: Effect.Effect<unknown, E, SqlClient.SqlClient | BenchWorld | Scope.Scope>,
  options: WorldOptions = {},
): void =>
  runScript(
    Effect.gen(function* () {
      const world = yield* makeWorld(options);
      const untimed = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SET statement_timeout = 0`.unprepared);
      yield* Effect.andThen(untimed, bench).pipe(
        Effect.provide(world.client(world.server.database)),
        Effect.provideService(BenchWorld, world),
      );
    }),
  );
