/**
 * Kills request processes under a stream of new connections. Measures how long clients wait, and which
 * sockets stay open in the supervisor. It starts a Waypost of its own, on loopback, in a temporary folder.
 * Exit code 1 if a client waits for over a second or finds the port closed, or a socket is left.
 *
 *     node scripts/attack/kills.ts --kills 50 --processes 4 --clients 32
 *
 * A request that the killed process was answering fails at once, which is no fault. The sockets are those of
 * /proc, so the trial needs Linux.
 */
import { Effect } from "effect";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { started } from "../bench/BenchChild.ts";
import { runScript, temporaryFolder, waypostSettings } from "../bench/BenchWorld.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    processes: { type: "string", default: "4" },
    clients: { type: "string", default: "32" },
  },
});
const kills = Number(values.kills);
const maxWaitMillis = 1_000;
/** A client gives up after so long. */
const timeoutMillis = 15_000;

const launcher = new URL("../../bin/waypost.js", import.meta.url).pathname;

/** The sockets that a process has open. */
const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;

/** The requests of clients that open a connection for each. */
class Stream {
  readonly waits: Array<number> = [];
  readonly outcomes = new Map<string, number>();
  isStopped = false;

  /** One request: its outcome. */
  #request(url: string): Promise<string> {
    return new Promise((resolve) => {
      const sent = get(url, { agent: new Agent({ keepAlive: false }), timeout: timeoutMillis });
      sent.on("timeout", () => {
        resolve("no answer");
        sent.destroy();
      });
      sent.on("error", (error: Error & { readonly code?: string }) => resolve(error.code ?? error.message));
      sent.on("response", (response) => {
        response.resume();
        response.on("close", () => resolve(response.complete ? String(response.statusCode) : "cut"));
      });
    });
  }

  async client(url: string): Promise<void> {
    while (!this.isStopped) {
      const began = performance.now();
      const outcome = await this.#request(url);
      this.waits.push(performance.now() - began);
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
      // The processors are not the subject.
      await pause(20);
    }
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const killed = new Set<number>();

/** The request processes that run now, by the supervisor's log. A killed one exists for a moment more. */
const requestProcesses = (log: string): ReadonlyArray<number> => {
  const lines = readFileSync(log, "utf8").matchAll(/The process (api-\d+) runs \(process id (\d+)\)/g);
  const pids = new Map([...lines].map(([, name, pid]) => [name, Number(pid)])).values();
  return [...pids].filter((pid) => !killed.has(pid) && isAlive(pid));
};

const settles = async (condition: () => boolean, millis = 60_000): Promise<boolean> => {
  const end = performance.now() + millis;
  while (!condition() && performance.now() < end) await pause(20);
  return condition();
};

runScript(
  Effect.gen(function* () {
    const folder = yield* temporaryFolder("attack");
    const log = join(folder, "waypost.log");
    const settings = { ...waypostSettings(join(folder, "data")), WAYPOST_PROCESSES: values.processes };
    const { origin, pid } = yield* started([launcher, "serve"], settings, log);
    yield* Effect.promise(async () => {
      const areAllRunning = (): boolean => requestProcesses(log).length === Number(values.processes);
      await settles(areAllRunning);
      const before = socketsOf(pid);
      const stream = new Stream();
      const clients = Array.from({ length: Number(values.clients) }, () =>
        stream.client(`${origin}/health/live`),
      );
      for (let kill = 0; kill < kills; kill++) {
        await pause(200);
        // One stays: the port is theirs.
        await settles(() => requestProcesses(log).length > 1);
        const running = requestProcesses(log);
        const chosen = running[kill % running.length] ?? 0;
        killed.add(chosen);
        process.kill(chosen, "SIGKILL");
      }
      stream.isStopped = true;
      await Promise.all(clients);
      await settles(areAllRunning);
      await settles(() => socketsOf(pid) <= before, 5_000);
      const after = socketsOf(pid);
      const longest = stream.waits.reduce((most, each) => Math.max(most, each), 0);
      const outcomes = [...stream.outcomes].map(([name, count]) => `${name}: ${count}`).join(", ");
      console.log(`${kills} kills, ${stream.waits.length} requests (${outcomes})`);
      console.log(`longest wait of a client: ${Math.round(longest)} ms (bar ${maxWaitMillis} ms)`);
      console.log(`sockets of the supervisor: ${before} before, ${after} after`);
      if (longest > maxWaitMillis || after > before || stream.outcomes.has("ECONNREFUSED"))
        process.exitCode = 1;
    });
  }),
);
