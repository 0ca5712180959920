/**
 * Runs the tests that the changed files reach (`npm run test:near`). By default, changes are those since the
 * last commit; `npm run test:near -- main` takes those since `main`. Those without a database are chosen by
 * what they import, all by the folders that mirror the changed ones.
 */
import { execFileSync, spawnSync } from "node:child_process";
import process from "node:process";
import { testsNear } from "./ci/nearTests.ts";

const lines = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");

const [since = "HEAD"] = process.argv.slice(2);
const changed = [
  ...lines("diff", "--name-only", since),
  ...lines("ls-files", "--others", "--exclude-standard"),
];

const vitest = (...args: ReadonlyArray<string>): void => {
  console.log(`\nvitest ${args.join(" ")}`);
  const { status } = spawnSync("vitest", [...args, "--passWithNoTests"], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
};

const sources = changed.filter((file) => /\.tsx?$/.test(file));
if (sources.length > 0) vitest("related", "--run", "--project", "fast", ...sources);
const near = testsNear(changed);
// The project `rows` compares what the whole of `service` recorded.
if (near.length > 0) vitest("run", "--project", "!long", "--project", "!rows", ...near);
if (sources.length + near.length === 0) console.log(`Nothing has changed since ${since}.`);
