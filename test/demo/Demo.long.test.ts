import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIn } from "../console/TestSession.ts";
import { startDemo } from "./RunningDemo.ts";

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

describe("waypost demo", () => {
  it.live(
    "waypost demo gets every figure right, shows its data in the console and leaves nothing (running.demo)",
    () =>
      Effect.gen(function* () {
        const running = yield* startDemo();
        const address = yield* running.consoleAddress;
        const text = running.text();
        assert.match(address, /^http:/, text);
        const { origin, hash } = new URL(address);
        const { answer, ask } = yield* signIn(origin, { code: hash.slice(1) });
        assert.strictEqual(answer.status, 201);
        const { body } = yield* ask("/operator/v1/workspaces");
        const headers = { "waypost-workspace": body.data[0].id };
        const campaigns = yield* ask("/platform/v1/campaigns", { headers });
        assert.sameMembers(
          campaigns.body.data.map(({ name }: { readonly name: string }) => name),
          ["How was the coffee?", "Second cup at half price", "Winter menu", "Come back"],
        );
        yield* Fiber.interrupt(running.fiber);
        assert.match(text, /All \d+ figures are right\./);
        assert.match(text, /Coffee in Noord-Holland +active +geo +32 +1 +50$/m);
        assert.match(text, /survey\.answered +Good +5$/m);
        assert.deepStrictEqual(readdirSync(temporaryFolder), []);
      }),
  );

  it.live("waypost demo reports a server that does not start", () =>
    Effect.gen(function* () {
      const program = "console.error('no room to run'); process.exit(1)";
      const { fiber } = yield* startDemo([process.execPath, "-e", program]);
      const exit = yield* Fiber.await(fiber);
      assert.include(String(exit), "Waypost did not start: Error: no room to run");
      assert.deepStrictEqual(readdirSync(temporaryFolder), []);
    }),
  );
});
