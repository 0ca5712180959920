import { Cause, Clock, Context, Data, Effect, Fiber, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { distinctTenants } from "../../database/TenantColumns.ts";
import { Transport } from "../../devices/PushAddress.ts";
import { eachApart } from "../../workers/WorkspaceTurns.ts";
import { initialStatus } from "../deliveries/Delivery.ts";
import { countEnrolled } from "../arms/EnrolmentMetrics.ts";
import { Experiments } from "../arms/Experiments.ts";
import { PushCredentials } from "../credentials/PushCredentials.ts";
import { BatchLeasesSql, type TakenBatch } from "./batches/BatchLeasesSql.ts";
import { BatchSize, type StartedSend } from "./Send.ts";
import { type AddedFigures, type FinishedSend, SendBatchesSql } from "./SendBatchesSql.ts";
import { type CreatedDeliveries, SendDeliveriesSql, type TransportStatus } from "./SendDeliveriesSql.ts";
import { quietZones } from "./holding/SendQuietHours.ts";
import { Recipients } from "../rendering/Recipients.ts";
import { countBatches, logDone } from "./SendMetrics.ts";

/** How long a batch is leased; another process takes it after that. Renewed by heartbeats. */
const leaseMillis = 10_000;
const heartbeat = "3 seconds";
/** How long a stopping process waits for its running batch. */
const shutdownTimeout = "8 seconds";

/** The most batches that run in one transaction. */
const maxTogether = 500;

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

const sourceName = ({ environment, sourceId, workspaceId }: StartedSend): string =>
  `${workspaceId}/${environment}/${sourceId}`;

/** Additions of batches to the figures of their sends, one row for each send. */
const figuresOf = (
  taken: ReadonlyArray<TakenBatch>,
  created: ReadonlyArray<CreatedDeliveries>,
): ReadonlyArray<AddedFigures> => {
  const bySend = Map.groupBy(created, sourceName);
  const sends = new Map(taken.map((each) => [sourceName(each), each]));
  return [...sends].map(([name, { environment, sourceId, workspaceId }]) => {
    const rows = bySend.get(name) ?? [];
    const sum = (status: string | null) =>
      rows.reduce((total, one) => total + (status === null || one.status === status ? one.count : 0), 0);
    const dropped = sum("dropped");
    const figures = {
      targeted: sum(null) - dropped,
      delivered: sum("delivered"),
      failed: sum("failed"),
      held: sum("held"),
      dropped,
    };
    return { workspaceId, environment, sourceId, ...figures };
  });
};

const batchAttributes = (taken: ReadonlyArray<TakenBatch>): Record<string, unknown> => {
  const [first] = taken;
  if (first === undefined || taken.length > 1) return { "waypost.batches": taken.length };
  return {
    "waypost.workspace_key": first.workspaceId,
    "waypost.environment": first.environment,
    "waypost.send_no": String(first.sourceId),
    "waypost.batch": first.batch,
  };
};

const sendAttributes = ([finished]: ReadonlyArray<FinishedSend>): Record<string, unknown> => ({
  "waypost.campaign": finished?.campaignId,
  "waypost.workspace": finished?.workspace,
  "waypost.send": finished?.id,
});

/** Runs the batches of started sends: creates the deliveries, whose pushes `push/PushDispatcher.ts` sends. */
export class SendBatches extends Context.Service<SendBatches>()("waypost/sending/SendBatches", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const leases = yield* BatchLeasesSql;
    const repository = yield* SendBatchesSql;
    const deliveries = yield* SendDeliveriesSql;
    const credentials = yield* PushCredentials;
    const recipients = yield* Recipients;
    const experiments = yield* Experiments;
    const scope = yield* Effect.scope;

    /** How deliveries begin in the environments of batches. */
    const initialStatuses = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenBatch>) {
      const tenants = distinctTenants(taken);
      const configured = yield* credentials.configured(tenants);
      return tenants.flatMap(({ environment, workspaceId }, index): Array<TransportStatus> => [
        ...Transport.literals.map((transport) => ({
          workspaceId,
          environment,
          route: transport,
          ...initialStatus(transport, configured[index] ?? new Set()),
        })),
        { workspaceId, environment, route: "rendered", status: "queued", lastError: null },
      ]);
    });

    /**
     * The zones of the devices of batches in which quiet hours hold or drop messages now. A device that
     * moves into a zone of no other device between this statement and the next gets its message at once.
     */
    const quietOf = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenBatch>, now: number) {
      const quiet = taken.filter((each) => each.quiet !== null);
      if (quiet.length === 0) return [];
      return quietZones(quiet, yield* deliveries.zones(quiet), now);
    });

    const createDeliveries = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenBatch>, now: number) {
      const audiences = taken.flatMap((each) =>
        each.audience === null ? [] : [[each, each.audience] as const],
      );
      if (audiences.length > 0) yield* repository.allowLongStatements;
      for (const [each, audience] of audiences)
        yield* repository.splitAudience(each, audience, yield* BatchSize, now);
      const reaching = taken.filter(({ audience }) => audience === null);
      if (reaching.length === 0) return { created: [], enrolled: {} };
      const quiet = yield* quietOf(reaching, now);
      const statuses = yield* initialStatuses(reaching);
      // A message that is held is rendered when it is made, one that waits for its pace when it is sent.
      const held = new Set(quiet.flatMap(({ action, sourceId }) => (action === "hold" ? sourceId : [])));
      const facts = yield* recipients.ofSends(
        reaching.filter(({ paced, sourceId }) => !paced || held.has(sourceId)),
      );
      const arms = yield* experiments.ofSends(reaching.filter(({ experiment }) => experiment));
      return yield* deliveries.deliver(reaching, statuses, quiet, facts, arms, now);
    });

    /**
     * Runs batches in one transaction: their deliveries, the figures of their sends and the ends of the
     * batches commit together. The sends are locked only from `count` on, so that stopping one waits for no
     * insert; the batches then find it stopped and roll back.
     */
    const runTogether = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenBatch>) {
      const now = yield* Clock.currentTimeMillis;
      const { created, enrolled } = yield* createDeliveries(taken, now);
      const figures = figuresOf(taken, created);
      if ((yield* repository.count(figures)).length < figures.length) return yield* new BatchLost();
      if ((yield* repository.close(taken)).length < taken.length) return yield* new BatchLost();
      const finished = yield* repository.finish(figures, now);
      yield* Effect.annotateCurrentSpan(finished.length === 1 ? sendAttributes(finished) : {});
      return { created, enrolled, finished };
    }, database.atomically);

    const heartbeats = (taken: ReadonlyArray<TakenBatch>) =>
      Effect.forever(
        Effect.delay(
          Effect.flatMap(Clock.currentTimeMillis, (now) => leases.renew(taken, now, leaseMillis)),
          heartbeat,
        ),
      );

    /** Logs sends that are done; many of them while the next batches run. */
    const logFinished = (finished: ReadonlyArray<FinishedSend>) => {
      const logged = Effect.forEach(finished, logDone, { discard: true });
      return finished.length > 1 ? Effect.forkIn(logged, scope) : logged;
    };

    /**
     * Runs batches together. If a send was stopped, a batch was lost or anything failed, each runs by itself,
     * so that one batch does not hold up the others.
     */
    const run = (taken: ReadonlyArray<TakenBatch>): Effect.Effect<void> =>
      runTogether(taken).pipe(
        Effect.withSpan("send.batch", { root: true, attributes: batchAttributes(taken) }),
        Effect.tap(({ enrolled }) => countEnrolled(enrolled)),
        Effect.flatMap(({ created, finished }) =>
          Effect.andThen(countBatches("done", taken.length, created), logFinished(finished)),
        ),
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause) && !Database.isUnavailable(cause),
          (cause) => {
            if (taken.length > 1) return Effect.asVoid(eachApart(taken, (each) => run([each])));
            return Cause.hasFails(cause) ? countBatches("lost", 1) : Effect.failCause(cause);
          },
        ),
        Effect.catchTag("BatchLost", Effect.die),
      );

    /** Leases one batch and, if it is small, more up to the size of a full one. */
    const take = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis;
      const size = yield* BatchSize;
      const [first] = yield* leases.take(now, leaseMillis, size);
      if (first === undefined) return [];
      const room = size - first.width;
      if (room <= 0) return [first];
      return [first, ...(yield* leases.takeMore(now, leaseMillis, size, room, maxTogether - 1))];
    });

    return {
      /** Takes open batches, as many as make a full one together, and runs them. False if there is none. */
      runNext: finishing(
        Effect.gen(function* () {
          const taken = yield* take;
          if (taken.length === 0) return false;
          yield* Effect.raceFirst(run(taken), heartbeats(taken));
          return true;
        }),
      ),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendBatches, SendBatches.make).pipe(
    Layer.provide([BatchLeasesSql.layer, SendBatchesSql.layer, SendDeliveriesSql.layer, Recipients.layer]),
    Layer.provide(Experiments.layer),
  );
}
