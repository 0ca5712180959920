import { Effect, type Scope } from "effect";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DemoFailed, failed } from "./DemoFailed.ts";

/** A running server: its address (scheme, host and port) and its operator key. */
export interface TemporaryWaypost {
  readonly origin: string;
  readonly operatorKey: string;
}

const startTimeout = "60 seconds";
const stopTimeout = "15 seconds";
const maxOutputChars = 4_000;

/** Variables that the server inherits. It must not inherit settings of another Waypost. */
const inheritedVariables = ["PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT"];

const start = (command: ReadonlyArray<string>, dataDir: string, operatorKey: string) => {
  const [program = "", ...parameters] = command;
  const child = spawn(program, [...parameters, "serve"], {
    cwd: dataDir,
    env: {
      ...Object.fromEntries(
        inheritedVariables.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
      ),
      PORT: "0",
      WAYPOST_PROCESSES: "1",
      WAYPOST_HOST: "127.0.0.1",
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_OPERATOR_KEY: operatorKey,
      WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
      WAYPOST_LOG_LEVEL: "warn",
      // With this, the launcher ends the server if this process is killed: the IPC channel closes.
      WAYPOST_BEHIND_LAUNCHER: "1",
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  let errors = "";
  const exited = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  // The listen address. Rejects with the output of a process that ended.
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-maxOutputChars);
      const origin = /Waypost is listening on (\S+)/.exec(output)?.[1];
      if (origin !== undefined) resolve(origin);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-maxOutputChars);
    });
    child.once("error", (error) => reject(error));
    child.once("close", () => reject(new Error(errors.trim() || output.trim() || "it ended without output")));
  });
  listening.catch(() => undefined);
  return { child, exited, listening };
};

const stop = ({ child, exited }: ReturnType<typeof start>): Effect.Effect<void> =>
  Effect.suspend(() => {
    child.kill("SIGTERM");
    return Effect.timeoutOrElse(
      Effect.promise(() => exited),
      {
        duration: stopTimeout,
        orElse: () =>
          Effect.andThen(
            Effect.sync(() => child.kill("SIGKILL")),
            Effect.promise(() => exited),
          ),
      },
    );
  });

/**
 * Runs `<command> serve` until the scope closes, on a free port, with its own database and operator key. Then
 * the process and all files are removed.
 */
export const temporaryWaypost = (
  command: ReadonlyArray<string>,
): Effect.Effect<TemporaryWaypost, DemoFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDir = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => mkdtemp(join(tmpdir(), "waypost-demo-")),
        catch: (error) =>
          failed(
            `Temporary files cannot be created: ${String(error)}. ` +
              "Set TMPDIR to a folder that this account may write, on a file system that can run programs.",
          ),
      }),
      (path) =>
        Effect.promise(() =>
          rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined),
        ),
    );
    const operatorKey = randomBytes(24).toString("base64url");
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => start(command, dataDir, operatorKey)),
      stop,
    );
    const origin = yield* Effect.tryPromise({
      try: () => server.listening,
      catch: (error) => failed(`Waypost did not start: ${String(error)}`),
    }).pipe(
      Effect.timeoutOrElse({
        duration: startTimeout,
        orElse: () => Effect.fail(failed(`Waypost did not start within ${startTimeout}.`)),
      }),
    );
    return { origin, operatorKey };
  });
