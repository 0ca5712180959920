import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Logger, References } from "effect";
import { TestClock } from "effect/testing";
import { Settings } from "../../src/config/Settings.ts";
import { Worker } from "../../src/workers/Worker.ts";

/** A process with these roles, and the lines that it logs. */
const processOf = (roles: string) => {
  const lines: Array<string> = [];
  const log = Layer.merge(
    Logger.layer([Logger.map(Logger.formatLogFmt, (line) => lines.push(line))]),
    Layer.succeed(References.MinimumLogLevel, "Info"),
  );
  const settings = Layer.effect(Settings, Settings.fromRecord({ WAYPOST_ROLES: roles }));
  return { lines, layer: Layer.merge(log, settings) };
};

/** Counts its runs and fails those whose number, from 1, is given. */
const countingJob = (failing: ReadonlyArray<number> = []) => {
  const job = { runs: 0 };
  const run = Effect.suspend(() => {
    job.runs++;
    return failing.includes(job.runs) ? Effect.fail(new Error(`run ${job.runs} failed`)) : Effect.void;
  });
  return { job, run };
};

describe("Worker.every", () => {
  it.effect("a job runs at once and then after each pause", () => {
    const { job, run } = countingJob();
    return Effect.gen(function* () {
      yield* Worker.every("retention", "1 hour", run);
      yield* TestClock.adjust(0);
      assert.strictEqual(job.runs, 1);
      yield* TestClock.adjust("59 minutes");
      assert.strictEqual(job.runs, 1);
      yield* TestClock.adjust("1 minute");
      assert.strictEqual(job.runs, 2);
    }).pipe(Effect.scoped, Effect.provide(processOf("api,worker").layer));
  });

  it.effect("a process without the role worker starts no job", () => {
    const { job, run } = countingJob();
    return Effect.gen(function* () {
      yield* Worker.every("retention", "1 hour", run);
      yield* TestClock.adjust("3 hours");
      assert.strictEqual(job.runs, 0);
    }).pipe(Effect.scoped, Effect.provide(processOf("api").layer));
  });

  it.effect("a job stops with its scope", () => {
    const { job, run } = countingJob();
    return Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.andThen(Worker.every("retention", "1 minute", run), TestClock.adjust("1 minute")),
      );
      assert.strictEqual(job.runs, 2);
      yield* TestClock.adjust("1 hour");
      assert.strictEqual(job.runs, 2);
    }).pipe(Effect.provide(processOf("worker").layer));
  });

  it.effect("a job runs again as soon as it is woken", () => {
    const { job, run } = countingJob();
    return Effect.gen(function* () {
      let wakes = 1;
      const wake = Effect.suspend(() => (wakes-- > 0 ? Effect.void : Effect.never));
      yield* Worker.every("thumbnails", "1 hour", run, { wake });
      yield* TestClock.adjust(0);
      assert.strictEqual(job.runs, 2);
      yield* TestClock.adjust("1 hour");
      assert.strictEqual(job.runs, 3);
    }).pipe(Effect.scoped, Effect.provide(processOf("worker").layer));
  });

  it.effect(
    "a failed run is retried after at least a second, and a series of failures is logged once",
    () => {
      const { job, run } = countingJob([2, 3, 4]);
      const { layer, lines } = processOf("worker");
      return Effect.gen(function* () {
        yield* Worker.every("thumbnails", "10 millis", run);
        yield* TestClock.adjust("10 millis");
        assert.strictEqual(job.runs, 2);
        yield* TestClock.adjust("999 millis");
        assert.strictEqual(job.runs, 2);
        yield* TestClock.adjust("1 millis");
        yield* TestClock.adjust("2 seconds");
        assert.isAtLeast(job.runs, 5);
        assert.lengthOf(
          lines.filter((line) => line.includes("The job thumbnails failed")),
          1,
        );
        assert.lengthOf(
          lines.filter((line) => line.includes("The job thumbnails works again")),
          1,
        );
      }).pipe(Effect.scoped, Effect.provide(layer));
    },
  );

  it.effect("a failed hourly run is retried after a minute", () => {
    const { job, run } = countingJob([1]);
    return Effect.gen(function* () {
      yield* Worker.every("retention", "1 hour", run);
      yield* TestClock.adjust("59 seconds");
      assert.strictEqual(job.runs, 1);
      yield* TestClock.adjust("1 second");
      assert.strictEqual(job.runs, 2);
    }).pipe(Effect.scoped, Effect.provide(processOf("worker").layer));
  });

  it.effect("a defect counts as a failed run, not as the end of the job", () => {
    const { job, run } = countingJob();
    return Effect.gen(function* () {
      const dies = Effect.andThen(run, Effect.die(new Error("a defect")));
      yield* Worker.every("thumbnails", "1 second", dies);
      yield* TestClock.adjust("5 seconds");
      assert.strictEqual(job.runs, 6);
    }).pipe(Effect.scoped, Effect.provide(processOf("worker").layer));
  });
});
