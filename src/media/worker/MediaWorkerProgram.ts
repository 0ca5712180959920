import { Context } from "effect";
import { fileURLToPath } from "node:url";
import { mediaWorkerCommand } from "./MediaJob.ts";

/** A program and its arguments. */
export interface Program {
  readonly command: string;
  readonly parameters: ReadonlyArray<string>;
}

/** The executable itself; `runtime` is the folder of its unpacked libraries. */
export const bundledMediaWorker = (runtime: string): Program => ({
  command: process.execPath,
  parameters: [mediaWorkerCommand, runtime],
});

/** The program that runs as a media worker: by default this one, through its launcher. */
export const MediaWorkerProgram = Context.Reference<Program>("waypost/media/MediaWorkerProgram", {
  defaultValue: () => ({
    command: process.execPath,
    parameters: [fileURLToPath(new URL("../../../bin/waypost.js", import.meta.url)), mediaWorkerCommand],
  }),
});
