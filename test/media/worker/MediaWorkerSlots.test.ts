import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest";
import { Effect, Fiber, Layer, Scheduler } from "effect";
import { ChildProcess } from "node:child_process";
import { MediaWorkerProgram } from "../../../src/media/worker/MediaWorkerProcess.ts";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";

/** Media workers whose program cannot be started, so that each job ends at once. */
const withoutProgram = MediaWorkers.layer.pipe(
  Layer.provide(Layer.succeed(MediaWorkerProgram, { command: "/no/such/program", parameters: [] })),
);

// A kill of a process that was not started would end the tests.
beforeEach(() => void vi.spyOn(ChildProcess.prototype, "kill").mockReturnValue(true));
afterEach(() => void vi.restoreAllMocks());

describe("Media workers", () => {
  it.effect("a worker that cannot be started is never killed: that would kill Waypost (H1.4)", () =>
    Effect.gen(function* () {
      const { inspect } = yield* MediaWorkers;
      const error = yield* Effect.flip(inspect(1, import.meta.filename));
      assert.strictEqual(error._tag, "MediaWorkersUnavailable");
      assert.strictEqual(vi.mocked(ChildProcess.prototype.kill).mock.calls.length, 0);
    }).pipe(Effect.provide(withoutProgram)),
  );

  it.effect("a request that is interrupted at any time leaves its slot to the next file (H1.4)", () =>
    Effect.gen(function* () {
      const { inspect } = yield* MediaWorkers;
      const fork = (operations: number) =>
        Effect.forkChild(
          Effect.provideService(
            Effect.exit(inspect(1, import.meta.filename)),
            Scheduler.MaxOpsBeforeYield,
            operations,
          ),
        );
      // Under load a fiber yields to the event loop between any two operations.
      for (const operations of [3, 4, 5]) {
        for (let turns = 0; turns < 60; turns++) {
          const first = yield* fork(operations);
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow;
          yield* Fiber.interrupt(first);
          const next = yield* fork(2048);
          for (let turn = 0; turn < 300 && next.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow;
          assert.isDefined(next.pollUnsafe(), `interrupted after ${turns} turns of ${operations} operations`);
        }
      }
    }).pipe(Effect.provide(withoutProgram)),
  );
});
