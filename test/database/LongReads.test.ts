import { afterEach, assert, describe, it, vi } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber, Layer, Scheduler } from "effect";
import { TestClock } from "effect/testing";
import { LongReads, ReadPause } from "../../src/database/LongReads.ts";
import { OnLongConnections } from "../../src/database/pool/LongConnections.ts";
import { ConnectionDivision, divided } from "../../src/database/pool/PoolLimits.ts";
import { noteRequest } from "../../src/database/RecentWorkspaces.ts";
import { ServiceUnavailable } from "../../src/wire/ApiError.ts";
import { eventually } from "../Eventually.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const withConnections = (connections: number) =>
  Effect.provide(Layer.provide(LongReads.layer, Layer.succeed(ConnectionDivision, divided(connections))));

const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(effect, { startImmediately: true });

/** A read that runs until `end`, and notes that it has begun and ended. */
const endless = Effect.gen(function* () {
  const end = yield* Deferred.make<void>();
  const seen = { begun: 0, ended: 0 };
  const read = Effect.gen(function* () {
    seen.begun++;
    yield* Deferred.await(end);
    seen.ended++;
  });
  return { end: Deferred.succeed(end, undefined), read, seen };
});

describe("LongReads", () => {
  it.effect(
    "a request that is interrupted at any time leaves its permit to others (running.neighbours)",
    () =>
      Effect.gen(function* () {
        const { exported, run } = yield* LongReads;
        const reads = [run(1, Effect.void), exported(1, Effect.void, Effect.void)];
        for (const read of reads) {
          // Under load a fiber yields to the event loop between any two operations.
          for (const operations of [3, 4, 5]) {
            for (let turns = 0; turns < 60; turns++) {
              const first = yield* fork(Effect.provideService(read, Scheduler.MaxOpsBeforeYield, operations));
              for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow;
              yield* Fiber.interrupt(first);
              const next = yield* fork(read);
              yield* eventually(Effect.sync(() => next.pollUnsafe() !== undefined));
            }
          }
        }
      }).pipe(withConnections(20)),
  );

  it.effect(
    "beside other workspaces the next read waits as long as the last one took (running.neighbours)",
    () => {
      const pauses: Array<{ readonly millis: number; readonly resume: () => void }> = [];
      let now = 0;
      vi.spyOn(performance, "now").mockImplementation(() => now);
      const taking = (millis: number) => Effect.sync(() => void (now += millis));
      return Effect.gen(function* () {
        const { run } = yield* LongReads;
        noteRequest(2);
        noteRequest(1);
        for (const [took, pause] of [
          [300, 300],
          [900, 900],
          [5_000, 1_000],
        ] as const) {
          noteRequest(2);
          yield* run(
            1,
            Effect.andThen(
              taking(took),
              Effect.sync(() => noteRequest(2)),
            ),
          );
          const next = yield* fork(run(1, Effect.void));
          yield* Effect.yieldNow;
          assert.isUndefined(next.pollUnsafe());
          // Another workspace does not wait.
          yield* run(3, Effect.void);
          for (const { millis, resume } of pauses.splice(0)) {
            if (millis > 0) assert.strictEqual(millis, pause);
            resume();
          }
          yield* Fiber.join(next);
          for (const { resume } of pauses.splice(0)) resume();
        }
      }).pipe(
        withConnections(20),
        Effect.provideService(ReadPause, (millis, resume) => void pauses.push({ millis, resume })),
      );
    },
  );

  it.effect("without requests of other workspaces reads follow each other without a pause", () => {
    const pauses: Array<number> = [];
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    return Effect.gen(function* () {
      const { run } = yield* LongReads;
      noteRequest(2);
      now += 1_000;
      for (let count = 0; count < 3; count++) {
        noteRequest(1);
        yield* run(
          1,
          Effect.sync(() => void (now += 10)),
        );
      }
      assert.deepStrictEqual(pauses, []);
      noteRequest(2);
      yield* run(
        1,
        Effect.sync(() => void (now += 10)),
      );
      assert.deepStrictEqual(pauses, [10]);
    }).pipe(
      withConnections(20),
      Effect.provideService(ReadPause, (millis, resume) => {
        pauses.push(millis);
        resume();
      }),
    );
  });

  it.effect("one workspace leaves the last permit to another one (running.neighbours)", () =>
    Effect.gen(function* () {
      const { run } = yield* LongReads;
      const { end, read, seen } = yield* endless;
      const own = [yield* fork(run(1, read)), yield* fork(run(1, read))];
      assert.strictEqual(seen.begun, 1);
      assert.strictEqual(yield* run(2, Effect.succeed("read")), "read");
      yield* end;
      yield* Fiber.joinAll(own);
      assert.strictEqual(seen.ended, 2);
    }).pipe(withConnections(20)),
  );

  it.effect("a read that waits for 15 seconds is refused with Retry-After, and never begins (B3.3)", () =>
    Effect.gen(function* () {
      const { run } = yield* LongReads;
      const { end, read, seen } = yield* endless;
      const running = yield* fork(run(1, read));
      const waiting = yield* fork(Effect.flip(run(1, read)));
      yield* TestClock.adjust("15 seconds");
      const refusal = yield* Fiber.join(waiting);
      assert.instanceOf(refusal, ServiceUnavailable);
      assert.strictEqual(refusal.retryAfter, 5);
      yield* end;
      yield* Fiber.join(running);
      assert.deepStrictEqual(seen, { begun: 1, ended: 1 });
    }).pipe(withConnections(20)),
  );

  it.effect("a read whose client goes away keeps its permit until it ends", () =>
    Effect.gen(function* () {
      const { run } = yield* LongReads;
      const { end, read, seen } = yield* endless;
      const gone = yield* fork(run(1, read));
      yield* Fiber.interrupt(gone);
      const next = yield* fork(run(1, read));
      assert.deepStrictEqual(seen, { begun: 1, ended: 0 });
      yield* end;
      yield* Fiber.join(next);
      assert.deepStrictEqual(seen, { begun: 2, ended: 2 });
    }).pipe(withConnections(20)),
  );

  it.effect("a read that fails gives its permit back", () =>
    Effect.gen(function* () {
      const { run } = yield* LongReads;
      assert.strictEqual(yield* Effect.flip(run(1, Effect.fail("no"))), "no");
      assert.isTrue(Exit.isFailure(yield* Effect.exit(run(1, Effect.die(new Error("broken"))))));
      assert.strictEqual(yield* run(1, Effect.succeed("read")), "read");
    }).pipe(withConnections(2)),
  );

  it.effect("an export keeps its permit until its query ends, and reads do not wait for it", () =>
    Effect.gen(function* () {
      const { exported, run } = yield* LongReads;
      const { end, read, seen } = yield* endless;
      const file = exported<void | null, never, never>(1, read, Effect.succeed(null));
      const files = [yield* fork(file), yield* fork(file), yield* fork(file)];
      yield* eventually(Effect.sync(() => seen.begun === 2));
      assert.strictEqual(yield* run(1, Effect.succeed("read")), "read");
      yield* end;
      yield* Fiber.joinAll(files);
      assert.strictEqual(seen.ended, 3);
    }).pipe(withConnections(20)),
  );

  it.effect("a small file needs no permit, and is read first only where none is free (running.files)", () =>
    Effect.gen(function* () {
      const { exported } = yield* LongReads;
      const { end, read, seen } = yield* endless;
      const whole = Effect.as(read, "whole");
      const [small, long] = [Effect.succeed("small"), Effect.succeed(null)];
      const files = [
        yield* fork(exported(1, whole, small)),
        yield* fork(exported(1, whole, small)),
        yield* fork(exported(2, whole, small)),
        yield* fork(exported(2, whole, small)),
      ];
      yield* eventually(Effect.sync(() => seen.begun === 4));
      assert.strictEqual(yield* exported(1, whole, small), "small");
      assert.strictEqual(yield* exported(3, whole, small), "small");
      const third = yield* fork(exported<string | null, never, never>(3, whole, long));
      yield* end;
      assert.strictEqual(yield* Fiber.join(third), "whole");
      assert.deepStrictEqual(yield* Fiber.joinAll(files), ["whole", "whole", "whole", "whole"]);
    }).pipe(withConnections(20)),
  );

  it.effect("statements of reads run on the connections for long reads, others do not", () =>
    Effect.gen(function* () {
      const { run } = yield* LongReads;
      const isLong = Effect.gen(function* () {
        return yield* OnLongConnections;
      });
      assert.isTrue(yield* run(1, isLong));
      assert.isFalse(yield* isLong);
    }).pipe(withConnections(20)),
  );
});

describe("divided", () => {
  it("short statements always have a connection, and no process has more than its own", () => {
    for (let connections = 2; connections <= 100; connections++) {
      const { long, reads, short } = divided(connections);
      assert.isAtLeast(short, connections < 4 ? 1 : Math.ceil(connections / 2));
      assert.strictEqual(short + long, connections);
      assert.isTrue(connections < 5 || long > reads, "an export has a connection beside reads");
    }
  });

  it("with six connections, files of a workspace leave a permit to another one (running.neighbours)", () => {
    assert.strictEqual(divided(5).exports, 1);
    for (let connections = 6; connections <= 100; connections++) {
      const { exports, long, reads } = divided(connections);
      assert.isAtLeast(exports, 2);
      assert.isAtLeast(long, reads + exports, "each has a connection");
    }
  });
});
