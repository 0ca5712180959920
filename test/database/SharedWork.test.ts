import { afterEach, assert, describe, it, vi } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber, Option } from "effect";
import { Database } from "../../src/database/Database.ts";
import { ReadPause } from "../../src/database/LongReads.ts";
import { CurrentDatabaseTime, DatabaseTime } from "../../src/database/pool/DatabaseTime.ts";
import { noteRequest } from "../../src/database/RecentWorkspaces.ts";
import { oneAtATime } from "../../src/database/SharedWork.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(effect, { startImmediately: true });

/** Runs work of workspace 1 that takes so long, one after another, and gives the pauses. */
const pausesOf = (works: ReadonlyArray<number>, meanwhile: () => void) => {
  const pauses: Array<number> = [];
  let now = 10_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  return Effect.gen(function* () {
    noteRequest(2);
    noteRequest(1);
    now += 1_000;
    for (const millis of works) {
      const work = Effect.sync(() => {
        now += millis;
        meanwhile();
        return millis;
      });
      assert.strictEqual(yield* oneAtATime(1, work), millis);
    }
    return pauses;
  }).pipe(
    Effect.provideService(ReadPause, (millis, resume) => {
      pauses.push(millis);
      resume();
    }),
  );
};

describe("oneAtATime", () => {
  it.effect("of the work of a workspace one runs at a time, beside that of others (running.neighbours)", () =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>();
      const seen = { running: 0, most: 0, done: 0 };
      const work = Effect.gen(function* () {
        seen.most = Math.max(seen.most, ++seen.running);
        yield* Deferred.await(end);
        seen.running--;
        seen.done++;
      });
      const own = yield* Effect.forEach(Array.from({ length: 20 }), () => fork(oneAtATime(1, work)));
      assert.strictEqual(seen.running, 1);
      assert.strictEqual(yield* oneAtATime(2, Effect.succeed("found")), "found");
      yield* Fiber.interrupt(own[7] as Fiber.Fiber<void>);
      yield* Deferred.succeed(end, undefined);
      yield* Effect.forEach(own, Fiber.await);
      assert.deepStrictEqual(seen, { running: 0, most: 1, done: 19 });
    }),
  );

  it.effect("beside other workspaces the next one waits as long as the last took (running.neighbours)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* pausesOf([40, 300, 5_000], () => noteRequest(2)), [40, 300, 1_000]);
    }),
  );

  it.effect("a response does not wait for the pause behind its work", () =>
    Effect.gen(function* () {
      vi.spyOn(performance, "now").mockReturnValue(50_000);
      const resumes: Array<() => void> = [];
      noteRequest(2);
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* oneAtATime(1, Effect.succeed("first")), "first");
        const next = yield* fork(oneAtATime(1, Effect.succeed("next")));
        yield* Effect.yieldNow;
        assert.isUndefined(next.pollUnsafe());
        resumes.shift()?.();
        assert.strictEqual(yield* Fiber.join(next), "next");
        resumes.shift()?.();
      }).pipe(Effect.provideService(ReadPause, (_, resume) => void resumes.push(resume)));
    }),
  );

  it.effect("without requests of other workspaces there is no pause", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* pausesOf([40, 300], () => noteRequest(1)), []);
    }),
  );

  it.effect("work that fails gives its permit back", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(oneAtATime(3, Effect.fail("no"))), "no");
      assert.isTrue(Exit.isFailure(yield* Effect.exit(oneAtATime(3, Effect.die(new Error("broken"))))));
      assert.strictEqual(yield* oneAtATime(3, Effect.succeed("found")), "found");
    }),
  );

  it.effect("a request waits only as long as it has time for the database (running.neighbours)", () =>
    Effect.gen(function* () {
      const running = yield* fork(oneAtATime(1, Effect.never));
      const waiting = oneAtATime(1, Effect.void).pipe(
        Effect.provideService(CurrentDatabaseTime, new DatabaseTime(0)),
      );
      assert.isTrue(
        Database.isUnavailable(Exit.getCause(yield* Effect.exit(waiting)).pipe(Option.getOrThrow)),
      );
      yield* Fiber.interrupt(running);
      assert.strictEqual(yield* oneAtATime(1, Effect.succeed("next")), "next");
    }),
  );
});
