import { Context } from "effect";
import { fileURLToPath } from "node:url";
import { mediaWorkerCommand } from "./MediaJob.ts";

/** A program and its arguments. */
export interface Program {
  readonly command: string;
  readonly parameters: ReadonlyArray<string>;
}

/** This program again, by its launcher, with an argument of its own. */
const itself = (): Program => ({
  command: process.execPath,
  parameters: [fileURLToPath(new URL("../../../bin/waypost.js", import.meta.url)), mediaWorkerCommand],
});

/** The executable again; it is told where the libraries are that it carried. */
export const bundledMediaWorker = (runtime: string): Program => ({
  command: process.execPath,
  parameters: [mediaWorkerCommand, runtime],
});

/** What is started as the child that looks into media files. */
export const MediaWorkerProgram = Context.Reference<Program>("waypost/media/MediaWorkerProgram", {
  defaultValue: itself,
});
