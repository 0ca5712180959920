import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const signalAll = (pids: ReadonlyArray<number>, signal: NodeJS.Signals): void => {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
};

/** The processes whose working directory is the folder. That of PostgreSQL is its data directory. */
const processesIn = (directory: string): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readlinkSync(`/proc/${name}/cwd`) === directory ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** A PostgreSQL of a cluster, by its data directory. It is started by `pg_ctl`, as an account if given. */
export class ClusterNode {
  readonly directory: string;
  readonly port: number;
  readonly #pgCtl: string;
  readonly #account: { readonly uid: number; readonly gid: number } | null;

  constructor(directory: string, pgCtl: string, account: string | undefined) {
    this.directory = directory;
    this.#pgCtl = pgCtl;
    const idOf = (option: string) =>
      Number(execFileSync("id", [option, account ?? ""], { encoding: "utf8" }));
    this.#account = account === undefined ? null : { uid: idOf("-u"), gid: idOf("-g") };
    this.port = Number(this.#pidFile[3]);
  }

  get #pidFile(): ReadonlyArray<string> {
    return readFileSync(join(this.directory, "postmaster.pid"), "utf8").split("\n");
  }

  /** Suspends the node. A suspended postmaster starts no process. */
  suspend(): void {
    signalAll([Number(this.#pidFile[0])], "SIGSTOP");
    signalAll(processesIn(this.directory), "SIGSTOP");
  }

  resume(): void {
    signalAll(processesIn(this.directory), "SIGCONT");
  }

  /**
   * Kills all processes of the node at one moment, by `kill -9`, and waits until they have ended. It removes
   * `postmaster.pid`: a server does not start as long as the process in it waits to be reaped.
   */
  async kill(): Promise<void> {
    this.suspend();
    signalAll(processesIn(this.directory), "SIGKILL");
    for (let waited = 0; processesIn(this.directory).length > 0; waited += 10) {
      if (waited > 10_000) throw new Error(`${this.directory} is still running`);
      await delay(10);
    }
    rmSync(join(this.directory, "postmaster.pid"));
  }

  /** Starts the node, and waits until it accepts connections. */
  async start(): Promise<void> {
    const log = join(this.directory, "server.log");
    const child = spawn(this.#pgCtl, ["-D", this.directory, "-l", log, "-s", "-w", "-t", "60", "start"], {
      ...this.#account,
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" },
      stdio: "ignore",
    });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`${this.directory} did not start, see ${log}`);
  }
}
