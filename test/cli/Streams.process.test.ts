import { assert, describe, it } from "@effect/vitest";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../../bin/waypost.js", import.meta.url));

/** Runs a line in a shell, where $waypost is the program. The exit code is that of the program. */
const shell = (line: string) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = execFile(
        "bash",
        ["--norc", "-c", `set -o pipefail; ${line}`],
        { env: { PATH: process.env["PATH"], waypost: `${process.execPath} ${launcher}` }, timeout: 300_000 },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    },
  );

describe("output on stdout", () => {
  it("a closed pipe ends the command without an error", async () => {
    assert.deepStrictEqual(await shell("$waypost openapi | head -1"), { code: 0, stdout: "{\n", stderr: "" });
  });

  it.runIf(existsSync("/dev/full"))("output that cannot be written is a failure", async () => {
    const { code, stderr } = await shell("$waypost openapi > /dev/full");
    assert.strictEqual(code, 1);
    assert.match(stderr, /^The output could not be written: there is no space left on the disk\.\n$/);
  });
});

describe("the options of Node", () => {
  const options = "data:text/javascript,console.log(process.execArgv.join(' '))";
  const serve = `${process.execPath} --import "${options}" ${launcher} serve --help`;
  const started = async (command: string): Promise<ReadonlyArray<string>> =>
    (await shell(command)).stdout.split("\n").map((line) => line.replace(` --import ${options}`, ""));

  it("serve starts Node again with its options of memory, and keeps other options", async () => {
    const [first, second] = await started(serve);
    assert.strictEqual(first, `--import ${options}`);
    assert.strictEqual(second, "--max-semi-space-size=16 --no-allocation-site-pretenuring");
  });

  it("serve keeps the bound of NODE_OPTIONS", async () => {
    const [, second] = await started(`NODE_OPTIONS=--max-semi-space-size=8 ${serve}`);
    assert.strictEqual(second, "--no-allocation-site-pretenuring");
  });
});
