import { assert, describe, it } from "@effect/vitest";
import { paint, wantsColors } from "../../../src/cli/terminal/Colors.ts";
import { printedText } from "../../../src/cli/terminal/PrintedText.ts";

describe("colours", () => {
  it("terminals get colours, unless NO_COLOR, FORCE_COLOR or TERM say otherwise", () => {
    assert.isTrue(wantsColors({ TERM: "xterm" }, true));
    assert.isFalse(wantsColors({ TERM: "xterm" }, false));
    assert.isFalse(wantsColors({ TERM: "dumb" }, true));
    assert.isFalse(wantsColors({ NO_COLOR: "1" }, true));
    assert.isTrue(wantsColors({ NO_COLOR: "" }, true));
    assert.isTrue(wantsColors({ FORCE_COLOR: "1" }, false));
    assert.isFalse(wantsColors({ FORCE_COLOR: "0" }, false));
    assert.isFalse(wantsColors({ FORCE_COLOR: "1", NO_COLOR: "1" }, true));
  });

  it("a stream without colours leaves texts unchanged", () => {
    assert.strictEqual(paint(false).red("Stop"), "Stop");
    assert.strictEqual(printedText(paint(true).red("Stop")), "\u001B[31mStop\u001B[39m");
  });
});
