/**
 * The rules of CONTRIBUTING.md that no off-the-shelf tool checks: names, sizes, docstrings, layers, time,
 * tests, dependencies and decisions. Prints `file:line  message` for each finding; exit code 1 on any.
 */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { saysNoBound, statementBounds, tableKeys } from "./bounds.ts";
import { mapFindings } from "./codeMap.ts";
import { decisionFindings } from "./decisions.ts";
import type { Finding, SourceFile } from "./finding.ts";
import { growthFindings, type Lines, linesOfRooms, linesTable } from "./growth.ts";
import {
  lockfileAgrees,
  lockfileComplete,
  lockfileWithoutHosts,
  noRegistryHosts,
  noSkips,
  noSleeps,
  pinned,
} from "./guards.ts";
import { folderSizes, naming } from "./naming.ts";
import {
  citusInItsModule,
  declaredServices,
  documented,
  exportNames,
  fileLength,
  handlerGroups,
  layersMeetOnce,
  runOnce,
  timeFromClock,
  timeIsAParameter,
} from "./shape.ts";
import { slices } from "./slices.ts";

type Rule = readonly [files: RegExp, rule: (file: SourceFile) => ReadonlyArray<Finding>];

const rules: ReadonlyArray<Rule> = [
  // src/client/generated/ is written by npm run openapi.
  [/^(src\/(?!client\/generated\/)|console\/|sdk\/|test\/|scripts\/|bin\/).*\.(tsx?|js)$/, fileLength],
  [/^(src|console|sdk)\/.*\.tsx?$/, documented],
  [/^src\/.*\.ts$/, layersMeetOnce],
  [/^src\/.*\.ts$/, runOnce],
  [/^src\/.*\.ts$/, handlerGroups],
  [/^src\/.*\.ts$/, citusInItsModule],
  [/^(src|console|sdk)\/.*\.ts$/, exportNames],
  [/^(src|console)\/.*\.ts$/, timeFromClock],
  // DatabaseClock reads the database's time to compare it with the process's.
  [/^(src\/(database\/(?!DatabaseClock).*|.*Sql)\.ts|schema\/.*\.sql)$/, timeIsAParameter],
  // test/guards/ quotes what these rules forbid.
  [/^test\/(?!guards\/).*\.ts$/, noSleeps],
  [/^test\/(?!guards\/).*\.ts$/, noSkips],
  [/^package\.json$/, pinned],
  [/^package-lock\.json$/, lockfileWithoutHosts],
  [/^package-lock\.json$/, lockfileComplete],
  [/^(?!scripts\/check\/guards)/, noRegistryHosts],
];

const ignored = new Set(["node_modules", ".git", "dist", "waypost-data"]);
const binary = /\.(png|jpe?g|gif|webp|ico|woff2?|gz|br|zip|mp4|mp3)$/;
const paths = globSync(["**/*", ".*", ".ci/*"], { exclude: (path) => ignored.has(basename(path)) })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !binary.test(path) && statSync(path).isFile())
  .toSorted();

const findings: Array<Finding> = [...naming(paths, slices), ...folderSizes(paths)];
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

const statements = paths.filter((path) => /^src\/.*Sql\.ts$/.test(path)).map(sourceFile);
const schema = paths.filter((path) => /^schema\/\d+_\w+\.sql$/.test(path));
const keys = tableKeys(schema.map((path) => readFileSync(path, "utf8")).join("\n"));
for (const file of statements) findings.push(...statementBounds(file, keys));

findings.push(...declaredServices(paths.filter((path) => /^src\/.*\.ts$/.test(path)).map(sourceFile)));

const rooms = linesOfRooms(
  paths.filter((path) => /^(src|console|test)\/.*\.tsx?$/.test(path)).map(sourceFile),
);
findings.push(...growthFindings(JSON.parse(readFileSync(linesTable, "utf8")) as Lines, rooms));

const decisions = paths.filter((path) => path.startsWith("docs/decisions/")).map(sourceFile);
const isList = ({ path }: SourceFile): boolean => path.endsWith("README.md");
for (const list of decisions.filter(isList))
  findings.push(
    ...decisionFindings(
      list,
      decisions.filter((page) => !isList(page)),
    ),
  );

// npx links the launcher with its mode: without the bit, `npx waypost` fails with "Permission denied" in a
// fresh clone.
for (const path of paths.filter((each) => /^(bin\/[^/]+\.js|\.ci\/run)$/.test(each)))
  if ((statSync(path).mode & 0o111) === 0)
    findings.push({
      file: path,
      line: 1,
      message: "The file is not executable: chmod +x, and commit the mode.",
    });

const row = slices.join(" · ");
if (existsSync("ARCHITECTURE.md")) {
  const page = sourceFile("ARCHITECTURE.md");
  if (!page.text.replaceAll(/\s+/g, " ").includes(row))
    findings.push({
      file: page.path,
      line: 1,
      message: `The slices differ from scripts/check/slices.ts: ${row}`,
    });
  const textOf = (path: string) => (statSync(path).isFile() ? readFileSync(path, "utf8") : "");
  findings.push(...mapFindings(page, (path) => (existsSync(path) ? textOf(path) : undefined)));
}

for (const { file, line, message } of findings) console.error(`${file}:${line}  ${message}`);
const unbounded = statements.filter(saysNoBound).map(({ path }) => basename(path, ".ts"));
console.log(`${unbounded.length} files say that a statement has no bound: ${unbounded.join(", ")}.`);
console.log(`${paths.length} files read, ${findings.length} findings.`);
process.exitCode = findings.length === 0 ? 0 : 1;
