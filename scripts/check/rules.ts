/**
 * The rules of ARCHITECTURE.md that no off-the-shelf tool checks: names, sizes, where layers meet, where time comes
 * from, and what tests may not do. Prints `file:line  what is wrong and what would be right`; exit code 1 on any.
 */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import type { Finding, SourceFile } from "./finding.ts";
import {
  lockfileAgrees,
  lockfileComplete,
  lockfileWithoutHosts,
  noRegistryHosts,
  noSkips,
  noSleeps,
  pinned,
} from "./guards.ts";
import { naming } from "./naming.ts";
import {
  documented,
  exportNames,
  fileLength,
  layersMeetOnce,
  runOnce,
  timeFromClock,
  timeIsAParameter,
} from "./shape.ts";
import { slices } from "./slices.ts";

type Rule = readonly [files: RegExp, rule: (file: SourceFile) => ReadonlyArray<Finding>];

const rules: ReadonlyArray<Rule> = [
  [/^(src|test|scripts|bin)\/.*\.(ts|js)$/, fileLength],
  [/^src\/.*\.ts$/, documented],
  [/^src\/.*\.ts$/, layersMeetOnce],
  [/^src\/.*\.ts$/, runOnce],
  [/^src\/.*\.ts$/, exportNames],
  [/^src\/.*\.ts$/, timeFromClock],
  // DatabaseClock asks for the database's time to compare it with ours.
  [/^(src\/(database\/(?!DatabaseClock).*|.*Sql)\.ts|schema\/.*\.sql)$/, timeIsAParameter],
  // test/guards/ quotes what these forbid.
  [/^test\/(?!guards\/).*\.ts$/, noSleeps],
  [/^test\/(?!guards\/).*\.ts$/, noSkips],
  [/(^|\/)package\.json$/, pinned],
  [/(^|\/)package-lock\.json$/, lockfileWithoutHosts],
  [/(^|\/)package-lock\.json$/, lockfileComplete],
  [/^(?!scripts\/check\/guards)/, noRegistryHosts],
];

const elsewhere = new Set(["node_modules", ".git", "dist", "waypost-data"]);
const binary = /\.(png|jpe?g|gif|webp|ico|woff2?|gz|br|zip|mp4|mp3)$/;
const paths = globSync(["**/*", ".*", ".ci/*"], { exclude: (path) => elsewhere.has(basename(path)) })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !binary.test(path) && statSync(path).isFile())
  .toSorted();

const findings: Array<Finding> = [...naming(paths, slices)];
for (const path of paths) {
  const file = { path, text: readFileSync(path, "utf8") };
  for (const [files, rule] of rules) if (files.test(path)) findings.push(...rule(file));
}

const sourceFile = (path: string): SourceFile => ({ path, text: readFileSync(path, "utf8") });
for (const manifest of paths.filter((path) => basename(path) === "package.json")) {
  const lockfile = join(dirname(manifest), "package-lock.json");
  findings.push(
    ...lockfileAgrees(sourceFile(manifest), existsSync(lockfile) ? sourceFile(lockfile) : undefined),
  );
}

// npx links the launcher as it is: without the bit, `npx waypost` is "Permission denied" in a fresh clone.
for (const path of paths.filter((each) => /^(bin\/[^/]+\.js|\.ci\/run)$/.test(each)))
  if ((statSync(path).mode & 0o111) === 0)
    findings.push({ file: path, line: 1, message: "It must be executable: chmod +x, and commit the mode." });

const row = slices.join(" · ");
if (existsSync("ARCHITECTURE.md")) {
  const page = readFileSync("ARCHITECTURE.md", "utf8").replaceAll(/\s+/g, " ");
  if (!page.includes(row))
    findings.push({
      file: "ARCHITECTURE.md",
      line: 1,
      message: `It must state the slices as scripts/check/slices.ts has them: ${row}`,
    });
}

for (const { file, line, message } of findings) console.error(`${file}:${line}  ${message}`);
console.log(`${paths.length} files read, ${findings.length} broken rules.`);
process.exitCode = findings.length === 0 ? 0 : 1;
