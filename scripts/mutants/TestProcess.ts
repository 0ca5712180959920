import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import type { TestAnswer, TestOrder } from "./TestRunner.ts";

/** The result of a run: a failure, or none, or no result within the time. */
export type TestResult = TestAnswer | "timeout";

/**
 * Runs tests in a copy of the checkout. A run that hangs ends with its processes, and the next one starts
 * others.
 */
export class TestProcess {
  readonly #folder: string;
  readonly #temporary: string;
  #child: ChildProcess | null = null;
  /** Files that were changed for the last run, and may have been restored since. */
  #changed: ReadonlyArray<string> = [];

  /** The copy, and a folder for temporary files of tests. */
  constructor(folder: string, temporary: string) {
    this.#folder = folder;
    this.#temporary = temporary;
  }

  async run(order: TestOrder, timeoutMillis: number): Promise<TestResult> {
    const child = (this.#child ??= await this.#start());
    const changed = [...new Set([...order.changed, ...this.#changed])];
    this.#changed = order.changed;
    const result = await new Promise<TestResult>((resolve) => {
      const timer = setTimeout(() => resolve("timeout"), timeoutMillis);
      const end = (answer: TestResult): void => {
        clearTimeout(timer);
        child.off("message", onMessage).off("exit", onExit);
        resolve(answer);
      };
      const onMessage = (answer: unknown): void => end(answer as TestAnswer);
      const onExit = (): void => end({ failure: "the test process ended" });
      child.on("message", onMessage).on("exit", onExit);
      child.send({ ...order, changed });
    });
    if (result === "timeout" || child.exitCode !== null) this.kill();
    return result;
  }

  /** Ends the process and the workers that it has started. */
  kill(): void {
    const pid = this.#child?.pid;
    this.#child = null;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }

  /** Ends the process in order, so that it stops its database. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exit = once(child, "exit");
    child.disconnect();
    await exit;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(this.#folder, "scripts/mutants/TestRunner.ts"), {
      cwd: this.#folder,
      // A group of its own, which can be ended as a whole.
      detached: true,
      env: { ...process.env, TMPDIR: this.#temporary },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await once(child, "message");
    return child;
  }
}
