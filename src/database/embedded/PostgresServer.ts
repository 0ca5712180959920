/** One run of the PostgreSQL server as a child process: from spawn to exit. */
import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, type PostgresAccount } from "./PostgresAccount.ts";
import { signal } from "./PostgresProcesses.ts";

/** What a run needs to know. */
export interface ServerPlan {
  readonly account: PostgresAccount;
  /** Folder with `bin`, `lib`, `share`. */
  readonly binaries: string;
  /** PostgreSQL's own data folder. */
  readonly folder: string;
  readonly socketDirectory: string;
  readonly clusterName: string;
  readonly settings: Readonly<Record<string, string>>;
  /** File descriptor that takes the server's log. */
  readonly log: number;
}

/** A run; `exited` resolves with how it ended, and never rejects. */
export interface ServerRun {
  readonly pid: number | undefined;
  readonly exited: Promise<string>;
  readonly hasExited: () => boolean;
}

/**
 * For a small machine that PostgreSQL shares with Waypost: little memory, few processes, nothing given up in durability
 * (fsync, full page writes and synchronous commit stay on, as they are by default).
 */
const smallMachineSettings: Readonly<Record<string, string>> = {
  max_connections: "60",
  shared_buffers: "64MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  wal_compression: "on",
  max_wal_size: "512MB",
  max_wal_senders: "0",
  max_worker_processes: "4",
  max_parallel_workers: "2",
  max_parallel_workers_per_gather: "1",
  max_logical_replication_workers: "0",
  autovacuum_worker_slots: "4",
  autovacuum_max_workers: "2",
  // Reads by the backend itself: three I/O processes less.
  io_method: "sync",
  // Costs more than it saves for short statements.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  log_checkpoints: "off",
  log_min_messages: "warning",
};

/** Starts the server in a session of its own, so that Ctrl-C in a terminal reaches Waypost alone. */
export const startRun = (plan: ServerPlan): ServerRun => {
  const settings: Record<string, string> = {
    ...smallMachineSettings,
    ...plan.settings,
    // A socket in a folder of mode 0700 lets in this account and root, who can read the data files anyway: a
    // password would add nothing, and with no TCP there is no port to find or to guard.
    listen_addresses: "",
    unix_socket_directories: `"${plan.socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: "5432",
    cluster_name: plan.clusterName,
  };
  const child = spawn(
    join(plan.binaries, "bin/postgres"),
    ["-D", plan.folder, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    {
      ...plan.account.drop,
      cwd: "/",
      env: childEnvironment,
      detached: true,
      stdio: ["ignore", plan.log, plan.log],
    },
  );
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, name) => resolve(name === null ? `exit code ${code}` : `signal ${name}`));
  }).finally(() => {
    ended = true;
  });
  if (child.pid !== undefined) {
    const guard = startGuard(child.pid, plan.account);
    void exited.then(() => guard.stdin?.end("done\n"));
  }
  child.unref();
  return { pid: child.pid, exited, hasExited: () => ended };
};

/**
 * A shell that waits for Waypost's end of a pipe to close, which the kernel does however Waypost dies (out of memory,
 * an uncaught error, kill -9), and then shuts the server down. A line through the pipe sends it home.
 */
const startGuard = (pid: number, account: PostgresAccount): ChildProcess => {
  const guard = spawn("/bin/sh", ["-c", 'read -r line || kill -INT "$0"', String(pid)], {
    ...account.drop,
    cwd: "/",
    env: childEnvironment,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a guard (no shell, no process left) the next start stops what a crash leaves.
  guard.on("error", () => undefined);
  guard.stdin?.on("error", () => undefined);
  guard.unref();
  return guard;
};

/** Waits until the server takes connections (true) or has ended or not got there in time (false). */
export const awaitReady = (
  plan: ServerPlan,
  run: ServerRun,
  attemptTimeoutMillis: number,
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    for (let waited = 0; waited < attemptTimeoutMillis && !run.hasExited(); waited += pollMillis) {
      const text = yield* Effect.promise(() =>
        readFile(join(plan.folder, "postmaster.pid"), "utf8").catch(() => ""),
      );
      const lines = text.split("\n");
      if (lines[0]?.trim() === String(run.pid) && lines[7]?.trim() === "ready") return true;
      yield* Effect.sleep(pollMillis);
    }
    return false;
  });

/** Fast shutdown (open transactions are rolled back, all is written), harder when that takes too long. */
export const stopRun = (run: ServerRun): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (run.pid === undefined) return;
    const pid = run.pid;
    for (const [how, patience] of [
      ["SIGINT", 10_000],
      ["SIGQUIT", 3_000],
      ["SIGKILL", 3_000],
    ] as const) {
      if (run.hasExited()) return;
      signal(pid, how);
      yield* Effect.timeoutOption(
        Effect.promise(() => run.exited),
        patience,
      );
    }
  });

const pollMillis = 15;
