import { Clock, Context, Effect, Layer } from "effect";
import { Settings } from "../../config/Settings.ts";
import { databaseAlone } from "../../database/ConnectedProcesses.ts";
import { RequestActivity } from "../../http/RequestActivity.ts";

/** The pause after a batch, as a share of the batch's duration. */
const share = 0.1;
const maxMillis = 1_000;

/**
 * Pauses after batches, so that the processors and disk of the database are free for requests several times a
 * second during a large send. A batch during which no request began or ended has none, if all requests come
 * to this process: it has the role `api`, and no other process is connected to the database.
 */
export class BatchPauses extends Context.Service<BatchPauses>()("waypost/sending/BatchPauses", {
  make: Effect.gen(function* () {
    const isAlone = yield* databaseAlone;
    const activity = yield* RequestActivity;
    const { roles } = yield* Settings;

    const isUnused = (changesBefore: number) =>
      Effect.flatMap(activity.changes, (changes) =>
        roles.has("api") && changes === changesBefore ? isAlone : Effect.succeed(false),
      );

    return {
      /** Runs a batch, then pauses unless nothing else used the database meanwhile. */
      pausing: Effect.fnUntraced(function* (batch: Effect.Effect<boolean>) {
        const began = yield* Clock.currentTimeMillis;
        const changes = yield* activity.changes;
        const hasRun = yield* batch;
        const took = (yield* Clock.currentTimeMillis) - began;
        if (hasRun && took > 0 && !(yield* isUnused(changes)))
          yield* Effect.sleep(Math.min(took * share, maxMillis));
        return hasRun;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(BatchPauses, BatchPauses.make);
}
