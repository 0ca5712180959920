import { Deferred, Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { BatchSize } from "../../src/sending/sends/Send.ts";
import { SendBatches } from "../../src/sending/sends/SendBatches.ts";
import { SendStarts } from "../../src/sending/sends/SendStarts.ts";
import { lockWait } from "../database/OnCitus.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { sendWorld } from "./sends/SendWorld.ts";

/** A Waypost without workers: the test starts sends and runs batches itself. */
export const manualWorkersOn = (database: typeof TestDatabase.layer) =>
  Layer.mergeAll(SendStarts.layer, SendBatches.layer).pipe(
    Layer.provideMerge(TestWaypost.layerWith({ roles: new Set(["api"]) }, database)),
  );
/** The same with a database of its own. */
export const manualWorkers = manualWorkersOn(TestDatabase.layer);

/** Moves the time. */
export const at = (time: string) => TestClock.setTime(Date.parse(time));
/** Starts due sends, with batches of ten. */
export const start = Effect.flatMap(SendStarts, ({ startDue }) => startDue).pipe(
  Effect.flatMap(({ report }) => report),
  Effect.provideService(BatchSize, 10),
);
/** Runs one batch, or small ones with ten devices together; false if there is none. */
export const batch = Effect.flatMap(SendBatches, ({ runNext }) => runNext).pipe(
  Effect.provideService(BatchSize, 10),
);
/** Runs batches until there is none. */
export const drain = Effect.gen(function* () {
  while (yield* batch);
});

/** A started send to a hundred devices in batches of ten. */
export const running = (campaign: object = {}, more: object = {}) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const { production } = world;
    yield* production.crowd(100);
    const campaignId = yield* production.push(campaign);
    const notificationId = yield* production.sent(campaignId, "12:30", more);
    yield* at("2026-11-21T12:30:00Z");
    yield* start;
    const send = Effect.map(production.sends(), ([first]) => first);
    return { ...world, ...production, campaignId, notificationId, send };
  });

/** Each of `count` devices, once. */
export const once = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ device_key: index + 1, count: 1 }));

/**
 * Locks one device of the send's first batch, so that a worker has the batch in progress until it is
 * released.
 */
export const blockedBatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const go = yield* Deferred.make<void>();
  const held = yield* Deferred.make<void>();
  const holder = yield* Effect.gen(function* () {
    yield* sql`
      INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
        content_key, content_type, trigger_type, transport, status, created_at)
      SELECT b.workspace_id, b.environment, b.source_id, 1, 1, 1, 1, 'message', 'fixed_time', 'inbox',
        'queued', '2026-11-21Z'
      FROM send_batch b WHERE b.batch = 1`;
    yield* Deferred.succeed(held, undefined);
    yield* Deferred.await(go);
    return yield* Effect.interrupt;
  }).pipe(sql.withTransaction, Effect.exit, Effect.forkChild);
  yield* Deferred.await(held);
  const worker = yield* Effect.forkChild(batch);
  yield* lockWait("%WITH batch AS%");
  const release = Effect.andThen(Deferred.succeed(go, undefined), Fiber.join(holder));
  return { release, worker };
}).pipe(Effect.orDie);
