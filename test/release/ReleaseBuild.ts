/** A release that is built once for all tests of a file, and the tools that read it. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const root = join(import.meta.dirname, "../..");

/** Whether the release is the real one, in full size and from two clones. It takes minutes. */
export const isFull = process.env["WAYPOST_TEST_RELEASE"] !== undefined;

/** The tools that build a release. */
export const builders = [
  "apt-get",
  "dpkg-deb",
  "git",
  ...(isFull ? ["strip", "aarch64-linux-gnu-strip"] : []),
];

/** The reason to skip a test: what this machine lacks; undefined if it has all. */
export const missing = (...tools: ReadonlyArray<string>): string | undefined => {
  if (process.geteuid?.() !== 0) return "it needs root";
  const lacking = tools.filter((tool) => spawnSync("which", [tool]).status !== 0);
  if (lacking.length > 0) return `${lacking.join(", ")} missing`;
  const offers = ["download", "--print-uris", "base-files"];
  return tools.includes("apt-get") && spawnSync("apt-get", offers).status !== 0
    ? "apt-get update has not run"
    : undefined;
};

/** Runs a program to its end and returns its output. */
export const output = (program: string, ...parameters: ReadonlyArray<string>): string =>
  execFileSync(program, parameters, { encoding: "utf8", maxBuffer: 1e9, stdio: ["ignore", "pipe", "pipe"] });

/** A folder for a test, which all accounts may enter. */
export const folderFor = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `waypost-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
};

/** A built release: its clone, the folder of its files, and their sums. */
export interface BuiltRelease {
  readonly clone: string;
  readonly folder: string;
  readonly file: (pattern: RegExp) => string;
  readonly sums: string;
}

/**
 * Clones the commit that is checked out in `source`, and builds its release with the npm packages of this
 * tree. Changes that are not committed are left out.
 */
export const buildRelease = (
  home: string,
  source = root,
  variables: Readonly<Record<string, string>> = {},
): BuiltRelease => {
  const clone = mkdtempSync(join(home, "clone-"));
  chmodSync(clone, 0o755);
  output("git", "clone", "--quiet", source, clone);
  const packages = [join(root, "node_modules"), join(clone, "node_modules")];
  // Hard links need no room.
  if (spawnSync("cp", ["-al", ...packages], { stdio: "ignore" }).status !== 0)
    output("cp", "-a", ...packages);
  execFileSync(process.execPath, [join(clone, "scripts/release/run.ts"), ...(isFull ? [] : ["--quick"])], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const folder = join(clone, "dist/release");
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
  const names = sums.split("\n").map((line) => line.split("  ")[1] ?? "");
  return {
    clone,
    folder,
    sums,
    file: (pattern) => join(folder, names.find((name) => pattern.test(name)) ?? String(pattern)),
  };
};
