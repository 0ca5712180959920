import { Context } from "effect";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { mediaChildCommand } from "./MediaJob.ts";

/** A program and its arguments. */
export interface Program {
  readonly command: string;
  readonly parameters: ReadonlyArray<string>;
}

/** This program again, with an argument of its own: by its launcher, or as the executable that holds all of it. */
const itself = (): Program => ({
  command: process.execPath,
  parameters: isSea()
    ? [mediaChildCommand]
    : [fileURLToPath(new URL("../../bin/waypost.js", import.meta.url)), mediaChildCommand],
});

/** What is started as the child that looks into media files. */
export const MediaChildProgram = Context.Reference<Program>("waypost/media/MediaChildProgram", {
  defaultValue: itself,
});
