/** A whole Waypost for the length of the demo: a child process on a data directory that goes with it. */
import { Effect, type Scope } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DemoFailed } from "./DemoFailed.ts";

/** Where it listens (scheme, host and port) and the key of its operator interface. */
export interface TemporaryWaypost {
  readonly origin: string;
  readonly operatorKey: string;
}

const startPatience = "60 seconds";
const stopPatience = "15 seconds";
const keptOutput = 4_000;

/** Only what a program needs to run: settings of the person's own Waypost must not reach this one. */
const inherited = ["PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT"];

interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  /** Resolves with the address it listens on, or rejects with what it said before it ended. */
  readonly listening: Promise<string>;
}

const start = (command: ReadonlyArray<string>, dataDir: string, operatorKey: string): Run => {
  const [program = "", ...parameters] = command;
  const child = spawn(program, [...parameters, "serve"], {
    cwd: dataDir,
    env: {
      ...Object.fromEntries(
        inherited.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
      ),
      PORT: "0",
      WAYPOST_HOST: "127.0.0.1",
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_OPERATOR_KEY: operatorKey,
      WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
      WAYPOST_LOG_LEVEL: "warn",
      // The launcher ends it when this process is killed, which the channel tells.
      WAYPOST_BEHIND_LAUNCHER: "1",
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  let complaint = "";
  const exited = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-keptOutput);
      const origin = /Waypost is listening on (\S+)/.exec(output)?.[1];
      if (origin !== undefined) resolve(origin);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-keptOutput);
    });
    child.once("error", (error) => reject(error));
    child.once("close", () =>
      reject(new Error(complaint.trim() || output.trim() || "it ended without a word")),
    );
  });
  listening.catch(() => undefined);
  return { child, exited, listening };
};

const stop = ({ child, exited }: Run): Effect.Effect<void> =>
  Effect.suspend(() => {
    child.kill("SIGTERM");
    return Effect.timeoutOrElse(
      Effect.promise(() => exited),
      {
        duration: stopPatience,
        orElse: () =>
          Effect.andThen(
            Effect.sync(() => child.kill("SIGKILL")),
            Effect.promise(() => exited),
          ),
      },
    );
  });

/**
 * Runs `<command> serve` on a free port with its own database and key until the scope closes, and then leaves nothing
 * behind: neither process nor file.
 */
export const temporaryWaypost = (
  command: ReadonlyArray<string>,
): Effect.Effect<TemporaryWaypost, DemoFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDir = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => mkdtemp(join(tmpdir(), "waypost-demo-")),
        catch: (error) =>
          new DemoFailed({
            message:
              `There is no place for temporary files: ${String(error)}. ` +
              "Set TMPDIR to a folder that this account may write, on a file system that allows programs.",
          }),
      }),
      (path) =>
        Effect.promise(() =>
          rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined),
        ),
    );
    const operatorKey = randomBytes(24).toString("base64url");
    const run = yield* Effect.acquireRelease(
      Effect.sync(() => start(command, dataDir, operatorKey)),
      stop,
    );
    const origin = yield* Effect.tryPromise({
      try: () => run.listening,
      catch: (error) => new DemoFailed({ message: `Waypost did not start: ${String(error)}` }),
    }).pipe(
      Effect.timeoutOrElse({
        duration: startPatience,
        orElse: () =>
          Effect.fail(new DemoFailed({ message: `Waypost did not start within ${startPatience}.` })),
      }),
    );
    return { origin, operatorKey };
  });
