import { Cause, Context, Effect } from "effect";

/**
 * The results of a request's work outside the transaction, by name; null if no transaction is around the
 * handler.
 */
const Results = Context.Reference<ReadonlyMap<string, unknown> | null>(
  "waypost/http/OutsideTransaction/Results",
  { defaultValue: () => null },
);

/** The defect by which a handler asks for work outside the transaction. */
class WorkRequested {
  readonly name: string;
  readonly work: Effect.Effect<unknown>;
  constructor(name: string, work: Effect.Effect<unknown>) {
    this.name = name;
    this.work = work;
  }
}

/**
 * Runs slow work that is not SQL, such as a request to another server, while no transaction is open. Without
 * an Idempotency-Key it runs in place, so call it before the service opens its transaction. With a key, the
 * handler runs in the transaction that stores its response: that is rolled back, the work runs without a
 * connection, and the handler runs again and finds the result under `name`. What the handler does before must
 * be repeatable, as in any transaction.
 */
export const outsideTransaction = <A>(name: string, work: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(Results, (results) => {
    if (results === null) return work;
    return results.has(name)
      ? Effect.succeed(results.get(name) as A)
      : Effect.die(new WorkRequested(name, work));
  });

/**
 * For the holder of the transaction: provides the results to the handler, and runs the work that it asked
 * for.
 */
export const outsideWork = () => {
  const results = new Map<string, unknown>();
  return {
    provide: <A, E, R>(handler: Effect.Effect<A, E, R>) => Effect.provideService(handler, Results, results),
    /**
     * Runs the work that a run of the handler failed for; true if there was any, so that the handler can run
     * again.
     */
    catchUp: Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
      const requested = cause.reasons
        .filter(Cause.isDieReason)
        .map(({ defect }) => defect)
        .find((defect) => defect instanceof WorkRequested);
      if (requested === undefined) return false;
      results.set(requested.name, yield* requested.work);
      return true;
    }),
  };
};
