import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { prepareData } from "../database/embedded/PreparedData.ts";
import { databaseParent } from "../TestFolder.ts";

const launcher = fileURLToPath(new URL("../../bin/waypost.js", import.meta.url));

/** The output and exit code of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A data directory, and processes of `waypost` that use it. */
export class CliProcess {
  readonly dataDir: string;
  /** The program and its first parameters. */
  readonly #program: readonly [string, ...Array<string>];
  readonly #running = new Set<ChildProcess>();

  constructor(dataDir: string, program = launcher) {
    this.dataDir = dataDir;
    this.#program = program.endsWith(".js") ? [process.execPath, program] : [program];
  }

  /** With an empty data directory. `program` is the launcher or executable of another version. */
  static async make(program?: string): Promise<CliProcess> {
    return new CliProcess(await mkdtemp(join(databaseParent, "waypost-cli-")), program);
  }

  /** With a migrated database in the data directory, so that `serve` starts quickly. */
  static async prepared(): Promise<CliProcess> {
    const made = await CliProcess.make();
    await prepareData(made.dataDir);
    return made;
  }

  #environment(variables: Readonly<Record<string, string>>) {
    return {
      PATH: process.env["PATH"],
      WAYPOST_DATA_DIR: this.dataDir,
      PORT: "0",
      // The same number of processes on every machine.
      WAYPOST_PROCESSES: "1",
      ...variables,
    };
  }

  /** Runs a command to its end. */
  readonly run = (
    parameters: ReadonlyArray<string>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Ended> =>
    new Promise((resolve) => {
      const [program, ...first] = this.#program;
      const child = execFile(
        program,
        [...first, ...parameters],
        { env: this.#environment(variables), timeout: 500_000 },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  /** Starts `serve` and waits until it listens. */
  readonly serve = async (
    variables: Readonly<Record<string, string>> = {},
    parameters: ReadonlyArray<string> = [],
  ) => {
    const [program, ...first] = this.#program;
    const child = spawn(program, [...first, "serve", ...parameters], {
      env: this.#environment(variables),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.add(child);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const closed = once(child, "close");
    const origin = await vi.waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`It exited with ${child.exitCode}:\n${stdout}${stderr}`);
        return /^Waypost is listening on (http:\S+)\n$/.exec(stdout)?.[1];
      },
      { timeout: 500_000, interval: 20 },
    );
    return {
      child,
      origin,
      /** Its output to stderr. */
      log: (): string => stderr,
      ends: async (signal: NodeJS.Signals): Promise<Ended> => {
        child.kill(signal);
        await closed;
        return { code: child.exitCode, stdout, stderr };
      },
    };
  };

  /** The operator key that `serve` generated. */
  readonly operatorKey = async (): Promise<string> =>
    (await readFile(join(this.dataDir, "operator.key"), "utf8")).trim();

  /** Stops remaining processes and removes the data directory. */
  readonly dispose = async (): Promise<void> => {
    for (const child of this.#running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "close");
    }
    await rm(this.dataDir, { recursive: true, force: true });
  };
}
