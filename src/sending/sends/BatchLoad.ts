import { Clock, Context, Effect, Layer } from "effect";
import { Settings } from "../../config/Settings.ts";
import { databaseAlone } from "../../database/ConnectedProcesses.ts";
import { RequestActivity } from "../../http/RequestActivity.ts";

/** The pause after a batch, as a share of the batch's duration. */
const share = 0.1;
const maxMillis = 1_000;

/**
 * Decides how much of the database a large send uses. While nothing else does, two batches run at the same
 * time, without pauses: during the last batch no request began or ended, all requests come to this process,
 * as it has the role `api`, and no other process is connected. Otherwise batches run one after another, with
 * a pause after each, so that the processors and the disk are free for requests several times a second.
 */
export class BatchLoad extends Context.Service<BatchLoad>()("waypost/sending/BatchLoad", {
  make: Effect.gen(function* () {
    const isAlone = yield* databaseAlone;
    const activity = yield* RequestActivity;
    const { roles } = yield* Settings;

    const isUnused = (changesBefore: number) =>
      Effect.flatMap(activity.changes, (changes) =>
        roles.has("api") && changes === changesBefore ? isAlone : Effect.succeed(false),
      );

    let isFree = false;

    return {
      /**
       * Runs `batch`, once or twice at the same time, then pauses if something else used the database. False
       * if there was none; fails as the first that failed, when both have ended.
       */
      limited: Effect.fnUntraced(function* (batch: Effect.Effect<boolean>) {
        const began = yield* Clock.currentTimeMillis;
        const changes = yield* activity.changes;
        const exits = yield* Effect.replicateEffect(Effect.exit(batch), isFree ? 2 : 1, {
          concurrency: "unbounded",
        });
        const hasRun = (yield* Effect.all(exits)).includes(true);
        const took = (yield* Clock.currentTimeMillis) - began;
        isFree = hasRun && took > 0 && (yield* isUnused(changes));
        if (hasRun && took > 0 && !isFree) yield* Effect.sleep(Math.min(took * share, maxMillis));
        return hasRun;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(BatchLoad, BatchLoad.make);
}
