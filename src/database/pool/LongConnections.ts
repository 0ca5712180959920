import { Context, Effect } from "effect";

/** Whether statements and transactions run on the connections for long reads. */
export const OnLongConnections = Context.Reference<boolean>("waypost/database/pool/OnLongConnections", {
  defaultValue: () => false,
});

/** Runs the statements of an effect on the connections for long reads, where no short one waits for them. */
export const onLongConnections = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, OnLongConnections, true);
