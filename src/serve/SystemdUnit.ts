/** Readiness for a systemd unit of `Type=notify`. */
import { Effect } from "effect";
import { execFile } from "node:child_process";
import type { SettingsRecord } from "../config/Settings.ts";

const timeoutMillis = 10_000;

/**
 * Notifies systemd that Waypost is ready, if `NOTIFY_SOCKET` is set. It runs `systemd-notify`, because Node
 * cannot write to a socket of that kind. A failure is logged, with the reason why the unit does not become
 * active.
 */
export const notifyReady = (record: SettingsRecord): Effect.Effect<void> => {
  const socket = record["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return Effect.void;
  return Effect.callback<string | null>((resume) => {
    const env = { PATH: record["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
    const options = { env, timeout: timeoutMillis };
    const child = execFile("systemd-notify", ["--ready"], options, (error, _, stderr) =>
      resume(Effect.succeed(error === null ? null : stderr.trim() || error.message)),
    );
    return Effect.sync(() => child.kill());
  }).pipe(
    Effect.flatMap((problem) =>
      problem === null
        ? Effect.void
        : Effect.logWarning(
            `systemd could not be notified that Waypost is ready: ${problem}. ` +
              "The unit needs NotifyAccess=all and the program systemd-notify, or Type=simple.",
          ),
    ),
  );
};
