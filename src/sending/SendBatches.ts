import { Clock, Context, Data, Effect, Fiber, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { Transport } from "../devices/PushAddress.ts";
import { beginning } from "./Delivery.ts";
import { PushCredentials } from "./push/PushCredentials.ts";
import { BatchSize } from "./Send.ts";
import { SendBatchesSql, type TakenBatch } from "./SendBatchesSql.ts";
import { countBatch, tellDone } from "./SendMetrics.ts";

/** How long a batch is held without a sign of life, and how often one is given: another process takes over after the first. */
const leaseMillis = 10_000;
const heartbeat = "3 seconds";
/** How long the batch at hand may take to its end when the process is stopped. */
const patience = "8 seconds";

/** The send was stopped, or another process has the batch: what was done of it is rolled back. */
class BatchLost extends Data.TaggedError("BatchLost") {}

/** Lets work that has begun come to its end when its fiber is interrupted, within bounds. */
const finishing = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(work)), (fiber) =>
      restore(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() =>
          Effect.andThen(Effect.timeoutOption(Fiber.await(fiber), patience), Fiber.interrupt(fiber)),
        ),
      ),
    ),
  );

/** Carries out sends that have started, batch by batch. */
export class SendBatches extends Context.Service<SendBatches>()("waypost/sending/SendBatches", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* SendBatchesSql;
    const credentials = yield* PushCredentials;

    const make = Effect.fnUntraced(function* (taken: TakenBatch, now: number) {
      if (taken.audience !== null) {
        yield* repository.find(taken, taken.audience, yield* BatchSize);
        return [];
      }
      const [configured = new Set()] = yield* credentials.configured([taken]);
      const beginnings = Transport.literals.map((transport) => ({
        transport,
        ...beginning(transport, configured),
      }));
      return yield* repository.deliver(taken, beginnings, now);
    });

    /**
     * One transaction: the deliveries, the figures and the end of the batch are there together or not at all. The send is held only
     * from the figures on, so that whoever stops it waits for nobody: the batch then finds it stopped, and rolls back.
     */
    const carryOut = Effect.fnUntraced(function* (taken: TakenBatch) {
      const now = yield* Clock.currentTimeMillis;
      const made = yield* make(taken, now);
      const sum = (status: string | null) =>
        made.reduce((total, one) => total + (status === null || one.status === status ? one.count : 0), 0);
      const figures = { targeted: sum(null), delivered: sum("delivered"), failed: sum("failed") };
      if ((yield* repository.count(taken, figures)).length === 0) return yield* new BatchLost();
      if ((yield* repository.close(taken)).length === 0) return yield* new BatchLost();
      const [finished] = yield* repository.finish(taken, now);
      return { made, finished };
    }, database.atomically);

    const beat = (taken: TakenBatch) =>
      Effect.forever(
        Effect.delay(
          Effect.flatMap(Clock.currentTimeMillis, (now) => repository.renew(taken, now, leaseMillis)),
          heartbeat,
        ),
      );

    return {
      /** Takes one open batch and carries it out; false when there is none that nobody holds. */
      runNext: finishing(
        Effect.gen(function* () {
          const [taken] = yield* repository.take(yield* Clock.currentTimeMillis, leaseMillis);
          if (taken === undefined) return false;
          const work = Effect.catchTag(carryOut(taken), "BatchLost", () => Effect.succeed(null));
          const { batch, environment, sourceId, workspaceId } = taken;
          const outcome = yield* Effect.raceFirst(work, beat(taken)).pipe(
            Effect.tap((done) =>
              done?.finished === undefined
                ? Effect.void
                : Effect.annotateCurrentSpan({
                    "waypost.campaign": done.finished.campaignId,
                    "waypost.workspace": done.finished.workspace,
                    "waypost.send": done.finished.id,
                  }),
            ),
            Effect.withSpan("send.batch", {
              root: true,
              attributes: {
                "waypost.workspace_key": workspaceId,
                "waypost.environment": environment,
                "waypost.send_no": String(sourceId),
                "waypost.batch": batch,
              },
            }),
          );
          if (outcome === null) yield* countBatch("lost");
          else {
            yield* countBatch("done", outcome.made);
            if (outcome.finished !== undefined) yield* tellDone(taken.environment, outcome.finished);
          }
          return true;
        }),
      ),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendBatches, SendBatches.make).pipe(
    Layer.provide(SendBatchesSql.layer),
  );
}
