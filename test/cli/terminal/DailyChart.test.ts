import { assert, describe, it } from "@effect/vitest";
import { CliOutput } from "effect/cli";
import fc from "fast-check";
import { dailyChart } from "../../../src/cli/terminal/DailyChart.ts";

const day = (at: number, value: number) => ({
  label: `2026-11-${String(at + 1).padStart(2, "0")}`,
  value,
});

describe("the chart of days", () => {
  it("draws each day in proportion to the highest, to an eighth of a cell", () => {
    assert.strictEqual(
      dailyChart([day(0, 0), day(1, 16), day(2, 128), day(3, 1)], 26),
      ["2026-11-01    0", "2026-11-02   16  █▏", "2026-11-03  128  █████████", "2026-11-04    1  ▏"].join(
        "\n",
      ),
    );
  });

  it("says zeros of quiet days and draws nothing", () => {
    assert.strictEqual(dailyChart([day(0, 0), day(1, 0)], 80), "2026-11-01  0\n2026-11-02  0");
    assert.strictEqual(dailyChart([], 80), "");
  });

  it("is never wider than the terminal, shows any day with something, and gives more to more", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_000_000), { minLength: 1, maxLength: 31 }),
        fc.integer({ min: 40, max: 200 }),
        (values, room) => {
          const lines = dailyChart(
            values.map((value, at) => day(at, value)),
            room,
          ).split("\n");
          const drawn = lines.map((line) => line.replace(/^\S+ +\d+ */, ""));
          assert.isTrue(lines.every((line) => CliOutput.displayWidth(line) <= room));
          values.forEach((value, at) => assert.strictEqual((drawn[at] ?? "").length > 0, value > 0));
          values.forEach((value, at) =>
            values.forEach((other, then) => {
              if (value > other) assert.isAtLeast((drawn[at] ?? "").length, (drawn[then] ?? "").length);
            }),
          );
        },
      ),
    );
  });
});
