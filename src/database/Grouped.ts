import { Effect, Exit } from "effect";

/**
 * Writes what concurrent callers bring together: while one batch is on its way, the next one gathers. A lone caller waits for
 * nobody; under load a batch costs little more than one. `run` gets at most `most` items and answers each in its place; when it
 * fails, so does every caller of that batch. The batch goes on when a caller is interrupted.
 */
export const grouped = <Item, Answer, E, R>(
  most: number,
  run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, E, R>,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    interface Waiting {
      readonly item: Item;
      readonly resume: (answer: Effect.Effect<Answer, E>) => void;
    }
    let gathering: Array<Waiting> = [];
    let running = false;

    const drain: Effect.Effect<void, never, R> = Effect.gen(function* () {
      while (gathering.length > 0) {
        const batch = gathering.slice(0, most);
        gathering = gathering.slice(most);
        const exit = yield* Effect.exit(run(batch.map((waiting) => waiting.item)));
        batch.forEach((waiting, place) => {
          if (Exit.isFailure(exit)) return waiting.resume(Effect.failCause(exit.cause));
          const answer = exit.value[place];
          waiting.resume(
            answer === undefined
              ? Effect.die(new Error("A batch left a caller without answer"))
              : Effect.succeed(answer),
          );
        });
      }
      running = false;
    });

    return (item) =>
      Effect.callback<Answer, E>((resume) => {
        gathering.push({ item, resume });
        if (running) return;
        running = true;
        Effect.runForkWith(context)(drain);
      });
  });
