import { assert, describe, it } from "@effect/vitest";
import { visible, visibleLines, visibleValue } from "../../src/wire/VisibleText.ts";

describe("visible text", () => {
  it("control and bidi characters of a text become escapes, and all others stay (cli.terminal)", () => {
    assert.strictEqual(
      visible("a\u001B]0;x\u0007\r\nb\u009B\u007F"),
      "a\\u001b]0;x\\u0007\\u000d\\u000ab\\u009b\\u007f",
    );
    assert.strictEqual(
      visible("\u202Etxt.exe\u2066\u061C\u200F\u2028"),
      "\\u202etxt.exe\\u2066\\u061c\\u200f\\u2028",
    );
    assert.strictEqual(visible("Zoë מיכל 👩‍👩‍👧 “x”"), "Zoë מיכל 👩‍👩‍👧 “x”");
  });

  it("an output keeps its newlines and tabs, and JSON keeps its value (cli.terminal)", () => {
    assert.strictEqual(visibleLines("a\n\tb\rc\u0085"), "a\n\tb\\u000dc\\u0085");
    const value = { name: "\u001B[31m \u009B1m \u202E \u2028 \n\t", nested: ["\u007F"] };
    const json = visibleLines(JSON.stringify(value, null, 2));
    assert.notMatch(json, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
    assert.deepStrictEqual(JSON.parse(json), value);
  });

  it("every text of a value becomes visible, at any depth (cli.terminal)", () => {
    assert.deepStrictEqual<unknown>(visibleValue({ "a\n": [{ b: "\u001B", c: 1, d: null }, true] }), {
      "a\\u000a": [{ b: "\\u001b", c: 1, d: null }, true],
    });
  });
});
