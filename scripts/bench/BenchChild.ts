import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";

/**
 * Starts a program that prints the address it listens on, and returns that. Stops it when the scope closes.
 */
export const started = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>>, log: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly child: ChildProcess; readonly origin: string }>((resolve, reject) => {
          // A file, because reading a pipe would cost both processes CPU.
          const out = openSync(log, "a");
          const child = spawn(process.execPath, command, { env, stdio: ["ignore", out, out] });
          const poll = setInterval(() => {
            const origin = /listening on (\S+)/.exec(readFileSync(log, "utf8"))?.[1];
            if (origin === undefined) return;
            clearInterval(poll);
            resolve({ child, origin });
          }, 20);
          child.once("exit", (code) => {
            clearInterval(poll);
            reject(new Error(`${command[0]} ended with ${code}: see ${log}`));
          });
        }),
    ),
    ({ child }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            // A process that has ended already, as after Ctrl-C, emits no more "exit".
            if (child.exitCode !== null || child.signalCode !== null) {
              resolve();
              return;
            }
            child.once("exit", () => resolve());
            child.kill("SIGTERM");
          }),
      ),
  );

/** The median; of an even number of values the higher of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const ticksPerSecond = 100;

const statOf = (pid: number): ReadonlyArray<string> => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
};

/** Seconds of CPU, user and system, that a process has used; 0 for one that has ended. */
export const cpuOf = (pid: number): number => {
  const stat = statOf(pid);
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
    .map((name) => [Number(name), Number(statOf(Number(name))[1])] as const);
  const family = [pid];
  for (const member of family) {
    family.push(...parents.flatMap(([child, parent]) => (parent === member ? [child] : [])));
  }
  return family;
};
