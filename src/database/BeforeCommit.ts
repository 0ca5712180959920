import { Context, Data, Effect } from "effect";

/**
 * The last effect of a new transaction, before it commits; nothing by default. If it fails, the transaction
 * is rolled back. Its failure must be a defect, because the types of `Database.atomically` do not show it.
 */
export const BeforeCommit = Context.Reference<Effect.Effect<void>>("waypost/database/BeforeCommit", {
  defaultValue: () => Effect.void,
});

/**
 * The defect of a transaction that its last check refused, with the reason. A statement refuses the commit by
 * the SQL function `refuse_commit(reason)`, so that nobody has to wait for its rows.
 */
export class CommitRefused extends Data.TaggedClass("CommitRefused")<{ readonly reason: string }> {}

/** Runs the effect, and then what the context wants before the commit. */
export const checkedBeforeCommit = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tap(effect, () => Effect.flatten(BeforeCommit));
