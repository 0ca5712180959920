import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { Console, Effect } from "effect";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "../../src/demo/Demo.ts";

const launcher = join(import.meta.dirname, "../../bin/waypost.js");

/** Temporary files of this test alone, which the database's account can reach. */
const place = mkdtempSync(join(tmpdir(), "waypost-test-"));
chmodSync(place, 0o755);
const usual = process.env["TMPDIR"];
beforeAll(() => {
  process.env["TMPDIR"] = place;
});
afterAll(() => {
  // Files after this one run in the same process.
  if (usual === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usual;
  rmSync(place, { recursive: true });
});

/** Tells the demo to a list of lines. */
const told = (command: ReadonlyArray<string>) => {
  const lines: Array<string> = [];
  const listener = { ...globalThis.console, log: (line: string) => void lines.push(line) };
  return Effect.map(
    Effect.exit(Effect.provideService(demo({ command, isRich: false }), Console.Console, listener)),
    (exit) => ({ exit, text: lines.join("\n") }),
  );
};

describe("waypost demo", () => {
  it.live("tells the whole path, finds every figure right and leaves nothing behind (running.demo)", () =>
    Effect.gen(function* () {
      const { exit, text } = yield* told([process.execPath, launcher]);
      assert.strictEqual(exit._tag, "Success", `${String(exit)}\n${text}`);
      assert.match(text, /All \d+ figures are right\./);
      assert.match(text, /Coffee in Noord-Holland +active +geo +32 +1 +50$/m);
      assert.deepStrictEqual(readdirSync(place), []);
    }),
  );

  it.live("says so when Waypost does not start", () =>
    Effect.gen(function* () {
      const { exit } = yield* told([
        process.execPath,
        "-e",
        "console.error('no place to stand'); process.exit(1)",
      ]);
      assert.include(String(exit), "Waypost did not start: Error: no place to stand");
      assert.deepStrictEqual(readdirSync(place), []);
    }),
  );
});
