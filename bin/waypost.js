#!/usr/bin/env node
// Starts the program in src/. It needs Node 24, which `npm ci` brings along for a machine whose own Node is older; that one only
// finds the right one and stands in for it: same arguments, same streams, same signals, same end.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const oldest = 24;

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  if (process.env.WAYPOST_BEHIND_LAUNCHER !== undefined && process.channel) {
    delete process.env.WAYPOST_BEHIND_LAUNCHER;
    // Behind an older Node: were that killed with kill -9, nobody would pass signals on any more, so end the same way.
    process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
    process.channel.unref();
  }
  // Compiled once, the program starts in half the time; where nothing can be kept, it just starts.
  nodeModule.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/waypost", import.meta.url)));
  // The child that looks into media files is this program too, but needs next to nothing of it.
  if (process.argv[2] === "media-worker") await import("../src/media/worker/MediaWorker.ts");
  else await import("../src/main.ts");
} else {
  const node = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (!existsSync(node)) {
    process.stderr.write(
      `Waypost needs Node ${oldest} or newer; this is Node ${process.versions.node}, and there is no newer one in node_modules.\n` +
        `Run npm ci (without --omit=optional), or install Node ${oldest}.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, WAYPOST_BEHIND_LAUNCHER: "1" },
  });
  const passed = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  for (const name of passed) process.on(name, () => child.kill(name));
  child.on("error", (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, name) => {
    if (name === null) process.exit(code ?? 1);
    for (const each of passed) process.removeAllListeners(each);
    process.kill(process.pid, name);
  });
}
