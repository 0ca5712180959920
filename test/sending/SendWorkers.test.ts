import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { BatchSize } from "../../src/sending/Send.ts";
import { SendBatches } from "../../src/sending/SendBatches.ts";
import { SendStarts } from "../../src/sending/SendStarts.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { sendWorld } from "./SendWorld.ts";

/** No worker but those that the test itself is. */
const byHand = Layer.mergeAll(SendStarts.layer, SendBatches.layer).pipe(
  Layer.provideMerge(TestWaypost.layerWith({ roles: new Set(["api"]) })),
);

const at = (time: string) => TestClock.setTime(Date.parse(time));
const start = Effect.flatMap(SendStarts, ({ startDue }) => startDue).pipe(
  Effect.provideService(BatchSize, 10),
);
const batch = Effect.flatMap(SendBatches, ({ runNext }) => runNext).pipe(
  Effect.provideService(BatchSize, 10),
);
const drain = Effect.gen(function* () {
  while (yield* batch);
});

layer(byHand)("A worker", (it) => {
  /** A send of a hundred devices in batches of ten, which has started. */
  const running = (campaign: object = {}, more: object = {}) =>
    Effect.gen(function* () {
      const world = yield* sendWorld();
      const { production } = world;
      yield* production.crowd(100);
      const campaignId = yield* production.push(campaign);
      const notificationId = yield* production.sent(campaignId, "12:30", more);
      yield* at("2026-11-21T12:30:00Z");
      yield* start;
      const send = Effect.map(production.sends(), ([first]) => first);
      const figures = Effect.map(send, ({ delivered, failed, status, targeted }) => [
        status,
        targeted,
        delivered,
        failed,
      ]);
      return { ...world, ...production, campaignId, notificationId, send, figures };
    });

  const once = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ device_no: index + 1, count: 1 }));

  it.effect("shows exactly how far a send is", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      for (const done of [0, 10, 20, 30]) {
        assert.deepStrictEqual(yield* figures, ["running", done, done, 0]);
        assert.lengthOf(yield* deliveries, done);
        yield* batch;
      }
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
    }),
  );

  it.effect("shares a send with others, and no device gets it twice (L5)", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      // Starting twice starts once.
      yield* Effect.all([start, start], { concurrency: "unbounded" });
      yield* Effect.all([drain, drain, drain, drain], { concurrency: "unbounded" });
      assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect(
    "makes up for a downtime while the campaign's day lasts, and then marks the send missed (L2)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        const phone = yield* production.phone();
        const early = yield* production.push({ timezone: "Asia/Tokyo", starts_at: "2026-11-21" });
        yield* production.sent(early, "22:00");
        const late = yield* production.push();
        yield* production.sent(late, "12:30");
        // 23:59:59 in Tokyo, the last moment of its day.
        yield* at("2026-11-21T14:59:59Z");
        const registered = yield* production.phone();
        yield* start;
        yield* drain;
        assert.deepInclude((yield* production.sends())[0], {
          status: "done",
          targeted: 2,
          started_at: "2026-11-21T14:59:59+00:00",
        });
        yield* production.sent(late, "16:00");
        yield* at("2026-11-22T00:00:00Z");
        yield* start;
        yield* drain;
        const [, , missed] = yield* production.sends();
        assert.deepInclude(missed, {
          status: "missed",
          targeted: 0,
          started_at: null,
          finished_at: "2026-11-22T00:00:00+00:00",
        });
        assert.lengthOf(yield* phone.inbox(), 2);
        assert.lengthOf(yield* registered.inbox(), 2);
      }),
  );

  it.effect("comes too late for what was due in a pause, though it is published by then (L3)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.crowd(1);
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:30");
      yield* production.ask(campaign, "pause");
      yield* at("2026-11-21T12:30:00Z");
      yield* production.ask(campaign, "publish");
      assert.strictEqual((yield* production.sends())[0].status, "skipped");
      yield* start;
      yield* drain;
      assert.deepStrictEqual(yield* production.deliveries, []);
    }),
  );

  it.effect("stops at once when the campaign is paused, and the send keeps what was delivered (L3)", () =>
    Effect.gen(function* () {
      const { ask, campaignId, deliveries, figures, send } = yield* running();
      yield* batch;
      yield* batch;
      yield* at("2026-11-21T12:30:01Z");
      yield* ask(campaignId, "pause");
      assert.deepStrictEqual(yield* figures, ["skipped", 20, 20, 0]);
      assert.strictEqual((yield* send).finished_at, "2026-11-21T12:30:01+00:00");
      yield* ask(campaignId, "publish");
      yield* start;
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["skipped", 20, 20, 0]);
      assert.lengthOf(yield* deliveries, 20);
    }),
  );

  it.effect("stops at once when the notification is taken off or the campaign deleted (L3, E10)", () =>
    Effect.gen(function* () {
      for (const rest of ["", "notification"]) {
        const { campaignId, deliveries, figures, notificationId, remove } = yield* running();
        yield* batch;
        yield* remove(rest === "" ? campaignId : `${campaignId}/notifications/${notificationId}`);
        assert.deepStrictEqual(yield* figures, ["cancelled", 10, 10, 0]);
        yield* drain;
        assert.deepStrictEqual(yield* figures, ["cancelled", 10, 10, 0]);
        assert.lengthOf(yield* deliveries, 10);
      }
    }),
  );

  /** Holds one device of the send's first batch back, so that the batch is under way until it is let go. */
  const heldUp = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const letGo = yield* Deferred.make<void>();
    const held = yield* Deferred.make<void>();
    const holder = yield* Effect.gen(function* () {
      yield* sql`
        INSERT INTO delivery (workspace_id, environment, origin, device_no, campaign_no, notification_no, content_no, content_type,
          trigger_type, transport, status, created_at)
        SELECT b.workspace_id, b.environment, b.origin, 1, 1, 1, 1, 'message', 'fixed_time', 'inbox', 'queued', '2026-11-21Z'
        FROM send_batch b WHERE b.batch = 1`;
      yield* Deferred.succeed(held, undefined);
      yield* Deferred.await(letGo);
      return yield* Effect.interrupt;
    }).pipe(sql.withTransaction, Effect.exit, Effect.forkChild);
    yield* Deferred.await(held);
    const worker = yield* Effect.forkChild(batch);
    /** The worker's own insert waits for the device now. */
    const isWaiting = Effect.gen(function* () {
      while (true) {
        const rows =
          yield* sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%made AS%'
          AND datname = current_database() AND pid <> pg_backend_pid()`;
        if (rows.length > 0) return;
      }
    });
    yield* TestClock.withLive(Effect.timeout(isWaiting, "20 seconds"));
    return Effect.andThen(
      Effect.andThen(Deferred.succeed(letGo, undefined), Fiber.join(holder)),
      Fiber.join(worker),
    );
  }).pipe(Effect.orDie);

  it.effect("does not hold up a pause, and what it was about to deliver is not delivered (L3)", () =>
    Effect.gen(function* () {
      const { ask, campaignId, deliveries, figures } = yield* running();
      const letGo = yield* heldUp;
      assert.strictEqual((yield* ask(campaignId, "pause")).status, 200);
      assert.deepStrictEqual(yield* figures, ["skipped", 0, 0, 0]);
      yield* letGo;
      assert.deepStrictEqual(yield* figures, ["skipped", 0, 0, 0]);
      assert.deepStrictEqual(yield* deliveries, []);
    }),
  );

  it.effect("that lost its lease changes nothing: the other one's batch counts, once (L5)", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      const sql = yield* SqlClient.SqlClient;
      const letGo = yield* heldUp;
      // Nobody takes what is leased.
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["running", 90, 90, 0]);
      // Another one took the batch when the lease was over, and is at work.
      yield* sql`UPDATE send_batch SET fence = fence + 1, leased_until = '2026-11-21T12:30:20Z'`;
      yield* letGo;
      assert.deepStrictEqual(yield* figures, ["running", 90, 90, 0]);
      assert.lengthOf(yield* deliveries, 90);
      // That one dies too.
      yield* at("2026-11-21T12:30:19.999Z");
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["running", 90, 90, 0]);
      yield* at("2026-11-21T12:30:20Z");
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect("that is interrupted finishes the batch at hand", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      const worker = yield* Effect.forkChild(drain, { startImmediately: true });
      yield* Fiber.interrupt(worker);
      const done = (yield* deliveries).length;
      assert.deepStrictEqual(yield* figures, ["running", done, done, 0]);
      const sql = yield* SqlClient.SqlClient;
      assert.lengthOf(yield* sql`SELECT FROM send_batch WHERE leased_until IS NOT NULL`, 0);
      yield* drain;
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect("keeps a cap over sends of the same minute, however many work at them (L4)", () =>
    Effect.gen(function* () {
      const { campaignId, deliveries, production, sends } = yield* running(
        { frequency_cap_count: 2, frequency_cap_period: "week" },
        { headline: "First" },
      );
      for (const headline of ["Second", "Third"]) yield* production.sent(campaignId, "12:31", { headline });
      yield* at("2026-11-21T12:31:00Z");
      yield* Effect.all([start, start], { concurrency: "unbounded" });
      const workers = [drain, drain, drain, drain];
      // A worker that finds nothing to take now may find it later.
      for (let round = 0; round < 5; round++) yield* Effect.all(workers, { concurrency: "unbounded" });
      assert.deepStrictEqual(
        (yield* sends()).map(({ status, targeted }: any) => [status, targeted]),
        [
          ["done", 100],
          ["done", 100],
          ["done", 0],
        ],
      );
      assert.isTrue((yield* deliveries).every(({ count }) => count === 2));
    }),
  );

  it.effect("reaches who was approved, and in the segment, when the send started (L2, L6)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      yield* sandbox.crowd(25);
      const approve = (from: number, approved: boolean) =>
        sql`UPDATE device SET approved = ${approved} WHERE workspace_id = ${sandbox.workspaceId} AND no > ${from}`;
      yield* approve(15, false);
      yield* sandbox.sent(yield* sandbox.push(), "12:30");
      yield* at("2026-11-21T12:30:00Z");
      yield* start;
      yield* batch;
      yield* approve(0, true);
      yield* drain;
      assert.deepStrictEqual(yield* sandbox.deliveries, once(15));
      assert.deepInclude((yield* sandbox.sends())[0], { status: "done", targeted: 15, delivered: 15 });
    }),
  );

  it.effect("does not let a small send wait for a large one", () =>
    Effect.gen(function* () {
      const { figures, production } = yield* running();
      yield* batch;
      const small = yield* production.push();
      yield* production.sent(small, "12:31");
      yield* at("2026-11-21T12:31:00Z");
      yield* start;
      yield* batch;
      const [, second] = yield* production.sends();
      assert.strictEqual(second.targeted, 10);
      assert.deepStrictEqual(yield* figures, ["running", 10, 10, 0]);
      yield* drain;
    }),
  );

  it.effect("and changes that come at the same time leave every figure true", () =>
    Effect.gen(function* () {
      const world = yield* sendWorld();
      const { production } = world;
      yield* production.crowd(60);
      const campaigns = yield* Effect.forEach([0, 1, 2, 3, 4, 5], () =>
        Effect.gen(function* () {
          const campaign = yield* production.push();
          return { campaign, notification: yield* production.sent(campaign, "12:30") };
        }),
      );
      yield* at("2026-11-21T12:30:00Z");
      const asked = ({ campaign, notification }: (typeof campaigns)[number], index: number) =>
        [
          [production.ask(campaign, "pause"), production.ask(campaign, "publish")],
          [production.resent(campaign, notification, "12:45"), production.remove(campaign)],
          [production.remove(`${campaign}/notifications/${notification}`)],
        ][index % 3] ?? [];
      const answers = yield* Effect.all(
        [
          Effect.andThen(start, drain),
          Effect.andThen(start, drain),
          Effect.forEach(campaigns, (each, index) => Effect.all(asked(each, index)), { concurrency: 3 }),
        ],
        { concurrency: "unbounded" },
      );
      assert.isTrue(answers[2].flat().every(({ status }) => status === 200));
      yield* drain;
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql<{ status: string; targeted: number; count: number; open: number }>`
        SELECT s.status, s.targeted, (SELECT count(*)::int FROM delivery d WHERE d.origin = s.origin) AS count,
          (SELECT count(*)::int FROM send_batch b WHERE b.origin = s.origin) AS open
        FROM send s WHERE s.workspace_id = ${production.workspaceId}`;
      assert.isAtLeast(rows.length, 6);
      for (const { count, open, status, targeted } of rows) {
        assert.strictEqual(count, targeted);
        assert.strictEqual(open, 0);
        assert.notStrictEqual(status, "running");
        if (status === "done") assert.strictEqual(targeted, 60);
      }
    }),
  );
});
