import { Clock, Effect, Layer } from "effect";
import { Worker } from "../workers/Worker.ts";
import { Erasures } from "./Erasures.ts";

/** After this time no transaction runs that read a device before it was erased. */
const completedAfter = 30_000;

/** Completes the erasures that are due. Two workers may do the same, which changes nothing. */
export const completeErasures: Effect.Effect<void, never, Erasures> = Effect.gen(function* () {
  const erasures = yield* Erasures;
  const now = yield* Clock.currentTimeMillis;
  while (yield* erasures.complete(now - completedAfter));
});

/** The job that completes erasures, within a minute (contract Q3). */
export const erasureCompletion = Layer.effectDiscard(
  Worker.every("erasures", "5 seconds", completeErasures, { isTraced: false }),
);
