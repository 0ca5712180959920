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
  const firstOption = "data:text/javascript,console.log(process.execArgv[0])";
  const serve = `${process.execPath} --import '${firstOption}' ${launcher} serve --help`;

  it("serve starts Node again with a bounded young generation, and keeps other options", async () => {
    const { stdout } = await shell(serve);
    assert.deepStrictEqual(stdout.split("\n").slice(0, 2), ["--import", "--max-semi-space-size=32"]);
  });

  it("serve keeps the bound of NODE_OPTIONS", async () => {
    const { stdout } = await shell(`NODE_OPTIONS=--max-semi-space-size=16 ${serve}`);
    assert.deepStrictEqual(stdout.split("\n").slice(0, 2), ["--import", "DESCRIPTION"]);
  });
});
