/** What systemd is told, where a unit of `Type=notify` started Waypost. */
import { Effect } from "effect";
import { execFile } from "node:child_process";
import type { SettingsRecord } from "../config/Settings.ts";

const patience = 10_000;

/**
 * Tells systemd that requests are taken, where it waits to be told (`NOTIFY_SOCKET`), by its own `systemd-notify`: Node cannot
 * write to a socket of that kind. Where that fails the log says so, and why the unit does not come up.
 */
export const tellReady = (record: SettingsRecord): Effect.Effect<void> => {
  const socket = record["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return Effect.void;
  return Effect.callback<string | null>((resume) => {
    const env = { PATH: record["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
    const child = execFile("systemd-notify", ["--ready"], { env, timeout: patience }, (error, _, stderr) =>
      resume(Effect.succeed(error === null ? null : stderr.trim() || error.message)),
    );
    return Effect.sync(() => child.kill());
  }).pipe(
    Effect.flatMap((problem) =>
      problem === null
        ? Effect.void
        : Effect.logWarning(
            `systemd could not be told that Waypost is ready, and may take it for one that does not start: ${problem}. ` +
              "The unit needs NotifyAccess=all, and the program systemd-notify; else make it Type=simple.",
          ),
    ),
  );
};
