import { Deferred, Effect, Exit, Queue, type Scope } from "effect";
import { setTimeout as delay } from "node:timers/promises";
import { CurrentDatabaseTime } from "./pool/DatabaseTime.ts";

/**
 * Combines concurrent calls into batches: while a batch runs, further calls gather for the next one. A single
 * call is never delayed; under load a batch costs little more than one call. `run` gets at most `maxBatch`
 * items and returns their answers in the same order. If it fails, all calls of the batch fail. A batch
 * outlives an interrupted caller and never joins a caller's transaction. After a batch of several calls the
 * next one gathers for `pause` milliseconds more: under load, larger batches save more than the wait costs.
 * A request waits for its answer only as long as it has time for the database; then it fails as unavailable.
 */
export const batched = <Item, Answer, E, R>(
  maxBatch: number,
  run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, E, R>,
  pause = 0,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<{
      readonly item: Item;
      readonly answer: Deferred.Deferred<Answer, E>;
    }>();

    const runBatch = Effect.gen(function* () {
      const batch = yield* Queue.takeBetween(calls, 1, maxBatch);
      const exit = yield* Effect.exit(run(batch.map(({ item }) => item)));
      batch.forEach(({ answer }, index) =>
        Deferred.doneUnsafe(
          answer,
          Exit.isFailure(exit) ? Exit.failCause(exit.cause) : answerAt(exit.value, index),
        ),
      );
      // In real time, because a batch must not wait for a test to move its clock.
      if (pause > 0 && batch.length > 1)
        yield* Effect.promise((signal) => delay(pause, undefined, { signal }));
    });
    yield* Effect.forkScoped(Effect.forever(runBatch));

    return (item) =>
      Effect.withFiber((fiber) => {
        const answer = Deferred.makeUnsafe<Answer, E>();
        Queue.offerUnsafe(calls, { item, answer });
        const time = fiber.getRef(CurrentDatabaseTime);
        if (time === null) return Deferred.await(answer);
        const end = time.start(() => Deferred.doneUnsafe(answer, Exit.die(time.exceeded)));
        return Effect.onExit(Deferred.await(answer), () => Effect.sync(end));
      });
  });

const answerAt = <Answer>(answers: ReadonlyArray<Answer>, index: number): Exit.Exit<Answer> =>
  index < answers.length
    ? Exit.succeed(answers[index] as Answer)
    : Exit.die(new Error("A batch returned too few answers"));
