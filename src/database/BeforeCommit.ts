import { Context, Effect } from "effect";

/**
 * What a new transaction runs last, before it commits; nothing by default. If it fails, the transaction is
 * rolled back. Its failure must be a defect, because the types of `Database.atomically` do not show it.
 */
export const BeforeCommit = Context.Reference<Effect.Effect<void>>("waypost/database/BeforeCommit", {
  defaultValue: () => Effect.void,
});

/** Runs the effect, and then what the context wants before the commit. */
export const checkedBeforeCommit = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tap(effect, () => Effect.flatten(BeforeCommit));
