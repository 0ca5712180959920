/**
 * The programs of a request bench: Waypost and a baseline, each in its own process, on one durable
 * PostgreSQL.
 */
import { Effect, Layer } from "effect";
import type { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Tokens } from "../../src/access/Tokens.ts";
import { tokensSql } from "../../src/access/TokensSql.ts";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { type PostgresTarget, postgresLayer } from "../../src/database/Postgres.ts";
import { WorkspaceChanges } from "../../src/database/WorkspaceChanges.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { workspacesSql } from "../../src/workspaces/WorkspacesSql.ts";
import { cpuOf, familyOf, median, started } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";

/** A measured program. */
export interface Program {
  readonly origin: string;
  readonly pid: number;
}

/** The number of measured rounds; `BENCH_ROUNDS` can set fewer for a quick run. */
export const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7);

/**
 * Starts both programs on a database that `prepare` has filled. The baseline's arguments are the folder of
 * the database's socket, its user and name, and those of `argumentsOf`. `BENCH_PROFILE` names a folder for a
 * CPU profile of Waypost.
 */
export const programs = Effect.fnUntraced(function* <A, E>(
  baselineFile: string,
  prepare: Effect.Effect<A, E, SqlClient.SqlClient | Workspaces | Tokens>,
  argumentsOf: (prepared: A) => ReadonlyArray<string>,
) {
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
  const target: PostgresTarget = { _tag: "socket", path: socketPath, username, database };
  const prepared = yield* Effect.andThen(migrate, prepare).pipe(
    Effect.provide(
      Layer.mergeAll(Tokens.layer, Workspaces.layer).pipe(
        Layer.provide([tokensSql, workspacesSql]),
        Layer.provideMerge(WorkspaceChanges.layer),
        Layer.provideMerge(postgresLayer(target)),
        Layer.provideMerge(MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url))),
      ),
    ),
  );
  const socketFolder = dirname(socketPath);
  const env = { PATH: process.env["PATH"] ?? "", NODE_ENV: "production" };
  const baseline = yield* started(
    [
      new URL(baselineFile, import.meta.url).pathname,
      socketFolder,
      username,
      database,
      ...argumentsOf(prepared),
    ],
    env,
    join(folder, "baseline.log"),
  );
  const profile = process.env["BENCH_PROFILE"];
  const waypost = yield* started(
    [
      ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]),
      new URL("../../src/main.ts", import.meta.url).pathname,
      "serve",
    ],
    {
      ...env,
      PORT: "0",
      WAYPOST_PROCESSES: "1",
      WAYPOST_DATA_DIR: join(folder, "data"),
      DATABASE_URL: databaseUrl({ database, socketPath, username }),
      WAYPOST_LOG_FORMAT: "json",
    },
    join(folder, "waypost.log"),
  );
  const programOf = ({ child, origin }: typeof baseline): Program => ({ origin, pid: child.pid ?? 0 });
  return { prepared, baseline: programOf(baseline), waypost: programOf(waypost), target };
});

/** The result of a round; `p99` in milliseconds. */
export interface Round {
  readonly perSecond: number;
  readonly p99?: number;
}

/** A program, and the way to send it `count` requests. */
export interface Side {
  readonly name: string;
  readonly program: Program;
  readonly ask: (count: number) => Promise<Round>;
  /** Runs before each round, and is not measured. */
  readonly reset?: Effect.Effect<void>;
}

/**
 * Medians over the rounds. CPU in microseconds per request, user and system, of the program and of
 * PostgreSQL.
 */
export interface Figures {
  readonly perSecond: number;
  readonly p99: number;
  readonly cpu: number;
  readonly databaseCpu: number;
}

/** Measures the sides alternately, after one round of warm-up. */
export const alternating = Effect.fnUntraced(function* (sides: ReadonlyArray<Side>, perRound: number) {
  const measured = sides.map(() => ({
    perSecond: [] as Array<number>,
    p99: [] as Array<number>,
    cpu: [] as Array<number>,
    databaseCpu: [] as Array<number>,
  }));
  const own = new Set([process.pid, ...sides.map(({ program }) => program.pid)]);
  const databaseCpu = () =>
    familyOf(process.pid).reduce((sum, pid) => sum + (own.has(pid) ? 0 : cpuOf(pid)), 0);
  for (let round = -1; round < rounds; round++) {
    for (const [side, { ask, program, reset = Effect.void }] of sides.entries()) {
      yield* reset;
      const before = [cpuOf(program.pid), databaseCpu()] as const;
      const { p99 = Number.NaN, perSecond } = yield* Effect.promise(() => ask(perRound));
      const micros = (seconds: number): number => (seconds / perRound) * 1e6;
      if (round < 0) continue;
      measured[side]?.perSecond.push(perSecond);
      measured[side]?.p99.push(p99);
      measured[side]?.cpu.push(micros(cpuOf(program.pid) - before[0]));
      measured[side]?.databaseCpu.push(micros(databaseCpu() - before[1]));
    }
  }
  return measured.map((each): Figures => ({
    perSecond: median(each.perSecond),
    p99: median(each.p99),
    cpu: median(each.cpu),
    databaseCpu: median(each.databaseCpu),
  }));
});

/** The figures of a side as one line. */
export const lineOf = (name: string, { cpu, databaseCpu, p99, perSecond }: Figures): string =>
  `${name.padEnd(14)} ${String(Math.round(perSecond)).padStart(6)} requests/s` +
  (Number.isNaN(p99) ? "" : `, p99 ${p99.toFixed(1)} ms`) +
  `, CPU of one request ${Math.round(cpu)} µs, of PostgreSQL ${Math.round(databaseCpu)} µs`;
