import { assert, describe, it } from "@effect/vitest";
import { Cause, Effect, Logger, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { stripVTControlCharacters } from "node:util";
import { vi } from "vitest";
import { AccessLogEntry } from "../../src/telemetry/AccessLogEntry.ts";
import { batchedLogger, jsonLine, prettyLine } from "../../src/telemetry/LogLines.ts";
import { secretMask } from "../../src/telemetry/SecretMasking.ts";

const parsed = (line: string): unknown => JSON.parse(line);

/** The log lines of an effect, as Waypost and as Effect format them. */
const both = (effect: Effect.Effect<void>) => {
  const waypostLines: Array<string> = [];
  const effectLines: Array<string> = [];
  return Effect.as(
    Effect.provide(
      effect,
      Logger.layer([
        Logger.map(jsonLine(secretMask()), (line) => void waypostLines.push(line)),
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
      assert.deepStrictEqual<unknown>(waypostLines.map(parsed), effectLines.map(parsed));
      assert.notInclude(waypostLines.join(), "wpd_secret");
    }),
  );

  it.effect(
    "a line for people is one line, without secrets and control characters (log.secrets, running.lines)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour");
        for (const hasColors of [false, true]) {
          const lines: Array<string> = [];
          const logger = Logger.map(prettyLine(secretMask(), hasColors), (line) => void lines.push(line));
          yield* Effect.gen(function* () {
            yield* Effect.annotateLogs(Effect.logInfo("request\n"), {
              path: "/\u009B31m\u202E/wps_0123456789abcdef",
              status: 200,
              name: "two words",
              token: Redacted.make("wpd_secret"),
            });
            yield* Effect.logError("A fault", Cause.die(new Error("broken by wps_0123456789abcdef \u0007")));
          }).pipe(Effect.provide(Logger.layer([logger])));
          assert.lengthOf(lines, 2);
          const [first = "", second = ""] = lines.map(stripVTControlCharacters);
          assert.match(first, /^\d\d:\d\d:\d\d INFO /);
          assert.strictEqual(
            first.slice("00:00:00 INFO ".length),
            "request\\u000a path=/\\u009b31m\\u202e/wps_<redacted> status=200 " +
              'name="two words" token=<redacted>',
          );
          assert.match(second, /^\d\d:\d\d:\d\d ERROR A fault\nError: broken by wps_<redacted> \\u0007\n/);
          assert.strictEqual(lines.join().includes("\u001B["), hasColors);
        }
      }),
  );

  it.effect(
    "a JSON line has no secrets and no control characters, whatever the entry holds (log.secrets)",
    () =>
      Effect.gen(function* () {
        const { waypostLines } = yield* both(
          Effect.gen(function* () {
            const path = "/\u009B31m\u202E/wps_0123456789abcdef";
            yield* Effect.annotateLogs(Effect.logInfo("request wps_0123456789abcdef"), { path });
            yield* Effect.annotateLogs(Effect.logWarning("refused"), { path, cause: { deep: [path] } });
            yield* Effect.logError(Cause.die(new Error(path)));
          }),
        );
        assert.lengthOf(waypostLines, 3);
        for (const line of waypostLines) {
          assert.notInclude(line, "0123456789abcdef");
          assert.notMatch(line, /\p{Cc}|\p{Bidi_Control}/u);
          assert.include(JSON.stringify(parsed(line)), "\u009B31m\u202E/wps_<redacted>");
        }
      }),
  );

  it.effect("an entry of the access log equals one with its fields as annotations, and is one line", () =>
    Effect.gen(function* () {
      const fields = { path: "/\u009B31m\u202E", status: 200, ms: 0.25 };
      const lines: Array<string> = [];
      const logger = Logger.map(prettyLine(secretMask(), false), (line) => void lines.push(line));
      const { waypostLines } = yield* both(
        Effect.gen(function* () {
          yield* Effect.annotateLogs(Effect.logInfo("request"), { process: "api 1", ...fields });
          yield* Effect.annotateLogs(Effect.logInfo(new AccessLogEntry(fields)), { process: "api 1" });
        }),
      );
      assert.strictEqual(waypostLines[1], waypostLines[0]);
      assert.notMatch(waypostLines.join(), /\p{Cc}|\p{Bidi_Control}/u);
      yield* Effect.provide(Effect.logInfo(new AccessLogEntry(fields)), Logger.layer([logger]));
      assert.strictEqual(
        lines[0]?.slice("00:00:00 ".length),
        "INFO request path=/\\u009b31m\\u202e status=200 ms=0.25",
      );
    }),
  );

  it.effect("log lines of ten milliseconds are written together; a warning is written immediately", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers()),
      );
      const written: Array<ReadonlyArray<unknown>> = [];
      const logger = batchedLogger(jsonLine(secretMask()), (text) =>
        written.push(
          text
            .split("\n")
            .map((line) => (line === "" ? "" : (JSON.parse(line) as { message: unknown }).message)),
        ),
      );
      yield* Effect.gen(function* () {
        yield* Effect.logInfo("first");
        yield* Effect.logInfo("second");
        vi.advanceTimersByTime(9);
        assert.deepStrictEqual(written, []);
        vi.advanceTimersByTime(1);
        assert.deepStrictEqual(written.splice(0), [["first", "second", ""]]);
        yield* Effect.logInfo("third");
        yield* Effect.logWarning("fourth");
        assert.deepStrictEqual(written.splice(0), [["third", "fourth", ""]]);
        vi.advanceTimersByTime(10);
        assert.deepStrictEqual(written, []);
        yield* Effect.logInfo("last");
        // Written when the process exits.
        process.listeners("exit").at(-1)?.(0);
        assert.deepStrictEqual(written.splice(0), [["last", ""]]);
      }).pipe(Effect.provide(Logger.layer([logger])));
    }),
  );
});
