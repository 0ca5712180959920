import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { execFileSync } from "node:child_process";
import { runCli } from "./CommandLine.ts";

/** The completions of bash when Tab is pressed at the end of each line. */
const completionsOf = (
  script: string,
  lines: ReadonlyArray<string>,
): ReadonlyArray<ReadonlyArray<string>> => {
  const press = `
    for COMP_LINE in "$@"; do
      read -ra COMP_WORDS <<< "$COMP_LINE"
      [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
      COMP_POINT=\${#COMP_LINE} COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
      [[ $(complete -p waypost) =~ -F\\ ([^ ]+) ]]
      "\${BASH_REMATCH[1]}" waypost "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
      echo "\${COMPREPLY[@]}"
    done`;
  const output = execFileSync("bash", ["--norc", "-s", "--", ...lines], {
    // The script is longer than an argument may be.
    input: `${script}\n${press}\n`,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").filter((word) => word !== ""));
};

describe("shell completions", () => {
  it.effect("the bash script completes commands, flags, choices and files", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runCli(["--completions", "bash"], {});
      assert.strictEqual(code, 0);
      const [commands, reports, flags, environments, globals, program, files] = completionsOf(stdout, [
        "waypost lo",
        "waypost report s",
        "waypost location import --",
        "waypost send list --environment p",
        "waypost workspace list --",
        "waypost --",
        "waypost location import packa",
      ]);
      assert.deepStrictEqual(commands, ["location"]);
      assert.deepStrictEqual(reports, ["summary", "surveys"]);
      assert.includeMembers([...(flags ?? [])], ["--workspace", "--environment", "--dry-run"]);
      assert.deepStrictEqual(environments, ["production"]);
      assert.sameMembers([...(globals ?? [])], ["--limit", "--help", "--url", "--key", "--config", "--json"]);
      assert.sameMembers([...(program ?? [])], ["--help", "--version", "--completions"]);
      assert.include([...(files ?? [])], "package.json");
    }),
  );
});
