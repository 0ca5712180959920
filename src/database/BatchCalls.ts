import { Deferred, Effect, Exit } from "effect";
import { CurrentDatabaseTime } from "./pool/DatabaseTime.ts";

/** A call that waits for the answer of its batch. */
export interface Call<Item, Answer, E> {
  readonly item: Item;
  readonly answer: Deferred.Deferred<Answer, E>;
}

/** Gives the calls of a batch their answers, or its failure. */
export const settle = <Item, Answer, E>(
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
export const called = <Item, Answer, E>(
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

const answerAt = <Answer>(answers: ReadonlyArray<Answer>, index: number): Exit.Exit<Answer> =>
  index < answers.length
    ? Exit.succeed(answers[index] as Answer)
    : Exit.die(new Error("A batch returned too few answers"));
