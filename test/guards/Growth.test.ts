import { assert, describe, it } from "@effect/vitest";
import { growthFindings, linesOfRooms, maxGrowth } from "../../scripts/check/growth.ts";

const file = (path: string, lines: number) => ({ path, text: "x\n".repeat(lines) });

describe("the budget of growth", () => {
  it("rooms are the folders of src/, src/ itself, the console and the tests, but for generated files", () => {
    const files = [
      file("src/wire/text/Text.ts", 3),
      file("src/wire/Ids.ts", 4),
      file("src/main.ts", 2),
      file("src/client/generated/Types.ts", 900),
      file("console/parts/Page.tsx", 5),
      file("test/wire/Ids.test.ts", 6),
      file("test/wire/answer.json", 7),
      file("scripts/lines.ts", 8),
    ];
    assert.deepStrictEqual(Object.entries(linesOfRooms(files)), [
      ["console", 5],
      ["src", 2],
      ["src/wire", 7],
      ["test", 6],
    ]);
  });

  it("a room may exceed its line by 3 %, and have any number of lines less", () => {
    assert.strictEqual(maxGrowth, 0.03);
    assert.deepStrictEqual(growthFindings({ "src/wire": 1000, test: 50 }, { "src/wire": 1030, test: 1 }), []);
  });

  it("a room that has grown by more, has no line, or is gone is found", () => {
    const found = growthFindings({ "src/wire": 1000, "src/old": 5 }, { "src/wire": 1031, "src/new": 5 });
    assert.deepStrictEqual(
      found.map(({ message }) => message.replace(/:.*/, "")),
      [
        "src/wire has grown from 1000 to 1031 lines, by more than 3 %",
        "src/new is not in the table",
        "src/old does not exist",
      ],
    );
  });
});
