import { Effect } from "effect";
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scopedFolder } from "../Listening.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const fixtures = "test/upgrades/fixtures";

/** The releases, which each have a fixture. */
export const releases = readdirSync(join(root, fixtures))
  .filter((name) => name.endsWith(".tar.gz"))
  .map((name) => name.replace(".tar.gz", ""));

/** Runs a command of Git that only reads. Returns null where it fails. */
const git = (...parameters: ReadonlyArray<string>): Buffer | null => {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", parameters, { cwd: root, stdio: [...stdio], maxBuffer: 2 ** 28 });
  } catch {
    return null;
  }
};

/**
 * The commit of a release: the one that added its fixture. Null without Git, and in a shallow clone, whose
 * first commit seems to have added everything.
 */
export const releaseCommit = (version: string): string | null => {
  const path = `${fixtures}/${version}.tar.gz`;
  const [commit = "", parent = ""] =
    git("log", "-1", "--format=%H %P", "--", path)?.toString().trim().split(" ") ?? [];
  if (commit !== "" && parent !== "") return commit;
  console.warn(`The program of ${version} is not run: the history has no commit of its fixture.`);
  return null;
};

/** The program at a commit, with the dependencies of today: its launcher and its number of migrations. */
export const releasedProgram = (commit: string) =>
  Effect.map(scopedFolder("released"), (folder) => {
    const archive = git("archive", commit, "bin", "schema", "src", "package.json");
    if (archive === null) throw new Error(`Git has no files of ${commit}.`);
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    // The media worker of a program that root started reads it by another account.
    chmodSync(folder, 0o755);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const migrations = readdirSync(join(folder, "schema")).filter((name) => name.endsWith(".sql")).length;
    return { launcher: join(folder, "bin/waypost.js"), migrations };
  });
