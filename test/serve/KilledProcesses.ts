import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { vi } from "vitest";
import type { CliProcess } from "../cli/CliProcess.ts";

/** Limits of polls. They do not wait for time: a loaded machine needs long for a process. */
const limits = { timeout: 500_000, interval: 20 };

/** A client without an answer gives up after so many milliseconds, which is a failure. */
const unansweredMillis = 120_000;

/** How a request ended: with a status, because its connection was closed or refused, or not at all. */
export type Outcome = number | "closed" | "refused" | "unanswered";

/** A request on a connection of its own. */
export interface Asked {
  readonly request: ClientRequest;
  readonly outcome: Promise<Outcome>;
}

/** Sends a request on a connection of its own. */
const ask = (origin: string): Asked => {
  const sent = request(`${origin}/health/live`, { agent: false });
  const outcome = new Promise<Outcome>((resolve) => {
    sent.setTimeout(unansweredMillis, () => {
      resolve("unanswered");
      sent.destroy();
    });
    sent.on("error", (error: Error & { readonly code?: string }) =>
      resolve(error.code === "ECONNREFUSED" ? "refused" : "closed"),
    );
    sent.on("response", (response: IncomingMessage) => {
      response.resume();
      response.on("close", () => resolve(response.complete ? (response.statusCode ?? 0) : "closed"));
    });
  });
  sent.end();
  return { request: sent, outcome };
};

/** Sends a request, and waits until the kernel has its connection. */
export const askConnected = async (origin: string): Promise<Asked> => {
  const asked = ask(origin);
  const [socket] = await once(asked.request, "socket");
  if (socket.connecting) await once(socket, "connect");
  return asked;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The request processes of a server under a supervisor. */
export class RequestProcesses {
  readonly #server: Awaited<ReturnType<CliProcess["serve"]>>;
  readonly #killed = new Set<number>();

  constructor(server: Awaited<ReturnType<CliProcess["serve"]>>) {
    this.#server = server;
  }

  /** The process ids of those that run. */
  get running(): ReadonlyArray<number> {
    const started = this.#server.log().matchAll(/The process (api-\d+) runs \(process id (\d+)\)/g);
    const pids = new Map([...started].map(([, name, pid]) => [name, Number(pid)])).values();
    // A killed process exists for a moment more.
    return [...pids].filter((pid) => !this.#killed.has(pid) && isAlive(pid));
  }

  kill(pid: number): void {
    this.#killed.add(pid);
    process.kill(pid, "SIGKILL");
  }

  /** Waits until so many run. */
  readonly untilRunning = (count: number): Promise<unknown> =>
    vi.waitUntil(() => this.running.length >= count, limits);

  /** The sockets that the supervisor has open. */
  get sockets(): number {
    const folder = `/proc/${this.#server.child.pid}/fd`;
    return readdirSync(folder).filter((fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`).startsWith("socket:");
      } catch {
        return false;
      }
    }).length;
  }

  /** Waits until the supervisor has no more sockets open than before. */
  readonly untilSockets = (before: number): Promise<unknown> =>
    vi.waitUntil(() => this.sockets <= before, limits);

  /** Kills one after another while clients ask on new connections. Returns how their requests ended. */
  readonly killUnderLoad = async (kills: number, clients: number): Promise<ReadonlyMap<Outcome, number>> => {
    const { origin } = this.#server;
    const outcomes = new Map<Outcome, number>();
    let isStopped = false;
    const client = async (): Promise<void> => {
      while (!isStopped) {
        const outcome = await ask(origin).outcome;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const load = Array.from({ length: clients }, client);
    const answered = (): number => outcomes.get(200) ?? 0;
    try {
      for (let kill = 0; kill < kills; kill++) {
        // The load reaches the processes, and one of them stays: the port is theirs.
        const before = answered();
        await vi.waitUntil(() => answered() > before + clients, limits);
        await this.untilRunning(2);
        this.kill(this.running[kill % 2] ?? 0);
      }
    } finally {
      isStopped = true;
      await Promise.all(load);
    }
    return outcomes;
  };
}
