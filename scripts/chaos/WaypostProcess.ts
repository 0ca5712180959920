import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";

const launcher = new URL("../../bin/waypost.js", import.meta.url).pathname;

/** A process of Waypost. */
export interface WaypostProcess {
  readonly child: ChildProcess;
  /** The address it listens on; null until it does. */
  readonly origin: () => string | null;
  /** Sends a signal and waits until the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts `waypost serve` with these settings, and its output in a file. */
export const startWaypost = (settings: Readonly<Record<string, string>>, log: string): WaypostProcess => {
  const out = openSync(log, "a");
  const env = {
    PATH: process.env["PATH"] ?? "",
    NODE_ENV: "production",
    PORT: "0",
    WAYPOST_PROCESSES: "1",
    ...settings,
  };
  const child = spawn(process.execPath, [launcher, "serve"], { env, stdio: ["ignore", out, out] });
  closeSync(out);
  const exit = once(child, "exit");
  let origin: string | null = null;
  return {
    child,
    origin: () => (origin ??= /listening on (\S+)/.exec(readFileSync(log, "utf8"))?.[1] ?? null),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exit;
    },
  };
};
