import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";

const main = new URL("../../src/main.ts", import.meta.url).pathname;

/** A process of Waypost. */
export interface WaypostProcess {
  readonly child: ChildProcess;
  /** Where it listens; null until it does. */
  readonly origin: () => string | null;
  /** Sends the signal and waits until the process is gone. */
  readonly ends: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts `waypost serve` with these settings; what it says goes into the file. */
export const startWaypost = (settings: Readonly<Record<string, string>>, log: string): WaypostProcess => {
  const out = openSync(log, "a");
  const env = { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", PORT: "0", ...settings };
  const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", out, out] });
  closeSync(out);
  const gone = once(child, "exit");
  let origin: string | null = null;
  return {
    child,
    origin: () => (origin ??= /listening on (\S+)/.exec(readFileSync(log, "utf8"))?.[1] ?? null),
    ends: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await gone;
    },
  };
};
