import { Clock, Context, Data, Effect, Fiber, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { Transport } from "../devices/PushAddress.ts";
import { initialStatus } from "./Delivery.ts";
import { PushCredentials } from "./push/PushCredentials.ts";
import { BatchSize } from "./Send.ts";
import { SendBatchesSql, type TakenBatch } from "./SendBatchesSql.ts";
import { countBatch, logDone } from "./SendMetrics.ts";

/** How long a batch is leased; another process takes it after that. Renewed by heartbeats. */
const leaseMillis = 10_000;
const heartbeat = "3 seconds";
/** How long a stopping process waits for its running batch. */
const shutdownTimeout = "8 seconds";

/** The send was stopped, or another process has the batch. The transaction rolls back. */
class BatchLost extends Data.TaggedError("BatchLost") {}

/** Lets running work finish when its fiber is interrupted, until the shutdown timeout. */
const finishing = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(work)), (fiber) =>
      restore(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() =>
          Effect.andThen(Effect.timeoutOption(Fiber.await(fiber), shutdownTimeout), Fiber.interrupt(fiber)),
        ),
      ),
    ),
  );

/** Runs the batches of started sends: creates the deliveries, whose pushes `push/PushDispatcher.ts` sends. */
export class SendBatches extends Context.Service<SendBatches>()("waypost/sending/SendBatches", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* SendBatchesSql;
    const credentials = yield* PushCredentials;

    const createDeliveries = Effect.fnUntraced(function* (taken: TakenBatch, now: number) {
      if (taken.audience !== null) {
        yield* repository.splitAudience(taken, taken.audience, yield* BatchSize);
        return [];
      }
      const [configured = new Set()] = yield* credentials.configured([taken]);
      const statuses = Transport.literals.map((transport) => ({
        transport,
        ...initialStatus(transport, configured),
      }));
      return yield* repository.deliver(taken, statuses, now);
    });

    /**
     * Runs a batch in one transaction: its deliveries, the send's figures and the end of the batch commit
     * together. The send is locked only from `count` on, so that stopping it waits for no insert; the batch
     * then finds it stopped and rolls back.
     */
    const run = Effect.fnUntraced(function* (taken: TakenBatch) {
      const now = yield* Clock.currentTimeMillis;
      const created = yield* createDeliveries(taken, now);
      const sum = (status: string | null) =>
        created.reduce((total, one) => total + (status === null || one.status === status ? one.count : 0), 0);
      const figures = { targeted: sum(null), delivered: sum("delivered"), failed: sum("failed") };
      if ((yield* repository.count(taken, figures)).length === 0) return yield* new BatchLost();
      if ((yield* repository.close(taken)).length === 0) return yield* new BatchLost();
      const [finished] = yield* repository.finish(taken, now);
      return { created, finished };
    }, database.atomically);

    const heartbeats = (taken: TakenBatch) =>
      Effect.forever(
        Effect.delay(
          Effect.flatMap(Clock.currentTimeMillis, (now) => repository.renew(taken, now, leaseMillis)),
          heartbeat,
        ),
      );

    return {
      /** Takes one open batch and runs it. False if there is none to take. */
      runNext: finishing(
        Effect.gen(function* () {
          const [taken] = yield* repository.take(yield* Clock.currentTimeMillis, leaseMillis);
          if (taken === undefined) return false;
          const work = Effect.catchTag(run(taken), "BatchLost", () => Effect.succeed(null));
          const { batch, environment, sourceId, workspaceId } = taken;
          const result = yield* Effect.raceFirst(work, heartbeats(taken)).pipe(
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
          if (result === null) yield* countBatch("lost");
          else {
            yield* countBatch("done", result.created);
            if (result.finished !== undefined) yield* logDone(taken.environment, result.finished);
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
