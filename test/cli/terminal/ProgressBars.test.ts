import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { progressBars } from "../../../src/cli/terminal/ProgressBars.ts";
import { CliEnvironment } from "../../../src/cli/CliEnvironment.ts";

/** What stands on a terminal of so many columns half a minute into the work, at a third of it. */
const drawnAt = (columns: number, what: string, all: number) =>
  Effect.gen(function* () {
    let drawn = "";
    const bars = yield* Effect.provideService(progressBars, CliEnvironment, {
      environment: {},
      columns: null,
      terminal: { columns, write: (text) => void (drawn = text) },
      colors: { stdout: false, stderr: false },
    });
    bars.at(what, 0, all);
    yield* TestClock.adjust("30 seconds");
    bars.at(what, all / 3, all);
    const line = drawn.replace("\r", "").replace("\u001B[K", "");
    bars.clear();
    assert.strictEqual(drawn, "\r\u001B[K");
    return line;
  });

describe("the progress bar", () => {
  it.effect("tells how much, how fast and how long, and of a narrow terminal gives up the bar first", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* Effect.forEach([100, 72, 58, 45, 30, 10], (columns) => drawnAt(columns, "places", 120_000)),
        [
          "[########----------------]  33%  40,000 of 120,000 places, 1,333/s, 1 min 0 s left",
          "[###-------]  33%  40,000 of 120,000 places, 1,333/s, 1 min 0 s left",
          "33%  40,000 of 120,000 places, 1,333/s, 1 min 0 s left",
          "33%  40,000 of 120,000 places",
          "33%  40,000 of 120,000 places",
          "33%",
        ],
      );
    }),
  );

  it.effect("says bytes as people do", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* drawnAt(100, "bytes checked", 900_000_000),
        "[########----------------]  33%  300.0 MB of 900.0 MB checked, 10.0 MB/s, 1 min 0 s left",
      );
    }),
  );
});
