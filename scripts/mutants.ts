/**
 * Mutation testing: changes the source in small ways, one at a time, and runs the tests that must notice. The
 * changes are chosen by a seed and made in a copy of the checkout. A mutant is killed by a test that fails or
 * hangs, or by code that does not load. Exit code 1 if less than `--bar` (0.8) of a target's mutants are
 * killed.
 *
 *     node scripts/mutants.ts --target access --count 30 --seed 1
 *     node scripts/mutants.ts                      # all targets
 *
 * `--match "src/access/Token.ts:8  255 → 256"` runs single mutants again, by the names that a run has
 * printed.
 */
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Mutation } from "./mutants/Mutation.ts";
import { lineAt, mutated, mutationsOf } from "./mutants/Mutations.ts";
import { type Target, targets } from "./mutants/Targets.ts";
import { TestProcess, type TestResult } from "./mutants/TestProcess.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true, default: Object.keys(targets) },
    count: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    bar: { type: "string", default: "0.8" },
    match: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
  },
});

interface Mutant extends Mutation {
  readonly file: string;
  readonly line: number;
}

/** Names a mutant, for people and for `--match`. */
const nameOf = ({ file, line, operator }: Mutant): string => `${file}:${line}  ${operator}`;

const root = join(import.meta.dirname, "..");
const skipped = new Set([".git", "node_modules", "dist", "waypost-data"]);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const mutantsOf = ({ sources }: Target): ReadonlyArray<Mutant> =>
  globSync([...sources], { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8");
      return mutationsOf(source).map((each) => ({ ...each, file, line: lineAt(source, each.start) }));
    });

/** So many of a list, by the seed. */
const chosen = <A>(list: ReadonlyArray<A>, count: number, random: () => number): ReadonlyArray<A> =>
  list
    .map((value) => ({ value, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ value }) => value);

const copyOf = (folder: string): string => {
  const copy = join(folder, "copy");
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
};

const seconds = (began: number): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;

/** Runs the tests of a target, those without a database first, until one fails. */
const killerOf = async (
  tests: TestProcess,
  target: Target,
  changed: ReadonlyArray<string>,
  timeoutMillis: number,
): Promise<string | null> => {
  for (const project of ["fast", "service"] as const) {
    if (target[project].length === 0) continue;
    const result: TestResult = await tests.run({ project, files: target[project], changed }, timeoutMillis);
    if (result === "timeout") return "timeout";
    if (result.failure !== null) return result.failure;
  }
  return null;
};

/** Runs mutants of a target. Returns the share that was killed. */
const runTarget = async (name: string, copy: string, tests: TestProcess): Promise<number> => {
  const target = targets[name];
  if (target === undefined)
    throw new Error(`There is no target ${name}: ${Object.keys(targets).join(", ")}.`);
  const all = mutantsOf(target);
  const picked =
    values.match.length > 0
      ? all.filter((mutant) => values.match.includes(nameOf(mutant)))
      : chosen(all, Number(values.count), randomOf(Number(values.seed)));
  console.log(`\n── ${name}: ${picked.length} of ${all.length} mutants, seed ${values.seed}`);
  if (values.list) {
    for (const mutant of all) console.log(nameOf(mutant));
    return 1;
  }
  const began = performance.now();
  const broken = await killerOf(tests, target, [], 600_000);
  if (broken !== null) throw new Error(`The tests of ${name} fail without a change: ${broken}`);
  const timeoutMillis = (performance.now() - began) * 2 + 10_000;
  console.log(`unchanged: passed in ${seconds(began)}`);
  const survivors: Array<Mutant> = [];
  for (const mutant of picked) {
    const path = join(copy, mutant.file);
    const source = readFileSync(path, "utf8");
    const started = performance.now();
    writeFileSync(path, mutated(source, mutant));
    const killer = await killerOf(tests, target, [path], timeoutMillis);
    writeFileSync(path, source);
    if (killer === null) survivors.push(mutant);
    const outcome = killer === null ? "survived" : "killed  ";
    const by = killer === null ? "" : `  by ${killer}`;
    console.log(`${outcome} ${seconds(started).padStart(7)}  ${nameOf(mutant)}${by}`);
  }
  const killed = picked.length - survivors.length;
  console.log(`${name}: ${killed} of ${picked.length} killed, ${seconds(began)}`);
  for (const mutant of survivors) {
    const text = readFileSync(join(copy, mutant.file), "utf8").split("\n")[mutant.line - 1]?.trim();
    console.log(`  survived ${nameOf(mutant)}  in: ${text}`);
  }
  return killed / picked.length;
};

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
// As root, databases run under another account, which must be able to enter the folders.
chmodSync(folder, 0o755);
const temporary = join(folder, "t");
mkdirSync(temporary, { mode: 0o755 });
const copy = copyOf(folder);
const tests = new TestProcess(copy, temporary);
const clean = (): void => {
  tests.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    clean();
    process.exit(1);
  });
}
try {
  for (const name of values.target) {
    if ((await runTarget(name, copy, tests)) < Number(values.bar)) process.exitCode = 1;
  }
  await tests.end();
} finally {
  clean();
}
