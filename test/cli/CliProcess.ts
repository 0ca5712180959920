import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { prepareData } from "../database/embedded/PreparedData.ts";

const launcher = fileURLToPath(new URL("../../bin/waypost.js", import.meta.url));

/** What a command said and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A data directory of its own and the commands given beside it. */
export class CliProcess {
  readonly dataDir: string;
  /** What comes before the command. */
  readonly #program: readonly [string, ...Array<string>];
  readonly #running = new Set<ChildProcess>();

  constructor(dataDir: string, of = launcher) {
    this.dataDir = dataDir;
    this.#program = of.endsWith(".js") ? [process.execPath, of] : [of];
  }

  /** With nothing in the data directory; of this version of the program, or of the one whose launcher or executable is named. */
  static async make(of?: string): Promise<CliProcess> {
    return new CliProcess(await mkdtemp(join(tmpdir(), "waypost-cli-")), of);
  }

  /** With the database in the data directory already, so that `serve` begins at once. */
  static async prepared(): Promise<CliProcess> {
    const made = await CliProcess.make();
    await prepareData(made.dataDir);
    return made;
  }

  #environment(more: Readonly<Record<string, string>>) {
    return { PATH: process.env["PATH"], WAYPOST_DATA_DIR: this.dataDir, PORT: "0", ...more };
  }

  /** Gives a command and waits for its end. */
  readonly run = (
    parameters: ReadonlyArray<string>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Ended> =>
    new Promise((resolve) => {
      const [program, ...first] = this.#program;
      const child = execFile(
        program,
        [...first, ...parameters],
        { env: this.#environment(more), timeout: 500_000 },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  /** Runs `serve` until it listens. */
  readonly serve = async (
    more: Readonly<Record<string, string>> = {},
    parameters: ReadonlyArray<string> = [],
  ) => {
    const [program, ...first] = this.#program;
    const child = spawn(program, [...first, "serve", ...parameters], {
      env: this.#environment(more),
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
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${stdout}${stderr}`);
        return /^Waypost is listening on (http:\S+)\n$/.exec(stdout)?.[1];
      },
      { timeout: 500_000, interval: 20 },
    );
    return {
      child,
      origin,
      ends: async (signal: NodeJS.Signals): Promise<Ended> => {
        child.kill(signal);
        await closed;
        return { code: child.exitCode, stdout, stderr };
      },
    };
  };

  /** The operator key as `serve` keeps it. */
  readonly operatorKey = async (): Promise<string> =>
    (await readFile(join(this.dataDir, "operator.key"), "utf8")).trim();

  /** Ends what a failed test left running and removes the data. */
  readonly dispose = async (): Promise<void> => {
    for (const child of this.#running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "close");
    }
    await rm(this.dataDir, { recursive: true, force: true });
  };
}
