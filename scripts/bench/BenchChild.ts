import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** A program that prints the address it listens on. */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The address; null until it listens. */
  readonly listening: () => string | null;
  /** Sends a signal and waits until the program has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts a program, with its output in a file: reading a pipe would cost both processes CPU. */
export const spawned = (
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  log: string,
): Program => {
  const out = openSync(log, "a");
  const child = spawn(process.execPath, command, {
    env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", ...env },
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  const exit = once(child, "exit");
  let origin: string | null = null;
  return {
    child,
    pid: child.pid ?? 0,
    listening: () => (origin ??= /listening on (\S+)/.exec(readFileSync(log, "utf8"))?.[1] ?? null),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exit;
    },
  };
};

/** Starts a program, waits until it listens, and stops it when the scope closes. */
export const started = Effect.fnUntraced(function* (...parameters: Parameters<typeof spawned>) {
  const program = yield* Effect.acquireRelease(
    Effect.sync(() => spawned(...parameters)),
    ({ end }) => Effect.promise(() => end("SIGTERM")),
  );
  while (program.listening() === null) {
    if (program.child.exitCode !== null)
      return yield* Effect.die(new Error(`${parameters[0].join(" ")} ended: see ${parameters[2]}`));
    yield* Effect.sleep(20);
  }
  return { ...program, origin: program.listening() ?? "" };
});

const ticksPerSecond = 100;

const statOf = (path: string | number): ReadonlyArray<string> => {
  try {
    const stat = readFileSync(`/proc/${path}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
};

/** Seconds of CPU, user and system, of a process or of `<pid>/task/<thread>`; 0 for one that has ended. */
export const cpuOf = (path: string | number): number => {
  const stat = statOf(path);
  return (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) / ticksPerSecond;
};

/** Seconds of CPU that a PostgreSQL has used: postmaster and children, including those that have ended. */
export const cpuOfServer = (pid: number): number => {
  const stat = statOf(pid);
  const ended = (Number(stat[13] ?? 0) + Number(stat[14] ?? 0)) / ticksPerSecond;
  return familyOf(pid).reduce((sum, each) => sum + cpuOf(each), ended);
};

/** A process and its descendants. */
export const familyOf = (pid: number): ReadonlyArray<number> => {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(statOf(name)[1])] as const);
  const family = [pid];
  for (const member of family) {
    family.push(...parents.flatMap(([child, parent]) => (parent === member ? [child] : [])));
  }
  return family;
};

/** MiB of a line of a file of /proc, such as VmRSS (now) or VmHWM (at its peak) of `status`. */
export const mebibytesOf = (pid: number, line: string, file = "status"): number => {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
    return Number(new RegExp(`^${line}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) / 1024;
  } catch {
    // The process has ended.
    return 0;
  }
};
