/**
 * Checks the words and line lengths of code, comments, tests and documentation, the forms of doc comments,
 * and the subjects of commits. Prints `file:line  message` for each finding; exit code 1 on any. Arguments
 * limit it to these files and folders: `node scripts/words.ts src/events test/events`.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import process from "node:process";
import type { Finding } from "./check/finding.ts";
import { commentForms, subjectForms, subjectsSince } from "./check/forms.ts";
import { lineLength, vocabulary } from "./check/vocabulary.ts";

const wanted = process.argv.slice(2);
const paths = globSync([
  "{src,console,sdk,test,scripts,bin,schema,docs}/**/*.{ts,tsx,css,js,sql,md}",
  "docs/operating/*.{yml,json}",
  "*.{md,ts}",
  ".dependency-cruiser.mjs",
  "packaging/**/*.{md,nix,service}",
])
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => statSync(path).isFile() && !path.includes("node_modules"))
  .filter(
    (path) =>
      wanted.length === 0 ||
      wanted.some((each) => path === each || path.startsWith(`${each.replace(/\/$/, "")}/`)),
  )
  .toSorted();

const findings: Array<Finding> = paths.flatMap((path) => {
  const file = { path, text: readFileSync(path, "utf8") };
  const isWrapped =
    /^(src|console|sdk|test|scripts|bin|schema|docs)\/.*\.(tsx?|css|js|sql|md)$|^[^/]+\.(md|ts|mjs)$/.test(
      path,
    );
  return [...vocabulary(file), ...(isWrapped ? lineLength(file) : []), ...commentForms(file)];
});

// Without git, or in a clone that has no commit since then, there is nothing to check.
const log = ["log", "--no-merges", `--since-as-filter=${subjectsSince}`, "--format=%h %s"];
const subjects = spawnSync("git", log, { encoding: "utf8" });
if (wanted.length === 0 && subjects.status === 0) findings.push(...subjectForms(subjects.stdout));
for (const { file, line, message } of findings) console.error(`${file}:${line}  ${message}`);
console.log(`${paths.length} files read, ${findings.length} findings.`);
process.exitCode = findings.length === 0 ? 0 : 1;
