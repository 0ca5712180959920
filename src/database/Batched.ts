import { Deferred, Effect, Exit, Queue, type Scope } from "effect";

/**
 * Writes what concurrent callers bring together: while one batch is on its way, the next one gathers. A lone caller waits for
 * nobody; under load a batch costs little more than one. `run` gets at most `most` items and answers each in its place; when it
 * fails, so does every caller of that batch. A batch goes on when a caller is interrupted, and never joins a caller's
 * transaction. After a batch of several, which tells that many come, the next one gathers for `pause` milliseconds more: larger batches
 * cost less than they wait. A lone caller never waits for that.
 */
export const batched = <Item, Answer, E, R>(
  most: number,
  run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, E, R>,
  pause = 0,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Queue.unbounded<{
      readonly item: Item;
      readonly answer: Deferred.Deferred<Answer, E>;
    }>();

    const batch = Effect.gen(function* () {
      const taken = yield* Queue.takeBetween(waiting, 1, most);
      const exit = yield* Effect.exit(run(taken.map(({ item }) => item)));
      taken.forEach(({ answer }, place) =>
        Deferred.doneUnsafe(
          answer,
          Exit.isFailure(exit) ? Exit.failCause(exit.cause) : answerAt(exit.value, place),
        ),
      );
      if (pause > 0 && taken.length > 1) yield* rest(pause);
    });
    yield* Effect.forkScoped(Effect.forever(batch));

    return (item) =>
      Effect.suspend(() => {
        const answer = Deferred.makeUnsafe<Answer, E>();
        Queue.offerUnsafe(waiting, { item, answer });
        return Deferred.await(answer);
      });
  });

/** By the machine's clock, also where a test has the time in its hands: it says nothing about what happens, only when. */
const rest = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis);
    return Effect.sync(() => clearTimeout(timer));
  });

const answerAt = <Answer>(answers: ReadonlyArray<Answer>, place: number): Exit.Exit<Answer> =>
  place < answers.length
    ? Exit.succeed(answers[place] as Answer)
    : Exit.die(new Error("A batch left a caller without an answer"));
