/** One run of the PostgreSQL server as a child process. */
import { Effect } from "effect";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, type PostgresAccount } from "./PostgresAccount.ts";
import { signal } from "./PostgresProcesses.ts";

/** The parameters of a run. */
export interface ServerPlan {
  readonly account: PostgresAccount;
  /** The folder with `bin`, `lib` and `share`. */
  readonly binaries: string;
  /** PostgreSQL's data folder. */
  readonly folder: string;
  readonly socketDirectory: string;
  readonly clusterName: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The file descriptor of the server's log. */
  readonly log: number;
}

/** A run of the server. `exited` resolves with the reason of its end and never rejects. */
export interface ServerRun {
  readonly pid: number | undefined;
  readonly exited: Promise<string>;
  readonly hasExited: () => boolean;
}

/**
 * Settings for a small machine that PostgreSQL shares with Waypost: little memory and few processes.
 * Durability keeps its defaults: fsync, full page writes and synchronous commit are on.
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
  // Backends read by themselves, which saves three I/O processes.
  io_method: "sync",
  // Short statements lose more time to compilation than they save.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  log_checkpoints: "off",
  log_min_messages: "warning",
};

/** Starts the server in its own session, so that Ctrl-C in a terminal reaches Waypost alone. */
export const startRun = (plan: ServerPlan): ServerRun => {
  const settings: Record<string, string> = {
    ...smallMachineSettings,
    ...plan.settings,
    // A socket in a folder of mode 0700 is open to this account and root only, who can read the data files
    // anyway. It needs no password, and without TCP there is no port to protect.
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
  let hasExited = false;
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, name) => resolve(name === null ? `exit code ${code}` : `signal ${name}`));
  }).finally(() => {
    hasExited = true;
  });
  if (child.pid !== undefined) startWatchdog(child.pid, plan.account, exited);
  child.unref();
  return { pid: child.pid, exited, hasExited: () => hasExited };
};

/**
 * Starts a shell that shuts the server down when Waypost dies. It waits for Waypost's end of a pipe to close,
 * which the kernel does for every kind of death (out of memory, an uncaught error, kill -9). A line through
 * the pipe ends it.
 */
const startWatchdog = (pid: number, account: PostgresAccount, exited: Promise<string>): void => {
  const watchdog = spawn("/bin/sh", ["-c", 'read -r line || kill -INT "$0"', String(pid)], {
    ...account.drop,
    cwd: "/",
    env: childEnvironment,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a watchdog (no shell, no free process) the next start stops the orphans of a crash.
  watchdog.on("error", () => undefined);
  watchdog.stdin?.on("error", () => undefined);
  watchdog.unref();
  void exited.then(() => watchdog.stdin?.end("done\n"));
};

/** Waits until the server accepts connections. Returns false if it exits first or is not ready in time. */
export const awaitReady = (plan: ServerPlan, run: ServerRun, timeoutMillis: number): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    for (let waited = 0; waited < timeoutMillis && !run.hasExited(); waited += pollMillis) {
      const text = yield* Effect.promise(() =>
        readFile(join(plan.folder, "postmaster.pid"), "utf8").catch(() => ""),
      );
      const lines = text.split("\n");
      if (lines[0]?.trim() === String(run.pid) && lines[7]?.trim() === "ready") return true;
      yield* Effect.sleep(pollMillis);
    }
    return false;
  });

const pollMillis = 15;

/** Stops the server by a fast shutdown, which writes all data, and then by harder signals. */
export const stopRun = Effect.fnUntraced(function* (run: ServerRun) {
  if (run.pid === undefined) return;
  for (const [name, timeoutMillis] of [
    ["SIGINT", 10_000],
    ["SIGQUIT", 3_000],
    ["SIGKILL", 3_000],
  ] as const) {
    if (run.hasExited()) return;
    signal(run.pid, name);
    yield* Effect.timeoutOption(
      Effect.promise(() => run.exited),
      timeoutMillis,
    );
  }
});
