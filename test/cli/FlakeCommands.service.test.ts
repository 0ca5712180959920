import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { readFileSync } from "node:fs";
import { TestWaypost } from "../TestWaypost.ts";
import { commandLine } from "./CommandLine.ts";

/** The commands that the virtual machine of `nix flake check` runs, without what follows in a pipe. */
const commands = [
  ...readFileSync(new URL("../../flake.nix", import.meta.url), "utf8").matchAll(/ waypost (\w[^|"]*)["|]/g),
].map(([, command = ""]) => command.trim().replaceAll("'", '"'));

layer(TestWaypost.layer)("the check of the flake", (it) => {
  it.effect("every command of the flake's check runs (cli.codes)", () =>
    Effect.gen(function* () {
      const { run } = yield* commandLine;
      assert.sameMembers(
        commands.map((command) => command.split(" ").slice(0, 2).join(" ")),
        ["workspace create", "workspace list"],
      );
      for (const command of commands) {
        const { code, stderr, stdout } = yield* run(command);
        assert.deepStrictEqual([command, code, stderr], [command, 0, ""]);
        assert.include(stdout, "Example Cafes");
      }
    }),
  );
});
