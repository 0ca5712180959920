import { Context } from "effect";
import { fileURLToPath } from "node:url";
import { mediaChildCommand } from "./MediaJob.ts";

/** A program and its arguments. */
export interface Program {
  readonly command: string;
  readonly parameters: ReadonlyArray<string>;
}

/** This program again, by its launcher, with an argument of its own. */
const itself = (): Program => ({
  command: process.execPath,
  parameters: [fileURLToPath(new URL("../../../bin/waypost.js", import.meta.url)), mediaChildCommand],
});

/** The executable again; it is told where the libraries are that it carried. */
export const carriedChild = (runtime: string): Program => ({
  command: process.execPath,
  parameters: [mediaChildCommand, runtime],
});

/** What is started as the child that looks into media files. */
export const MediaChildProgram = Context.Reference<Program>("waypost/media/MediaChildProgram", {
  defaultValue: itself,
});
