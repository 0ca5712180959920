import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { clusterName, processesOf } from "../../src/database/embedded/PostgresProcesses.ts";

/** A started process and its output. */
export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when the output has the text. Rejects with the output if the process ends first. */
  readonly says: (text: string) => Promise<void>;
  /** Sends the signal, if any, and resolves with the exit code or signal when the process has ended. */
  readonly ends: (signal?: NodeJS.Signals) => Promise<number | string>;
}

/** Compiled code for processes that are started again. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/waypost-tests", import.meta.url));

const started = new Set<ChildProcess>();

const watch = (child: ChildProcess): Started => {
  let text = "";
  started.add(child);
  const ended = once(child, "close");
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    output: () => text,
    says: async (expected) => {
      let hasEnded = false;
      void ended.then(() => (hasEnded = true));
      const limits = { timeout: 500_000, interval: 20 };
      await vi.waitUntil(() => text.includes(expected) || hasEnded, limits).catch(() => undefined);
      if (!text.includes(expected)) throw new Error(`The output lacks "${expected}":\n${text}`);
    },
    ends: async (signal) => {
      if (signal !== undefined) child.kill(signal);
      await ended;
      return child.exitCode ?? child.signalCode ?? "";
    },
  };
};

/** Starts DatabaseProcess.ts on a data directory, as the account `uid` and `gid` if given. */
export const startDatabaseProcess = (
  dataDir: string,
  { env, ...ids }: { readonly uid?: number; readonly gid?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Started =>
  watch(
    spawn(process.execPath, [fileURLToPath(new URL("embedded/DatabaseProcess.ts", import.meta.url))], {
      ...ids,
      cwd: "/",
      env: { WAYPOST_DATA_DIR: dataDir, NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );

/** Kills the processes that a failed test left running. */
export const endAll = (): void => {
  for (const child of started)
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  started.clear();
};

/** The pid of the PostgreSQL in a data directory, from its postmaster.pid. */
export const postmasterOf = async (dataDir: string): Promise<number> =>
  Number((await readFile(`${dataDir}/postgres/postmaster.pid`, "utf8")).split("\n")[0]);

/** Resolves when no PostgreSQL process of the data directory is left. */
export const assertNoPostgresLeft = (dataDir: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const left = await processesOf(await clusterName(`${dataDir}/postgres`));
      if (left.length > 0) throw new Error(`Still running: ${left.map((one) => one.pid).join(", ")}`);
    },
    { timeout: 500_000, interval: 25 },
  );

/** Kills the watchdog that would stop PostgreSQL after Waypost is killed. */
export const killWatchdogOf = async (postmaster: number): Promise<void> => {
  const listing = await new Promise<string>((resolve) => {
    execFile("ps", ["-axo", "pid=,command="], (_, text) => resolve(text));
  });
  const row = listing
    .split("\n")
    .find((line) => line.includes("read -r line") && line.endsWith(` ${postmaster}`));
  if (row === undefined) throw new Error("There is no watchdog to kill.");
  process.kill(Number.parseInt(row, 10), "SIGKILL");
};
