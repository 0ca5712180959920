import { Worker } from "node:worker_threads";
import { bundledText } from "../database/embedded/BundledRuntime.ts";

/** A thread that runs a file of this project. */
export interface ThreadProgram {
  readonly name: string;
  /** The file in a source tree. The executable has it as an asset: a thread cannot run its own program. */
  readonly file: URL;
  /** The maximum heap of the thread, in MiB. */
  readonly heapMegabytes: number;
}

/** The asset of the executable that holds the program of a thread. */
export const threadAsset = (name: string): string => `${name}-worker.cjs`;

/** Starts a thread. It does not keep the process running. */
export const startThread = ({ file, heapMegabytes, name }: ThreadProgram): Worker => {
  const program = bundledText(threadAsset(name));
  const options = {
    // No settings and keys of the process; no options that a test runner added to it.
    env: {},
    execArgv: [],
    name,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 32 },
  };
  const worker =
    program === undefined ? new Worker(file, options) : new Worker(program, { ...options, eval: true });
  worker.unref();
  return worker;
};
