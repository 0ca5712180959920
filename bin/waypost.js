#!/usr/bin/env node
// Starts the program in src/ on Node 24, which `npm ci` installs. Under an older Node, this file runs the
// program in a child process and passes arguments, streams, signals and the exit code on.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const minNode = 24;
// Bound the young generation, and keep what a request creates in it (docs/benchmarks.md).
const memoryOptions = ["--max-semi-space-size=16", "--no-allocation-site-pretenuring"];

if (Number.parseInt(process.versions.node, 10) >= minNode) {
  if (process.env.WAYPOST_BEHIND_LAUNCHER !== undefined && process.channel) {
    delete process.env.WAYPOST_BEHIND_LAUNCHER;
    // If the launcher is killed with kill -9, no signals arrive any more: end in the same way.
    process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
    process.channel.unref();
  }
  // V8 takes them at its start, so this process becomes one with those that it lacks.
  const given = [...process.execArgv, process.env.NODE_OPTIONS].join(" ");
  const missing = memoryOptions.filter((option) => !given.includes(option.split("=")[0]));
  if (process.argv[2] === "serve" && missing.length > 0 && !process.channel)
    process.execve?.(
      process.execPath,
      [process.execPath, ...missing, ...process.execArgv, ...process.argv.slice(1)],
      process.env,
    );
  // Halves the start time. Without a writable cache the program still starts.
  nodeModule.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/waypost", import.meta.url)));
  // The media worker is this program too, but needs only a small part of it.
  if (process.argv[2] === "media-worker") await import("../src/media/worker/MediaWorker.ts");
  else await import("../src/main.ts");
} else {
  const node = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (!existsSync(node)) {
    process.stderr.write(
      `Waypost needs Node ${minNode} or newer. This is Node ${process.versions.node}, ` +
        "and node_modules has no newer one.\n" +
        `Run npm ci (without --omit=optional), or install Node ${minNode}.\n`,
    );
    process.exit(1);
  }
  const parameters = [...memoryOptions, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, parameters, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, WAYPOST_BEHIND_LAUNCHER: "1" },
  });
  const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  for (const name of forwarded) process.on(name, () => child.kill(name));
  child.on("error", (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, name) => {
    if (name === null) process.exit(code ?? 1);
    for (const each of forwarded) process.removeAllListeners(each);
    process.kill(process.pid, name);
  });
}
