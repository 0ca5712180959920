import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";

/** Starts a program that says where it listens, and gives its address; it is stopped when the scope closes. */
export const started = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>>, log: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly child: ChildProcess; readonly origin: string }>((resolve, reject) => {
          // To a file: a pipe that this process reads would cost both.
          const out = openSync(log, "a");
          const child = spawn(process.execPath, command, { env, stdio: ["ignore", out, out] });
          const look = setInterval(() => {
            const origin = /listening on (\S+)/.exec(readFileSync(log, "utf8"))?.[1];
            if (origin === undefined) return;
            clearInterval(look);
            resolve({ child, origin });
          }, 20);
          child.once("exit", (code) => {
            clearInterval(look);
            reject(new Error(`${command[0]} ended with ${code}: see ${log}`));
          });
        }),
    ),
    ({ child }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            child.once("exit", () => resolve());
            child.kill("SIGTERM");
          }),
      ),
  );

/** The middle one of the values; of an even number the higher of the two. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
