import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { Console, Effect } from "effect";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "../../src/demo/Demo.ts";

const launcher = join(import.meta.dirname, "../../bin/waypost.js");

/** The folder for temporary files of this test. The account of the database can enter it. */
const temporaryFolder = mkdtempSync(join(tmpdir(), "waypost-test-"));
chmodSync(temporaryFolder, 0o755);
const previous = process.env["TMPDIR"];
beforeAll(() => {
  process.env["TMPDIR"] = temporaryFolder;
});
afterAll(() => {
  // Later test files run in the same process.
  if (previous === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = previous;
  rmSync(temporaryFolder, { recursive: true });
});

/** Runs the demo and returns its output. */
const runDemo = (command: ReadonlyArray<string>) => {
  const lines: Array<string> = [];
  const listener = { ...globalThis.console, log: (line: string) => void lines.push(line) };
  return Effect.map(
    Effect.exit(Effect.provideService(demo({ command }), Console.Console, listener)),
    (exit) => ({ exit, text: lines.join("\n") }),
  );
};

describe("waypost demo", () => {
  it.live(
    "waypost demo runs to its end with every figure right and leaves nothing behind (running.demo)",
    () =>
      Effect.gen(function* () {
        const { exit, text } = yield* runDemo([process.execPath, launcher]);
        assert.strictEqual(exit._tag, "Success", `${String(exit)}\n${text}`);
        assert.match(text, /All \d+ figures are right\./);
        assert.match(text, /Coffee in Noord-Holland +active +geo +32 +1 +50$/m);
        assert.match(text, /survey\.answered +Good +5$/m);
        assert.deepStrictEqual(readdirSync(temporaryFolder), []);
      }),
  );

  it.live("waypost demo reports a server that does not start", () =>
    Effect.gen(function* () {
      const { exit } = yield* runDemo([
        process.execPath,
        "-e",
        "console.error('no room to run'); process.exit(1)",
      ]);
      assert.include(String(exit), "Waypost did not start: Error: no room to run");
      assert.deepStrictEqual(readdirSync(temporaryFolder), []);
    }),
  );
});
