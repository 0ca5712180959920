import { assert, describe, it } from "@effect/vitest";
import { CliOutput } from "effect/cli";
import fc from "fast-check";
import { dailyChart } from "../../../src/cli/terminal/DailyChart.ts";

const day = (index: number, value: number) => ({
  label: `2026-11-${String(index + 1).padStart(2, "0")}`,
  value,
});

describe("the daily chart", () => {
  it("the daily chart draws bars in proportion to the highest value, to an eighth of a cell", () => {
    assert.strictEqual(
      dailyChart([day(0, 0), day(1, 16), day(2, 128), day(3, 1)], 26),
      ["2026-11-01    0", "2026-11-02   16  █▏", "2026-11-03  128  █████████", "2026-11-04    1  ▏"].join(
        "\n",
      ),
    );
  });

  it("a day without deliveries has a zero and no bar", () => {
    assert.strictEqual(dailyChart([day(0, 0), day(1, 0)], 80), "2026-11-01  0\n2026-11-02  0");
    assert.strictEqual(dailyChart([], 80), "");
  });

  it("the daily chart fits the terminal and shows every positive value in its order of size", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_000_000), { minLength: 1, maxLength: 31 }),
        fc.integer({ min: 40, max: 200 }),
        (values, columns) => {
          const lines = dailyChart(
            values.map((value, index) => day(index, value)),
            columns,
          ).split("\n");
          const drawn = lines.map((line) => line.replace(/^\S+ +\d+ */, ""));
          assert.isTrue(lines.every((line) => CliOutput.displayWidth(line) <= columns));
          values.forEach((value, index) => assert.strictEqual((drawn[index] ?? "").length > 0, value > 0));
          values.forEach((value, index) =>
            values.forEach((other, otherIndex) => {
              if (value > other)
                assert.isAtLeast((drawn[index] ?? "").length, (drawn[otherIndex] ?? "").length);
            }),
          );
        },
      ),
    );
  });
});
