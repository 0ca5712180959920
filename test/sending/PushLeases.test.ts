import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber, Layer, Metric } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Config } from "../../src/Config.ts";
import { PushChannels } from "../../src/sending/PushChannels.ts";
import { type HandedOver, PushHandOver } from "../../src/sending/PushHandOver.ts";
import { leaseMillis, pushLeases } from "../../src/sending/PushLeases.ts";
import { PushOutcomesSql } from "../../src/sending/PushOutcomesSql.ts";
import { PushQueueSql } from "../../src/sending/PushQueueSql.ts";
import { pushesUnderWay } from "../../src/sending/PushesUnderWay.ts";
import { PushServices } from "../../src/sending/PushServices.ts";
import { accepted, type Told } from "../../src/sending/transports/PushTransport.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { localServices } from "./LocalServices.ts";
import { eventually, pushed, pushing, pushWorld } from "./PushWorld.ts";

/** How often pushes were counted as uncertain for a cause. */
const uncertainBy = (cause: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all.reduce(
      (sum, each) =>
        each.id === "waypost_push_uncertain_total" && each.attributes?.["cause"] === cause
          ? sum + Number((each.state as { readonly count: number | bigint }).count)
          : sum,
      0,
    ),
  );

/** A phone that a message is fired for, in a lane whose pushes the test takes itself. */
const lane = Effect.gen(function* () {
  const service = yield* localServices.fcm;
  const world = yield* pushWorld(service);
  const { workspaceId } = world.production;
  return { ...world, service, lane: { workspaceId, environment: "production", transport: "fcm" } as const };
});

/** A channel that keeps what it is told to send, and the way to answer it. */
const silentChannel = () => {
  const answers: Array<(told: Told) => void> = [];
  let givenUp = 0;
  return {
    answers,
    givenUp: () => givenUp,
    open: {
      send: (_: unknown, tell: (told: Told) => void) => {
        answers.push(tell);
        return () => {
          givenUp += 1;
        };
      },
      serviceOf: () => "",
      services: new PushServices(false),
      revision: 1n,
      refusals: 0,
      pausedUntil: 0,
    },
  };
};

const content = {
  campaign_id: "c",
  notification_id: "n",
  type: "message",
  headline: "Hello",
  body: "",
  media: null,
  cta_label: null,
  cta_url: null,
} as const;

const repositories = Layer.mergeAll(PushQueueSql.layer, PushOutcomesSql.layer);
const handingOver = PushHandOver.layer.pipe(
  Layer.provideMerge(repositories),
  Layer.provide(PushChannels.layer),
  Layer.provide(Config.layerTest({})),
);

