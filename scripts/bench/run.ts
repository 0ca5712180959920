/**
 * Runs the benches one after another, so that none disturbs another: `node scripts/bench/run.ts`, or only
 * some by their names, `node scripts/bench/run.ts import events`. Exit code 1 when one of them misses its bar
 * or breaks.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import process from "node:process";

/** Lower-case names are benches; parts of one are named like classes, or lie in folders. */
const folder = new URL("./", import.meta.url);
const all = readdirSync(folder)
  .filter((name) => /^[a-z]+\.ts$/.test(name) && name !== "run.ts")
  .map((name) => name.slice(0, -3))
  .toSorted();

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(", ")}. There are: ${all.join(", ")}.`);
  process.exit(2);
}

const missed: Array<string> = [];
for (const name of all.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  console.log(`\n── ${name}`);
  const { status } = spawnSync(process.execPath, [new URL(`${name}.ts`, folder).pathname], {
    stdio: "inherit",
  });
  if (status !== 0) missed.push(name);
}
if (missed.length > 0) console.error(`\nMissed: ${missed.join(", ")}.`);
process.exitCode = missed.length === 0 ? 0 : 1;
