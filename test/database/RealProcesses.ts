import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { clusterName, processesOf } from "../../src/database/embedded/PostgresProcesses.ts";

/** A started process and what it has said so far. */
export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when the text has been said; rejects with all that was said when the process ends first. */
  readonly says: (text: string) => Promise<void>;
  /** Sends the signal, if any, and resolves with the exit code (or the signal's name) when the process is gone. */
  readonly ends: (signal?: NodeJS.Signals) => Promise<number | string>;
}

/** Where a process that is started again finds what was compiled. */
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
    says: async (what) => {
      let hasEnded = false;
      void ended.then(() => (hasEnded = true));
      const patience = { timeout: 500_000, interval: 20 };
      await vi.waitUntil(() => text.includes(what) || hasEnded, patience).catch(() => undefined);
      if (!text.includes(what)) throw new Error(`The process has not said "${what}", but:\n${text}`);
    },
    ends: async (signal) => {
      if (signal !== undefined) child.kill(signal);
      await ended;
      return child.exitCode ?? child.signalCode ?? "";
    },
  };
};

/** Starts the process of DatabaseProcess.ts on a data directory; `uid` and `gid` give up root for another account. */
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

/** Ends whatever a failed test left running. */
export const endAll = (): void => {
  for (const child of started)
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  started.clear();
};

/** The pid of the running PostgreSQL in a data directory, as PostgreSQL wrote it down. */
export const postmasterOf = async (dataDir: string): Promise<number> =>
  Number((await readFile(`${dataDir}/postgres/postmaster.pid`, "utf8")).split("\n")[0]);

/** Resolves when no process of that data directory's PostgreSQL is left. */
export const assertNoPostgresLeft = (dataDir: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const left = await processesOf(await clusterName(`${dataDir}/postgres`));
      if (left.length > 0) throw new Error(`Still running: ${left.map((one) => one.pid).join(", ")}`);
    },
    { timeout: 500_000, interval: 25 },
  );

/** Kills the shell that would stop PostgreSQL after its Waypost was killed, as a power cut of both would. */
export const killGuardOf = async (postmaster: number): Promise<void> => {
  const listing = await new Promise<string>((resolve) => {
    execFile("ps", ["-axo", "pid=,command="], (_, text) => resolve(text));
  });
  const row = listing
    .split("\n")
    .find((line) => line.includes("read -r line") && line.endsWith(` ${postmaster}`));
  if (row === undefined) throw new Error("There is no guard to kill.");
  process.kill(Number.parseInt(row, 10), "SIGKILL");
};
