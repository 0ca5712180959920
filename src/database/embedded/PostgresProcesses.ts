/** The processes of one embedded PostgreSQL as the operating system lists them, also those of a Waypost that was killed. */
import { Data, Effect } from "effect";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";

/** Processes of an earlier start that even SIGKILL did not end. */
export class LeftoversRemain extends Data.TaggedError("LeftoversRemain")<{
  readonly pids: ReadonlyArray<number>;
}> {
  override get message(): string {
    return `Processes ${this.pids.join(", ")} of an earlier start of the embedded PostgreSQL cannot be stopped.`;
  }
}

/**
 * The name a server over this data folder carries (as `cluster_name`) in the command lines of all its processes, which every
 * account may read, in containers too. It follows the folder, not its path, so a renamed data directory keeps it.
 */
export const clusterName = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `waypost-${createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 16)}`;
};

interface PostgresProcess {
  readonly pid: number;
  /** The parent of all others, which shuts them down in order. */
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

/** Every live process of the server of that name; a zombie has no command line and does not count. */
export const processesOf = async (name: string): Promise<ReadonlyArray<PostgresProcess>> => {
  const asSetting = `cluster_name=${name}`;
  const asTitle = `postgres: ${name}: `;
  return (await commandLines()).flatMap(([pid, line]) => {
    const isPostmaster = line.includes(asSetting) && /^\S*postgres /.test(line);
    return isPostmaster || line.startsWith(asTitle) ? [{ pid, isPostmaster }] : [];
  });
};

/** Sends the signal; a process that has just ended, or is not ours, is left alone. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // The next look at the process list tells.
  }
};

/** Fast shutdown of the whole server, then ever harder ones: what to send, to whom, and milliseconds to wait. */
const steps: ReadonlyArray<readonly [NodeJS.Signals, "postmaster" | "all", number]> = [
  ["SIGINT", "postmaster", 10_000],
  ["SIGQUIT", "all", 2_000],
  ["SIGKILL", "all", 2_000],
];

/**
 * Stops what is left of that server, whose Waypost is dead: the data directory's lock is held by the caller. True when there
 * was something to stop.
 */
export const stopLeftovers = (name: string): Effect.Effect<boolean, LeftoversRemain> =>
  Effect.gen(function* () {
    let left = yield* Effect.promise(() => processesOf(name));
    if (left.length === 0) return false;
    for (const [how, whom, patience] of steps) {
      // Backends without their postmaster are past an orderly end.
      if (whom === "postmaster" && !left.some((one) => one.isPostmaster)) continue;
      for (const one of left) if (whom === "all" || one.isPostmaster) signal(one.pid, how);
      for (let waited = 0; waited < patience; waited += pollMillis) {
        left = yield* Effect.promise(() => processesOf(name));
        if (left.length === 0) return true;
        yield* Effect.sleep(pollMillis);
      }
    }
    return yield* new LeftoversRemain({ pids: left.map((one) => one.pid) });
  });

const pollMillis = 25;
