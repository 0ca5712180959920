import { Cause, Context, Effect } from "effect";

/** Errands of this request that are done, by name; null while no transaction is around the handler. */
const Done = Context.Reference<ReadonlyMap<string, unknown> | null>("waypost/http/Errand/Done", {
  defaultValue: () => null,
});

/** Thrown as a defect by a handler that needs an errand: who holds the transaction lets go of it, does the errand and begins anew. */
class Needed {
  readonly name: string;
  readonly work: Effect.Effect<unknown>;
  constructor(name: string, work: Effect.Effect<unknown>) {
    this.name = name;
    this.work = work;
  }
}

/**
 * Work of a handler that takes long and is no SQL, such as asking another server, so that no transaction may wait for it. Without
 * an Idempotency-Key it is done at once: call it before the service opens its own transaction. With one, the handler runs
 * in the transaction that will hold its answer; that is then rolled back, the errand done with no connection held, and the handler run
 * again, which finds the result under `name`. What comes before an errand must be fit to run twice, as all that a
 * transaction holds must be.
 */
export const outsideTransaction = <A>(name: string, work: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(Done, (done) => {
    if (done === null) return work;
    return done.has(name) ? Effect.succeed(done.get(name) as A) : Effect.die(new Needed(name, work));
  });

/** For who holds the transaction: provides what errands came to, and does those that a run was given up for. */
export const outsideWork = () => {
  const done = new Map<string, unknown>();
  return {
    provide: <A, E, R>(handler: Effect.Effect<A, E, R>) => Effect.provideService(handler, Done, done),
    /** True when the run was given up for an errand, which is done now: run again. */
    catchUp: Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
      const needed = cause.reasons
        .filter(Cause.isDieReason)
        .map(({ defect }) => defect)
        .find((defect) => defect instanceof Needed);
      if (needed === undefined) return false;
      done.set(needed.name, yield* needed.work);
      return true;
    }),
  };
};
