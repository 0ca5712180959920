import { Deferred, Effect, Exit, FiberSet, Queue, type Scope } from "effect";
import { setTimeout as delay } from "node:timers/promises";
import { CurrentDatabaseTime } from "./pool/DatabaseTime.ts";

/** A call that waits for the answer of its batch. */
interface Call<Item, Answer, E> {
  readonly item: Item;
  readonly answer: Deferred.Deferred<Answer, E>;
}

/** Gives the calls of a batch their answers, or its failure. */
const settle = <Item, Answer, E>(
  batch: ReadonlyArray<Call<Item, Answer, E>>,
  exit: Exit.Exit<ReadonlyArray<Answer>, E>,
): void => {
  batch.forEach(({ answer }, index) =>
    Deferred.doneUnsafe(
      answer,
      Exit.isFailure(exit) ? Exit.failCause(exit.cause) : answerAt(exit.value, index),
    ),
  );
};

/** Adds a call, and waits for its answer as long as the request has time for the database. */
const called = <Item, Answer, E>(
  item: Item,
  add: (call: Call<Item, Answer, E>) => void,
): Effect.Effect<Answer, E> =>
  Effect.withFiber((fiber) => {
    const answer = Deferred.makeUnsafe<Answer, E>();
    add({ item, answer });
    const time = fiber.getRef(CurrentDatabaseTime);
    if (time === null) return Deferred.await(answer);
    const end = time.start(() => Deferred.doneUnsafe(answer, Exit.die(time.exceeded)));
    return Effect.onExit(Deferred.await(answer), () => Effect.sync(end));
  });

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
    const calls = yield* Queue.unbounded<Call<Item, Answer, E>>();

    const runBatch = Effect.gen(function* () {
      const batch = yield* Queue.takeBetween(calls, 1, maxBatch);
      settle(batch, yield* Effect.exit(run(batch.map(({ item }) => item))));
      // In real time, because a batch must not wait for a test to move its clock.
      if (pause > 0 && batch.length > 1)
        yield* Effect.promise((signal) => delay(pause, undefined, { signal }));
    });
    yield* Effect.forkScoped(Effect.forever(runBatch));

    return (item) => called<Item, Answer, E>(item, (call) => Queue.offerUnsafe(calls, call));
  });

/**
 * As `batched`, with batches of calls that have the same key. Batches of different keys run at the same time,
 * so that none waits for another one.
 */
export const batchedByKey = <Item, Answer, E, R>(
  maxBatch: number,
  keyOf: (item: Item) => string,
  run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, E, R>,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    // It has the services of this moment, so no batch joins the transaction of a caller.
    const fork = yield* FiberSet.makeRuntime<R>();
    /** The calls that no batch has taken, by key. A key has an entry while its fiber runs. */
    const waiting = new Map<string, Array<Call<Item, Answer, E>>>();

    const runBatches = (key: string, calls: Array<Call<Item, Answer, E>>) =>
      Effect.gen(function* () {
        while (calls.length > 0) {
          const batch = calls.splice(0, maxBatch);
          settle(batch, yield* Effect.exit(run(batch.map(({ item }) => item))));
        }
        waiting.delete(key);
      });

    return (item) =>
      called<Item, Answer, E>(item, (call) => {
        const key = keyOf(item);
        const calls = waiting.get(key);
        if (calls !== undefined) {
          calls.push(call);
          return;
        }
        const own = [call];
        waiting.set(key, own);
        fork(runBatches(key, own));
      });
  });

const answerAt = <Answer>(answers: ReadonlyArray<Answer>, index: number): Exit.Exit<Answer> =>
  index < answers.length
    ? Exit.succeed(answers[index] as Answer)
    : Exit.die(new Error("A batch returned too few answers"));
