/**
 * Runs benches, each in a process of its own, and records their figures: `npm run bench` runs all but the
 * heavy ones, `npm run bench -- import events` only some. It writes docs/benchmarks.json, and from it
 * docs/benchmarks.md and the figures within other pages. It refuses source that is not committed, and a
 * machine whose other work uses more than half a core.
 *
 * `--heavy` adds the heavy benches. `--anyway` runs on a loaded machine, and marks the figures as loaded.
 * `--pages` only writes the pages, `--check` only compares them.
 *
 * Exit code 1 if a bar is missed, a bench breaks, the machine is loaded or a page is out of date.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { type Bench, benches } from "./Benches.ts";
import { type Hashes, pageOf, replaced, unmarked, withFigures } from "./BenchPages.ts";
import { isMissed, type Row, type Stated } from "./Figure.ts";
import { busyCores, commit, machineName, maxLoad, minuteLoad, quietLoad } from "./Machine.ts";
import { treeHashes, uncommitted } from "./Machine.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    heavy: { type: "boolean", default: false },
    anyway: { type: "boolean", default: false },
    pages: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});
const names = Object.keys(benches);
const table = "docs/benchmarks.json";
const page = "docs/benchmarks.md";

process.chdir(join(import.meta.dirname, "../.."));

const linesOf = (file: string): ReadonlyArray<Row> =>
  (readFileSync(file, "utf8").match(/^\{.*\}/gm) ?? []).map((line) => JSON.parse(line) as Row);

/** All pages with figures, by path, as the table gives them. */
const generated = async (hashes: Hashes): Promise<ReadonlyArray<readonly [path: string, text: string]>> => {
  const rows = linesOf(table);
  const texts = globSync(["*.md", "docs/**/*.md"])
    .map((path) => [path, readFileSync(path, "utf8")] as const)
    .filter(([path, text]) => path === page || text.includes("<!-- figure: "));
  return Promise.all(
    texts.map(async ([path, text]) => {
      const written = path === page ? pageOf(rows, benches, text, hashes) : withFigures(text, rows, hashes);
      return [path, await format(written, { parser: "markdown", printWidth: 110 })] as const;
    }),
  );
};

const writePages = async (): Promise<void> => {
  const paths = linesOf(table).flatMap(({ source }) => Object.keys(source));
  for (const [path, text] of await generated(treeHashes([...new Set(paths)]))) writeFileSync(path, text);
};

const checkPages = async (): Promise<void> => {
  const stale = (await generated(null))
    .filter(([path, text]) => unmarked(readFileSync(path, "utf8")) !== unmarked(text))
    .map(([path]) => path);
  if (stale.length === 0) return;
  console.error(`${stale.join(", ")}: not what ${table} gives. \`npm run bench -- --pages\` writes them.`);
  process.exitCode = 1;
};

/** Runs one bench. Gives its figures; null if it breaks. */
const figuresOf = ({ command: [file, ...parameters], settings }: Bench): ReadonlyArray<Stated> | null => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-figures-"));
  const figures = join(folder, "figures");
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`BENCH_${name}`, value]));
  const { status } = spawnSync(process.execPath, [`scripts/bench/${file}.ts`, ...parameters], {
    stdio: "inherit",
    env: { ...env, ...process.env, BENCH_FIGURES: figures },
  });
  const stated = status === 0 && existsSync(figures) ? linesOf(figures) : null;
  rmSync(folder, { recursive: true });
  return stated;
};

const refuse = (message: string): never => {
  console.error(message);
  process.exit(2);
};

const runAll = async (chosen: ReadonlyArray<readonly [name: string, bench: Bench]>): Promise<void> => {
  const changed = uncommitted();
  if (changed !== "") refuse(`The figures name a commit, and these files are not committed:\n${changed}`);
  const machine = machineName();
  console.log(`${chosen.length} benches on ${machine}`);
  const problems: Array<string> = [];
  let load = flags.anyway ? minuteLoad() : await quietLoad(minuteLoad);
  for (const [name, bench] of chosen) {
    if (load > maxLoad && !flags.anyway) {
      problems.push(`The load of other work is ${load.toFixed(1)}: stopped before ${name}. See --anyway.`);
      break;
    }
    console.log(`\n── ${name}, at a load of ${load.toFixed(1)}`);
    const began = performance.now();
    const stated = figuresOf(bench);
    console.log(`${name} took ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const after = await busyCores();
    const record = {
      date: new Date().toISOString().slice(0, 10),
      commit: commit(),
      machine,
      load: Number(Math.max(load, after).toFixed(1)),
      source: treeHashes(bench.source),
    };
    if (stated === null) problems.push(`${name} has no figures.`);
    else {
      const rows = stated.map((each) => ({ ...each, id: `${name}.${each.id}`, ...record }));
      const lines = replaced(linesOf(table), name, rows, names).map((row) => JSON.stringify(row));
      writeFileSync(table, `[\n${lines.join(",\n")}\n]\n`);
      problems.push(...rows.filter(isMissed).map(({ id }) => `${id} misses its bar.`));
    }
    load = flags.anyway || after <= maxLoad ? after : await quietLoad(busyCores);
  }
  await writePages();
  console.log(`\n${table} and the pages with its figures are written.`);
  if (problems.length > 0) console.error(`\n${problems.join("\n")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
};

const unknown = positionals.filter((name) => benches[name] === undefined);
if (unknown.length > 0) refuse(`No such bench: ${unknown.join(", ")}. There are: ${names.join(", ")}.`);
if (flags.check) await checkPages();
else if (flags.pages) await writePages();
else
  await runAll(
    Object.entries(benches).filter(([name, { isHeavy }]) =>
      positionals.length === 0 ? flags.heavy || !isHeavy : positionals.includes(name),
    ),
  );
