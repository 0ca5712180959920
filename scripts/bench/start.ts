/**
 * The bars of starting and of memory: from the start of the process to its line that it listens, on a data
 * directory that is there already (at most 3 s), and the memory of Node and PostgreSQL: idle (180 MB), and
 * after the demo and a minute of requests without a pause (320 MB), right after the last response; of each
 * further process of a supervisor, idle (90 MB). Of the source tree, or of the executable that is named:
 * `node scripts/bench/start.ts dist/waypost`.
 */
import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve as resolvePath } from "node:path";
import process from "node:process";
import { runChapters } from "../../src/demo/Demo.ts";
import { familyOf, mebibytesOf } from "./BenchChild.ts";
import { runScript, temporaryFolder, waypostSettings } from "./BenchWorld.ts";
import { getRequest, requestLoad } from "./RequestLoad.ts";
import { figure } from "./Rounds.ts";
import { newWorkspace, operatorKey } from "./ServiceApi.ts";

const launcher = new URL("../../bin/waypost.js", import.meta.url).pathname;
const executable = process.argv[2];
const [program, ...first] =
  executable === undefined ? [process.execPath, launcher] : [resolvePath(executable)];

interface Started {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly millis: number;
}

const start = (dataDir: string, processes = 1): Promise<Started> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(program, [...first, "serve"], {
      env: {
        PATH: process.env["PATH"],
        ...waypostSettings(dataDir),
        WAYPOST_LOG_LEVEL: "warn",
        WAYPOST_PROCESSES: String(processes),
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

/** Memory in MB: a page that processes share counts once in Pss, and for each in Rss. */
const memoryOf = (pids: ReadonlyArray<number>, line: "Pss" | "Rss" = "Pss"): number =>
  pids.reduce((total, pid) => total + mebibytesOf(pid, line, "smaps_rollup"), 0);

/** A process returns memory after its first quiet minute. */
const quiet = Effect.sleep("150 seconds");

const loadMillis = 60_000;

/** Sends requests from 64 connections for a minute. */
const loaded = Effect.fnUntraced(function* (origin: string) {
  const { platform, token } = yield* newWorkspace(origin, ["campaigns:read"]);
  const requests = ["/me", "/campaigns"].map((path) =>
    getRequest(`${platform}${path}`, { authorization: `Bearer ${token}` }),
  );
  const began = performance.now();
  for (let sent = 0; performance.now() - began < loadMillis;)
    yield* Effect.promise(() =>
      requestLoad(platform, 64, 5_000, () => requests[sent++ % requests.length] ?? "", '{"data":'),
    );
});

const started = (dataDir: string, processes?: number) =>
  Effect.acquireRelease(
    Effect.promise(() => start(dataDir, processes)),
    (each) => Effect.promise(() => stop(each)),
  );

/** The memory of one process and its PostgreSQL: idle, after the demo, and after a load. */
const ofOne = Effect.fnUntraced(function* (dataDir: string) {
  const { child, origin } = yield* started(dataDir);
  const family = () => familyOf(child.pid ?? 0);
  yield* quiet;
  const idle = memoryOf(family());
  yield* runChapters({ origin, operatorKey });
  const demo = memoryOf(family());
  yield* loaded(origin);
  return { idle, demo, load: memoryOf(family()), loadRss: memoryOf(family(), "Rss") };
}, Effect.scoped);

/** The memory of each further request process of a supervisor: what three have more than two, idle. */
const ofFurther = Effect.fnUntraced(function* (dataDir: string) {
  const idle = Effect.fnUntraced(function* (processes: number) {
    const { child } = yield* started(dataDir, processes);
    yield* quiet;
    return memoryOf(familyOf(child.pid ?? 0));
  }, Effect.scoped);
  const two = yield* idle(2);
  return (yield* idle(3)) - two;
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
  const further = yield* ofFurther(dataDir);
  const { demo, idle, load, loadRss } = yield* ofOne(dataDir);
  figure("first", "first start, with a new database", "ms", first.millis);
  figure("existing", "start on existing data", "ms", times);
  figure("slowest", "the slowest start on existing data", "ms", Math.max(...times), { atMost: 3_000 });
  figure("idle", "memory of Node and PostgreSQL, idle", "MB", idle, { atMost: 180 });
  figure("demo", "memory after the demo", "MB", demo);
  figure("load", "memory after a minute of load", "MB", load, { atMost: 320 });
  figure("load-rss", "the same, with shared memory in each process", "MB", loadRss);
  figure("further", "memory of each further process, idle", "MB", further, { atMost: 90 });
});

runScript(bench);
