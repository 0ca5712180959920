import { assert, describe, it } from "@effect/vitest";
import { Cause, Effect, Logger, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { jsonLine, writtenTogether } from "../../src/telemetry/LogLines.ts";

/** What an effect logs, line by line, in our own words and in Effect's. */
const both = (effect: Effect.Effect<void>) => {
  const ours: Array<string> = [];
  const theirs: Array<string> = [];
  return Effect.as(
    Effect.provide(
      effect,
      Logger.layer([
        Logger.map(jsonLine, (line) => void ours.push(line)),
        Logger.map(Logger.formatJson, (line) => void theirs.push(line)),
      ]),
    ),
    { ours, theirs },
  );
};

describe("A log line", () => {
  it.effect("is what Effect's own formatter makes of the same entry, whatever it holds", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour");
      const circle: { self?: unknown } = {};
      circle.self = circle;
      const { ours, theirs } = yield* both(
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
      assert.lengthOf(ours, 6);
      assert.deepStrictEqual(ours, theirs);
      assert.notInclude(ours.join(), "wpd_secret");
    }),
  );

  it.effect("is written with those of its turn, in order; what warns is written at once", () =>
    Effect.gen(function* () {
      const written: Array<ReadonlyArray<unknown>> = [];
      const logger = writtenTogether(jsonLine, (text) =>
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
