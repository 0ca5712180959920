import { assert, describe, it } from "@effect/vitest";
import { Console, Effect } from "effect";
import { globSync, readFileSync } from "node:fs";
import { paint } from "../../../src/cli/terminal/Colors.ts";
import { printedText, withPrintedText } from "../../../src/cli/terminal/PrintedText.ts";

describe("printed text", () => {
  it("only the program's own styles reach the terminal as control characters (cli.terminal)", () => {
    const { bold, red } = paint(true);
    assert.strictEqual(printedText(red("Stop")), "\u001B[31mStop\u001B[39m");
    assert.strictEqual(
      printedText(bold(`a ${red("b\u001B[2J")}`)),
      "\u001B[1ma \u001B[31mb\\u001b[2J\u001B[39m\u001B[22m",
    );
    assert.strictEqual(printedText("\u001B[31mred\u001B[39m\u0007"), "\\u001b[31mred\\u001b[39m\\u0007");
  });

  it.effect("every method of the console prints visible text (cli.terminal)", () =>
    Effect.gen(function* () {
      const printed: Array<string> = [];
      const add = (...texts: ReadonlyArray<unknown>) => void printed.push(texts.join(" "));
      const listener = { ...console, log: add, error: add, warn: add, info: add, debug: add };
      const hostile = "\u001B]8;;\u0007 \u202E";
      yield* Effect.all([
        Console.log(hostile),
        Console.error(hostile),
        Console.warn(hostile),
        Console.info(hostile),
        Console.debug({ hostile }),
      ]).pipe(withPrintedText, Effect.provideService(Console.Console, listener));
      assert.lengthOf(printed, 5);
      for (const text of printed) assert.notMatch(text, /\p{Cc}|\p{Bidi_Control}/u);
    }),
  );

  it("commands and the demo print by the console service only (cli.terminal)", () => {
    const files = globSync(["src/cli/**/*.ts", "src/demo/**/*.ts"]);
    assert.isAbove(files.length, 40);
    const direct = files.filter((path) =>
      /process\.std(out|err)\.write|(?<!\.)\bconsole\.|styleText\(/.test(
        // PrintedText wraps the console, and Colors marks the styles.
        /PrintedText|Colors/.test(path) ? "" : readFileSync(path, "utf8"),
      ),
    );
    assert.deepStrictEqual(direct, []);
  });
});
