import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { commandLine } from "./CommandLine.ts";
import { shellBlocks } from "./first-campaign/PageCommands.ts";

layer(TestWaypost.layer)("the first campaign of the README", (it) => {
  it.effect("seven lines of commands make a campaign, and a test device gets its message (cli.try)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const [block = ""] = shellBlocks("README.md", "## The first campaign");
      assert.isAtMost(block.trim().split("\n").length, 7);
      const commands = block.replaceAll("\\\n", " ").trim().split("\n");
      const printed: Array<string> = [];
      for (const command of commands) {
        assert.match(command, /^npx waypost /);
        const { code, stderr, stdout } = yield* run(command.slice("npx waypost ".length));
        assert.strictEqual(code, 0, `${command}\n${stderr}`);
        printed.push(stdout);
      }
      assert.include(printed, "Welcome to Amsterdam\nCoffee is on us today.\n");
      // The device and its key are gone; what it received is counted.
      assert.deepStrictEqual(yield* json("device list -w Acme -e sandbox"), []);
      const [key, ...others] = yield* json("sdk-key list -w Acme -e sandbox");
      assert.deepStrictEqual([key.revoked_at === null, others], [false, []]);
      assert.match(printed.at(-1) ?? "", /\b1\b/);
      const missing = yield* run("device try -w Acme --enter Atlantis");
      assert.strictEqual(missing.code, 1);
      assert.include(missing.stderr, 'There is no location called "Atlantis".');
      assert.include((yield* run("device try -w Acme --exit Rotterdam")).stdout, "got no message");
    }),
  );
});
