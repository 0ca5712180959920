import { assert, describe, it } from "@effect/vitest";
import { Cause, Effect, Logger, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { jsonLine, batchedLogger, prettyLine } from "../../src/telemetry/LogLines.ts";

/** The log lines of an effect, as Waypost and as Effect format them. */
const both = (effect: Effect.Effect<void>) => {
  const waypostLines: Array<string> = [];
  const effectLines: Array<string> = [];
  return Effect.as(
    Effect.provide(
      effect,
      Logger.layer([
        Logger.map(jsonLine, (line) => void waypostLines.push(line)),
        Logger.map(Logger.formatJson, (line) => void effectLines.push(line)),
      ]),
    ),
    { waypostLines, effectLines },
  );
};

describe("log lines", () => {
  it.effect("a log line equals the one of Effect's own formatter, whatever the entry holds", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour");
      const circle: { self?: unknown } = {};
      circle.self = circle;
      const { waypostLines, effectLines } = yield* both(
        Effect.gen(function* () {
          yield* Effect.annotateLogs(Effect.logInfo("request"), {
            path: '/a"b\\\u2028\n',
            status: 200,
            ms: 0.25,
            test: true,
            none: null,
          });
          yield* Effect.logWarning("A secret").pipe(
            Effect.annotateLogs({ token: Redacted.make("wpd_secret"), circle, big: 1n, endless: Infinity }),
          );
          yield* Effect.logError("A fault", Cause.die(new Error("broken")));
          yield* Effect.withLogSpan(Effect.log("one", { two: 2 }), "span");
          yield* Effect.log();
          yield* Effect.log(["list"]);
        }),
      );
      assert.lengthOf(waypostLines, 6);
      assert.deepStrictEqual(waypostLines, effectLines);
      assert.notInclude(waypostLines.join(), "wpd_secret");
    }),
  );

  it.effect("an entry for a person is one line, without control characters (running.lines)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(new Date(2026, 10, 21, 13, 5).getTime());
      const lines: Array<string> = [];
      yield* Effect.gen(function* () {
        yield* Effect.annotateLogs(Effect.logInfo("request"), {
          path: "/platform/v1/me",
          status: 200,
          agent: "a\u001b[31m b\n\u202e",
        });
        yield* Effect.logError("A fault", Cause.die(new Error("broken")));
      }).pipe(Effect.provide(Logger.layer([Logger.map(prettyLine(false), (line) => void lines.push(line))])));
      assert.strictEqual(
        lines[0],
        '13:05:00 INFO  request path=/platform/v1/me status=200 agent="a\\u001b[31m b\\n\\u{202e}"',
      );
      assert.match(lines[1] ?? "", /^13:05:00 ERROR A fault\n  .*broken/);
    }),
  );

  it.effect(
    "log lines of one event loop iteration are written together; a warning is written immediately",
    () =>
      Effect.gen(function* () {
        const written: Array<ReadonlyArray<unknown>> = [];
        const logger = batchedLogger(jsonLine, (text) =>
          written.push(
            text
              .split("\n")
              .map((line) => (line === "" ? "" : (JSON.parse(line) as { message: unknown }).message)),
          ),
        );
        yield* Effect.gen(function* () {
          yield* Effect.logInfo("first");
          yield* Effect.logInfo("second");
          assert.deepStrictEqual(written, []);
          yield* Effect.yieldNow;
          assert.deepStrictEqual(written.splice(0), [["first", "second", ""]]);
          yield* Effect.logInfo("third");
          yield* Effect.logWarning("fourth");
          assert.deepStrictEqual(written.splice(0), [["third", "fourth", ""]]);
          yield* Effect.yieldNow;
          assert.deepStrictEqual(written, []);
          yield* Effect.logInfo("last");
          // Written when the process exits.
          process.listeners("exit").at(-1)?.(0);
          assert.deepStrictEqual(written.splice(0), [["last", ""]]);
        }).pipe(Effect.provide(Logger.layer([logger])));
      }),
  );
});
