/** A release: its version, commit and time. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** The values that every part of a release shares. */
export interface Release {
  /** Root of the repository. */
  readonly root: string;
  readonly version: string;
  readonly commit: string;
  /** The time of all files: `SOURCE_DATE_EPOCH`, else that of the commit. */
  readonly time: Date;
  /** For tests: the files are larger, and the build takes a third of the time. */
  readonly isQuick: boolean;
}

/** The release of a clone. */
export const releaseOf = (root: string, isQuick = false): Release => {
  const git = (...parameters: ReadonlyArray<string>): string =>
    execFileSync("git", ["-C", root, ...parameters], { encoding: "utf8" }).trim();
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const seconds = process.env["SOURCE_DATE_EPOCH"] ?? git("log", "-1", "--format=%ct");
  return { root, version, commit: git("rev-parse", "HEAD"), time: new Date(Number(seconds) * 1000), isQuick };
};