layer(TestWaypost.layer)("A lease", (it) => {
  it.effect("is proven only for the pushes that a sign of life came through for (L5)", () =>
    Effect.gen(function* () {
      const { fired, lane: place } = yield* lane;
      yield* fired();
      yield* fired();
      const repository = yield* PushQueueSql;
      const leases = yield* pushLeases(repository, place);
      const [mine, lost] = yield* repository.take(place, testStart, leaseMillis, 10);
      if (mine === undefined || lost === undefined) throw new Error("Nothing was taken");
      const since = leases.steadyNow();
      for (const push of [mine, lost]) leases.hold(push, since);
      assert.isTrue(leases.covers(mine, leaseMillis));
      assert.isFalse(leases.covers(mine, leaseMillis + 1));
      // Another worker takes one of them, by a clock that is ahead.
      const sql = yield* SqlClient.SqlClient;
      yield* sql`UPDATE push_queue SET fence = fence + 1 WHERE origin = ${lost.origin} AND device_no = ${lost.deviceNo}`;
      yield* TestClock.adjust("6 seconds");
      assert.isFalse(leases.covers(mine, leaseMillis - 5_000));
      yield* leases.renew();
      assert.isTrue(leases.covers(mine, leaseMillis));
      assert.isFalse(leases.covers(lost, leaseMillis - 5_000));
      yield* TestClock.adjust("10 seconds");
      assert.isFalse(leases.covers(lost, 0));
    }).pipe(Effect.provide(repositories)),
  );

  it.effect("that is nearly over begins no push: it goes back to the queue as if it had not been taken", () =>
    Effect.gen(function* () {
      const { delivery, fired, lane: place } = yield* lane;
      const repository = yield* PushQueueSql;
      const handing = yield* PushHandOver;
      const { message } = yield* fired();
      const [push] = yield* repository.take(place, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      yield* repository.handOver(place, [push]);
      const leases = yield* pushLeases(repository, place);
      leases.hold(push, leases.steadyNow());
      yield* TestClock.adjust("6 seconds");
      const told: Array<HandedOver> = [];
      const channel = silentChannel();
      const underWay = yield* pushesUnderWay(place, handing, leases, (outcome) => told.push(outcome));
      const now = testStart + 6_000;
      assert.strictEqual(yield* underWay.begin(channel.open, [{ push, content }], now), 1);
      assert.lengthOf(channel.answers, 0);
      assert.deepStrictEqual(
        told.map(({ settlement: { dueAt, verdict } }) => [verdict, dueAt]),
        [["returned", now]],
      );
      yield* (yield* PushOutcomesSql).settle(
        place,
        told.map(({ settlement }) => settlement),
        now,
      );
      assert.deepInclude(yield* delivery(message.id), { status: "queued", attempts: 0 });
      const [again] = yield* repository.take(place, now, leaseMillis, 10);
      assert.deepInclude(again, { attempts: 1, firstAt: now, isUncertain: false, fence: push.fence + 1 });
    }).pipe(Effect.scoped, Effect.provide(handingOver)),
  );

  it.effect("is found out by the fence when it was lost, and a push that was taken anew is held on", () =>
    Effect.gen(function* () {
      const { delivery, fired, lane: place } = yield* lane;
      const repository = yield* PushQueueSql;
      const outcomes = yield* PushOutcomesSql;
      const { message } = yield* fired();
      const leases = yield* pushLeases(repository, place);
      const [push] = yield* repository.take(place, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      yield* repository.handOver(place, [push]);
      leases.hold(push, leases.steadyNow());
      const [again] = yield* repository.take(place, testStart + leaseMillis, leaseMillis, 10);
      if (again === undefined) throw new Error("Nothing was taken anew");
      assert.isTrue(again.isUncertain);
      const settle = (fence: number) =>
        outcomes.settle(
          place,
          [{ ...push, fence, verdict: "delivered", error: null, dueAt: null }],
          testStart,
        );
      assert.deepInclude((yield* settle(leases.fenceOf(push)))[0], { settled: 0 });
      assert.isTrue(leases.holds(again));
      leases.adopt(again);
      assert.deepInclude((yield* settle(leases.fenceOf(push)))[0], { settled: 1 });
      assert.deepInclude(yield* delivery(message.id), { status: "delivered" });
    }).pipe(Effect.provide(repositories)),
  );
});

layer(TestWaypost.layer)("A push that is under way", (it) => {
  it.effect("is not given up while its answer is there and the process was too busy to read it (L5)", () =>
    Effect.gen(function* () {
      const { fired, lane: place } = yield* lane;
      const repository = yield* PushQueueSql;
      const handing = yield* PushHandOver;
      yield* fired();
      yield* fired();
      const taken = yield* repository.take(place, testStart, leaseMillis, 10);
      const leases = yield* pushLeases(repository, place);
      for (const push of taken) leases.hold(push, leases.steadyNow());
      const told: Array<HandedOver> = [];
      const done = yield* Deferred.make<void>();
      const channel = silentChannel();
      // Whoever sleeps is woken by the test, at a moment of its choice.
      let wake = () => {};
      const clock = Object.assign(Object.create(yield* Clock.Clock) as Clock.Clock, {
        sleep: () =>
          Effect.callback<void>((resume) => {
            wake = () => resume(Effect.void);
          }),
      });
      const underWay = yield* pushesUnderWay(place, handing, leases, (outcome) => {
        if (told.push(outcome) === 2) Deferred.doneUnsafe(done, Effect.void);
      }).pipe(Effect.provideService(Clock.Clock, clock));
      const ready = taken.map((push) => ({ push, content }));
      assert.strictEqual(yield* underWay.begin(channel.open, ready, testStart), 0);
      // The time is over before the process gets to read anything; then one answer is there, and none for the other.
      yield* TestClock.adjust("12 seconds");
      yield* Effect.sync(() => {
        wake();
        setImmediate(() => channel.answers[0]?.(accepted));
      });
      yield* Deferred.await(done);
      assert.sameMembers(
        told.map(({ settlement: { verdict } }) => verdict),
        ["delivered", "delayed"],
      );
      assert.strictEqual(channel.givenUp(), 1);
    }).pipe(Effect.scoped, Effect.provide(handingOver)),
  );

  /** While the effect runs, the database refuses statements on the queue: those of a kind. */
  const refusing = <A, E, R>(kind: "UPDATE OF fence" | "DELETE", effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`CREATE SEQUENCE IF NOT EXISTS refusals`;
      yield* sql`
        CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM nextval(''refusals''); RAISE EXCEPTION ''no''; END'`;
      yield* sql`CREATE TRIGGER refuse BEFORE ${sql.literal(kind)} ON push_queue EXECUTE FUNCTION refuse()`;
      const result = yield* effect;
      // A sequence counts whatever is rolled back.
      yield* eventually(
        Effect.map(
          sql<{ readonly was: boolean }>`SELECT is_called AS was FROM refusals`.pipe(Effect.orDie),
          ([row]) => row?.was === true,
        ),
      );
      yield* sql`DROP TRIGGER refuse ON push_queue`;
      yield* sql`DROP SEQUENCE refusals`;
      return result;
    }).pipe(Effect.orDie);

  it.effect("goes on when others cannot be taken, whatever is wrong (L5)", () =>
    Effect.gen(function* () {
      const { delivery, fired, service } = yield* lane;
      const release = service.hold("accept");
      const first = yield* fired();
      yield* pushing;
      yield* service.arrived(1);
      const second = yield* fired();
      yield* refusing("UPDATE OF fence", pushing);
      release();
      yield* eventually(
        Effect.gen(function* () {
          yield* TestClock.adjust("500 millis");
          return (yield* delivery(second.message.id))?.status === "delivered";
        }),
      );
      assert.deepInclude(yield* delivery(first.message.id), { status: "delivered", attempts: 1 });
      assert.lengthOf(
        service.ledger.filter(({ id }) => id === first.message.id),
        1,
      );
    }),
  );

  it.effect("is not sent again because its outcome cannot be written down at first (L5)", () =>
    Effect.gen(function* () {
      const { delivery, fired, service } = yield* lane;
      const { message } = yield* fired();
      const before = yield* uncertainBy("unwritten");
      const waiting = yield* refusing(
        "DELETE",
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(pushed);
          yield* service.arrived(1);
          for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second");
          assert.deepInclude(yield* delivery(message.id), { status: "handed_over" });
          return fiber;
        }),
      );
      yield* eventually(
        Effect.gen(function* () {
          yield* TestClock.adjust("500 millis");
          return (yield* delivery(message.id))?.status === "delivered";
        }),
      );
      yield* Fiber.join(waiting);
      assert.deepInclude(yield* delivery(message.id), { status: "delivered", attempts: 1 });
      assert.lengthOf(service.ledger, 1);
      assert.strictEqual(yield* uncertainBy("unwritten"), before);
    }),
  );

  it.effect("is counted as uncertain when nobody knows what became of it (L5)", () =>
    Effect.gen(function* () {
      const { fired, lane: place, service } = yield* lane;
      yield* fired();
      const repository = yield* PushQueueSql;
      const dead = yield* repository.take(place, testStart, leaseMillis, 10);
      yield* repository.handOver(place, dead);
      const before = {
        taken: yield* uncertainBy("taken_over"),
        unanswered: yield* uncertainBy("unanswered"),
      };
      service.answer((number) => (number === 0 ? "reset" : "accept"));
      yield* TestClock.setTime(testStart + leaseMillis);
      yield* pushed;
      yield* TestClock.adjust("10 seconds");
      yield* pushed;
      assert.lengthOf(service.ledger, 2);
      assert.deepStrictEqual(
        { taken: yield* uncertainBy("taken_over"), unanswered: yield* uncertainBy("unanswered") },
        { taken: before.taken + 1, unanswered: before.unanswered + 1 },
      );
    }).pipe(Effect.provide(repositories)),
  );
});
