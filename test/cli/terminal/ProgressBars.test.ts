import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { progressBars } from "../../../src/cli/terminal/ProgressBars.ts";
import { CliEnvironment } from "../../../src/cli/CliEnvironment.ts";

/** The line on a terminal of this width after half a minute, with a third of the work done. */
const drawnAt = (columns: number, unit: string, total: number) =>
  Effect.gen(function* () {
    let drawn = "";
    const bars = yield* Effect.provideService(progressBars, CliEnvironment, {
      environment: {},
      columns: null,
      terminal: { columns, write: (text) => void (drawn = text) },
      colors: { stdout: false, stderr: false },
    });
    bars.report(unit, 0, total);
    yield* TestClock.adjust("30 seconds");
    bars.report(unit, total / 3, total);
    const line = drawn.replace("\r", "").replace("\u001B[K", "");
    bars.clear();
    assert.strictEqual(drawn, "\r\u001B[K");
    return line;
  });

describe("the progress bar", () => {
  it.effect(
    "the progress bar shows amount, rate and time left, and drops the bar first on a narrow terminal",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* Effect.forEach([100, 75, 61, 48, 33, 10], (columns) =>
            drawnAt(columns, "locations", 120_000),
          ),
          [
            "[########----------------]  33%  40,000 of 120,000 locations, 1,333/s, 1 min 0 s left",
            "[###-------]  33%  40,000 of 120,000 locations, 1,333/s, 1 min 0 s left",
            "33%  40,000 of 120,000 locations, 1,333/s, 1 min 0 s left",
            "33%  40,000 of 120,000 locations",
            "33%  40,000 of 120,000 locations",
            "33%",
          ],
        );
      }),
  );

  it.effect("the progress bar formats bytes for people", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* drawnAt(100, "bytes checked", 900_000_000),
        "[########----------------]  33%  300.0 MB of 900.0 MB checked, 10.0 MB/s, 1 min 0 s left",
      );
    }),
  );
});
