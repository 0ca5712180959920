import * as NodeServices from "@effect/platform-node/NodeServices";
import { assert } from "@effect/vitest";
import { Console, Effect } from "effect";
import { runCommand } from "../../src/cli/Cli.ts";
import type { CliEnvironment } from "../../src/cli/CliEnvironment.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";

/** Runs a command as `main.ts` does, and returns its output and exit code. */
export const runCli = (
  parameters: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  columns: number | null = null,
  terminal: CliEnvironment["Service"]["terminal"] = null,
) =>
  Effect.gen(function* () {
    let stdout = "";
    let stderr = "";
    const code = yield* runCommand(parameters, {
      environment,
      columns,
      terminal,
      colors: { stdout: false, stderr: false },
    }).pipe(
      Effect.provideService(Console.Console, {
        ...console,
        log: (...texts) => void (stdout += `${texts.join(" ")}\n`),
        error: (...texts) => void (stderr += `${texts.join(" ")}\n`),
      }),
      Effect.provide(NodeServices.layer),
    );
    return { code, stdout, stderr };
  });

/** Splits a line as a shell does: at blanks outside of quotes. */
const words = (line: string): ReadonlyArray<string> =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));

/** A command line with the address and the key of the test server. */
export const commandLine = Effect.map(TestWaypost, (waypost) => {
  const environment = { WAYPOST_URL: `${waypost.origin}/`, WAYPOST_OPERATOR_KEY: testOperatorKey };
  const run = (line: string, columns: number | null = null) => runCli(words(line), environment, columns);
  const json = (line: string) =>
    Effect.map(run(`${line} --json`), ({ code, stderr, stdout }): any => {
      assert.strictEqual(code, 0, stderr);
      return JSON.parse(stdout);
    });
  return { ...waypost, run, json };
});
