/** The processes of an embedded PostgreSQL, also those that a killed Waypost left running. */
import { Data, Effect } from "effect";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";

/** Processes of an earlier start that even SIGKILL did not end. */
class OrphansRemain extends Data.TaggedError("OrphansRemain")<{ readonly message: string }> {}

/**
 * The `cluster_name` of the server over a data folder. It is in the command lines of all its processes, which
 * every account may read, also in containers. It depends on the folder's inode, so a renamed data directory
 * keeps it.
 */
export const clusterName = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `waypost-${createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 16)}`;
};

interface PostgresProcess {
  readonly pid: number;
  /** Whether it is the parent of all others, which shuts them down in order. */
  readonly isPostmaster: boolean;
}

const commandLines = async (): Promise<ReadonlyArray<readonly [pid: number, line: string]>> => {
  if (process.platform === "linux") {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    return Promise.all(
      pids.map(async (pid) => {
        const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        return [Number(pid), line.replaceAll("\0", " ")] as const;
      }),
    );
  }
  const listing = await new Promise<string>((resolve) => {
    execFile("/bin/ps", ["-axo", "pid=,command="], { maxBuffer: 64 << 20 }, (_, text) => resolve(text));
  });
  return listing.split("\n").map((row) => {
    const [, pid = "0", line = ""] = /^\s*(\d+)\s+(.*)$/.exec(row) ?? [];
    return [Number(pid), line] as const;
  });
};

/** All live processes of a server. A zombie has no command line and is not found. */
export const processesOf = async (cluster: string): Promise<ReadonlyArray<PostgresProcess>> => {
  const asSetting = `cluster_name=${cluster}`;
  const asTitle = `postgres: ${cluster}: `;
  return (await commandLines()).flatMap(([pid, line]) => {
    const isPostmaster = line.includes(asSetting) && /^\S*postgres /.test(line);
    return isPostmaster || line.startsWith(asTitle) ? [{ pid, isPostmaster }] : [];
  });
};

/** Sends a signal. Ignores a process that has ended or belongs to another account. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // The caller polls for the end of the process.
  }
};

/** A fast shutdown, then harder signals: the signal, its receivers, and how long to wait in milliseconds. */
const shutdownSteps: ReadonlyArray<readonly [NodeJS.Signals, "postmaster" | "all", number]> = [
  ["SIGINT", "postmaster", 10_000],
  ["SIGQUIT", "all", 2_000],
  ["SIGKILL", "all", 2_000],
];
const pollMillis = 25;

/**
 * Stops the processes of a server whose Waypost is dead, which the caller knows because it holds the data
 * directory. Returns whether there were any.
 */
export const stopOrphans = Effect.fnUntraced(function* (cluster: string) {
  let orphans = yield* Effect.promise(() => processesOf(cluster));
  if (orphans.length === 0) return false;
  for (const [name, receivers, timeoutMillis] of shutdownSteps) {
    // Without a postmaster the backends cannot shut down in order.
    if (receivers === "postmaster" && !orphans.some((orphan) => orphan.isPostmaster)) continue;
    for (const { isPostmaster, pid } of orphans) if (receivers === "all" || isPostmaster) signal(pid, name);
    for (let waited = 0; waited < timeoutMillis; waited += pollMillis) {
      orphans = yield* Effect.promise(() => processesOf(cluster));
      if (orphans.length === 0) return true;
      yield* Effect.sleep(pollMillis);
    }
  }
  const pids = orphans.map(({ pid }) => pid).join(", ");
  return yield* new OrphansRemain({
    message: `Orphaned processes of the embedded PostgreSQL cannot be stopped: ${pids}.`,
  });
});
