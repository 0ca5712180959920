/**
 * `GET /me` over 1, 2 and 4 request processes of one machine, from 64 connections. The bar: two processes
 * answer at least 1.8 times the requests of one. It counts on machines of six cores and more, where
 * PostgreSQL, the load and Waypost have cores of their own. On a smaller one they share all cores, so that
 * further processes cannot help.
 */
import { Effect } from "effect";
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { corePlan, pinAll } from "./Cores.ts";
import type { Loaded } from "./RequestLoad.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { alternately, figure, setting } from "./Rounds.ts";

const bar = 1.8;
const connections = 64;
const perRound = 10_000;
const rounds = setting("ROUNDS", 5);
const plan = corePlan();
/** Programs that send requests, each with its share of the connections. */
const clients = Math.max(1, Math.floor(availableParallelism() / 6));

const run = promisify(execFile);

/** The rate of all clients together. */
const load = async (url: string, token: string): Promise<number> => {
  const program = new URL("RequestClient.ts", import.meta.url).pathname;
  const parameters = [url, token, String(connections / clients), String(perRound / clients)];
  const results = await Promise.all(
    Array.from({ length: clients }, async () => {
      const { stdout } = await run(process.execPath, [program, ...parameters]);
      return JSON.parse(stdout) as Loaded;
    }),
  );
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
};

/** The rates of the rounds, after one to warm up. */
const measured = Effect.fnUntraced(function* (processes: number) {
  const settings = { WAYPOST_PROCESSES: String(processes) };
  const { origin, pid } = yield* BenchWorld.waypost(settings, `waypost-${processes}`);
  const { platform, token } = yield* newWorkspace(origin, ["campaigns:read"]);
  const round = Effect.promise(() => {
    // Before each round, because PostgreSQL starts a process for each connection.
    if (plan !== null) pinAll(plan, pid);
    return load(`${platform}/me`, token);
  });
  return (yield* alternately(rounds, { all: round })).all;
});

const bench = Effect.gen(function* () {
  const one = yield* Effect.scoped(measured(1));
  for (const processes of [2, 4]) {
    const what = `\`GET /me\` over ${processes} request processes, from ${connections} connections`;
    figure(`of-${processes}`, what, "a second", yield* Effect.scoped(measured(processes)), {
      beside: ["one process", one],
      atLeast: processes === 2 && plan !== null ? bar : undefined,
    });
  }
});

runBench(bench);
