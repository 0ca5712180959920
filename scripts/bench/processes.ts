/**
 * `GET /me` over 1, 2 and 4 request processes of one machine, from 64 connections: requests a second, and
 * the share of perfect scaling. The bar: two processes answer at least 1.8 times the requests of one. It
 * counts on machines of six cores and more, where PostgreSQL, the load and Waypost have cores of their own.
 * On a smaller one they share all cores, so that further processes cannot help.
 */
import { Effect } from "effect";
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { BenchWorld, each, runBench } from "./BenchWorld.ts";
import { corePlan, pinAll } from "./Cores.ts";
import type { Loaded } from "./RequestLoad.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { alternately, median, met, setting } from "./Rounds.ts";

const bar = 1.8;
const connections = 64;
const perRound = 10_000;
const rounds = setting("ROUNDS", 5);
const plan = corePlan();
/** Programs that send requests, each with its share of the connections. */
const clients = Math.max(1, Math.floor(availableParallelism() / 6));

const run = promisify(execFile);

/** The rate and the highest p99 of all clients together. */
const load = async (url: string, token: string): Promise<Loaded> => {
  const program = new URL("RequestClient.ts", import.meta.url).pathname;
  const parameters = [url, token, String(connections / clients), String(perRound / clients)];
  const results = await Promise.all(
    Array.from({ length: clients }, async () => {
      const { stdout } = await run(process.execPath, [program, ...parameters]);
      return JSON.parse(stdout) as Loaded;
    }),
  );
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
};

/** Medians over the rounds, after one to warm up. */
const measured = Effect.fnUntraced(function* (processes: number) {
  const settings = { WAYPOST_PROCESSES: String(processes) };
  const { origin, pid } = yield* BenchWorld.waypost(settings, `waypost-${processes}`);
  const { platform, token } = yield* newWorkspace(origin, ["campaigns:read"]);
  const round = Effect.promise(() => {
    // Before each round, because PostgreSQL starts a process for each connection.
    if (plan !== null) pinAll(plan, pid);
    return load(`${platform}/me`, token);
  });
  const { all } = yield* alternately(rounds, { all: round });
  return { perSecond: median(each(all, "perSecond")), p99: median(each(all, "p99")) };
});

const bench = Effect.gen(function* () {
  const cores =
    plan === null
      ? "shared by PostgreSQL, the load and Waypost, so the shares say nothing of free cores"
      : `PostgreSQL on ${plan.postgres}, the load on ${plan.load}, Waypost on ${plan.waypost}`;
  console.log(`GET /me from ${connections} connections, medians of ${rounds} rounds of ${perRound}`);
  console.log(`${availableParallelism()} cores: ${cores}`);
  const one = yield* Effect.scoped(measured(1));
  for (const processes of [1, 2, 4]) {
    const { p99, perSecond } = processes === 1 ? one : yield* Effect.scoped(measured(processes));
    const ratio = perSecond / one.perSecond;
    console.log(
      `${processes} request processes: ${Math.round(perSecond)} requests/s, p99 ${p99.toFixed(1)} ms, ` +
        `${ratio.toFixed(2)} times one (${Math.round((ratio / processes) * 100)} % of perfect scaling)`,
    );
    if (processes === 2 && plan !== null) met(ratio >= bar);
  }
  console.log(plan === null ? "no bar on fewer than six cores" : `bar: ${bar} times with two processes`);
});

runBench(bench);
