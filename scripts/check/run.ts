import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

const code = ["src", "console", "sdk", "test", "scripts", "bin"].filter((folder) => existsSync(folder));

/** The steps of `npm run check`: name and command. They run in the repository's root. */
const steps: ReadonlyArray<readonly [name: string, command: ReadonlyArray<string>]> = [
  ["format", ["prettier", "--check", "--log-level", "warn", "."]],
  ["lint", ["oxlint"]],
  ["types", ["tsc"]],
  ["console", ["tsc", "-p", "console"]],
  ["console-size", ["node", "scripts/console.ts", "--check"]],
  ["sdk", ["tsc", "-p", "sdk"]],
  ["size", ["node", "scripts/sdk.ts", "--check"]],
  ["imports", ["depcruise", "--config", ".dependency-cruiser.mjs", "--output-type", "err-long", ...code]],
  ["unused", ["knip"]],
  ["rules", ["node", "scripts/check/rules.ts"]],
  ["words", ["node", "scripts/words.ts"]],
  ["openapi", ["node", "scripts/openapi.ts", "--check"]],
  ["api", ["node", "scripts/api.ts"]],
  ["migrations", ["node", "scripts/migrations.ts"]],
  ["cli", ["node", "scripts/cli.ts", "--check"]],
  ["figures", ["node", "scripts/bench/run.ts", "--check"]],
  ["contract", ["node", "scripts/contract.ts"]],
];

// `npm run check -- lint rules` runs only those steps.
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some(([step]) => step === name));
if (unknown.length > 0) {
  console.error(
    `Unknown check: ${unknown.join(", ")}. The checks are: ${steps.map(([name]) => name).join(", ")}.`,
  );
  process.exit(2);
}

const chosen = steps.filter(([name]) => wanted.length === 0 || wanted.includes(name));
const failed: Array<string> = [];

/** Runs a step, and prints its output once it has ended. */
const run = async ([name, [command = "", ...args]]: (typeof steps)[number]): Promise<void> => {
  const output: Array<Buffer> = [];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => output.push(part));
  const status = await new Promise<number | string | null>((resolve) => {
    child.on("error", ({ message }) => resolve(message));
    child.on("close", resolve);
  });
  if (status !== 0) failed.push(name);
  console.log(`\n── ${name}: ${[command, ...args].join(" ")}\n${Buffer.concat(output).toString()}`);
  if (typeof status === "string") console.log(status);
  console.log(status === 0 ? `ok    ${name}` : `FAIL  ${name}`);
};

// Two at a time: most steps use one core.
const waiting = chosen.values();
const runAll = async (): Promise<void> => {
  for (const step of waiting) await run(step);
};
await Promise.all([runAll(), runAll()]);

if (failed.length > 0) console.error(`\nFailed checks: ${failed.join(", ")}.`);
else console.log(`\nAll ${chosen.length} checks passed.`);
process.exitCode = failed.length === 0 ? 0 : 1;
