/**
 * The bars of starting and of memory: from the start of the process to its line that it listens, on a data
 * directory that is there already (at most 3 s), and what Node and PostgreSQL hold in memory after the demo
 * (under 400 MB). Of the source tree, or of the executable that is named: `node scripts/bench/start.ts
 * dist/waypost`.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve as resolvePath } from "node:path";
import { runChapters } from "../../src/demo/Demo.ts";
import { familyOf } from "./BenchChild.ts";

const rounds = 5;
const operatorKey = "operator-key-of-the-bench-processes";
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
      env: {
        PATH: process.env["PATH"],
        PORT: "0",
        WAYPOST_PROCESSES: "1",
        WAYPOST_DATA_DIR: dataDir,
        WAYPOST_OPERATOR_KEY: operatorKey,
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
        WAYPOST_LOG_LEVEL: "warn",
      },
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

/**
 * Megabytes: resident, where memory that processes share counts for each, and proportional, where it counts
 * once.
 */
const memoryOf = (pid: number): { readonly resident: number; readonly proportional: number } => {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0) / 1024;
  return { resident: read("Rss"), proportional: read("Pss") };
};

const bench = Effect.gen(function* () {
  const dataDir = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(dataDir, { recursive: true, force: true })));
  const first = yield* Effect.promise(() => start(dataDir));
  yield* Effect.promise(() => stop(first));
  const times: Array<number> = [];
  for (let round = 0; round < rounds; round++) {
    const again = yield* Effect.promise(() => start(dataDir));
    yield* Effect.promise(() => stop(again));
    times.push(again.millis);
  }
  const last = yield* Effect.acquireRelease(
    Effect.promise(() => start(dataDir)),
    (started) => Effect.promise(() => stop(started)),
  );
  yield* runChapters({ origin: last.origin, operatorKey });
  const family = familyOf(last.child.pid ?? 0).map(memoryOf);
  const sum = (of: "resident" | "proportional"): number =>
    Math.round(family.reduce((total, memory) => total + memory[of], 0));
  const worst = Math.max(...times);
  console.log(`
first start, with a new database   ${Math.round(first.millis)} ms
start on existing data             ${times.map((millis) => Math.round(millis)).join(", ")} ms (bar: 3000)
memory after the demo              ${sum("proportional")} MB in ${family.length} processes (bar: 400)
  with shared memory in each       ${sum("resident")} MB`);
  if (worst > 3000 || sum("proportional") >= 400) process.exitCode = 1;
});

NodeRuntime.runMain(Effect.scoped(bench));
