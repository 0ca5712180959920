/**
 * The bars of starting and of memory: from the start of the process to its line that it listens, on a data
 * directory that is there already (at most 3 s), and what Node and PostgreSQL hold in memory after the demo
 * (under 400 MB). Of the source tree, or of the executable that is named: `node scripts/bench/start.ts
 * dist/waypost`.
 */
import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve as resolvePath } from "node:path";
import process from "node:process";
import { runChapters } from "../../src/demo/Demo.ts";
import { familyOf, mebibytesOf } from "./BenchChild.ts";
import { runScript, temporaryFolder, waypostSettings } from "./BenchWorld.ts";
import { operatorKey } from "./ServiceApi.ts";
import { atMost } from "./Rounds.ts";

const launcher = new URL("../../bin/waypost.js", import.meta.url).pathname;
const executable = process.argv[2];
const [program, ...first] =
  executable === undefined ? [process.execPath, launcher] : [resolvePath(executable)];

interface Started {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly millis: number;
}

const start = (dataDir: string): Promise<Started> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(program, [...first, "serve"], {
      env: { PATH: process.env["PATH"], ...waypostSettings(dataDir), WAYPOST_LOG_LEVEL: "warn" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const origin = /listening on (\S+)/.exec(output)?.[1];
      if (origin !== undefined) resolve({ child, origin, millis: performance.now() - began });
    });
    child.once("exit", () => reject(new Error("Waypost ended before it listened.")));
  });

const stop = ({ child }: Started): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });

const bench = Effect.gen(function* () {
  const dataDir = join(yield* temporaryFolder("bench"), "data");
  const first = yield* Effect.promise(() => start(dataDir));
  yield* Effect.promise(() => stop(first));
  const times: Array<number> = [];
  for (let round = 0; round < 5; round++) {
    const again = yield* Effect.promise(() => start(dataDir));
    yield* Effect.promise(() => stop(again));
    times.push(again.millis);
  }
  const last = yield* Effect.acquireRelease(
    Effect.promise(() => start(dataDir)),
    (started) => Effect.promise(() => stop(started)),
  );
  yield* runChapters({ origin: last.origin, operatorKey });
  const family = familyOf(last.child.pid ?? 0);
  // Memory that processes share counts once in Pss, and for each in Rss.
  const sum = (line: "Pss" | "Rss"): number =>
    family.reduce((total, pid) => total + mebibytesOf(pid, line, "smaps_rollup"), 0);
  console.log(`
first start, with a new database   ${Math.round(first.millis)} ms
start on existing data             ${times.map((millis) => Math.round(millis)).join(", ")} ms
the slowest of them                ${atMost(Math.max(...times), 3_000, 0)} ms
memory after the demo              ${atMost(sum("Pss"), 400, 0)} MB in ${family.length} processes
  with shared memory in each       ${sum("Rss").toFixed(0)} MB`);
});

runScript(bench);
