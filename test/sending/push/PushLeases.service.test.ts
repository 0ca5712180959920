import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { type AttemptResult, PushAttempts } from "../../../src/sending/push/PushAttempts.ts";
import { leaseMillis, pushLeases } from "../../../src/sending/push/PushLeases.ts";
import { PushOutcomesSql } from "../../../src/sending/push/PushOutcomesSql.ts";
import { PushQueueSql } from "../../../src/sending/push/PushQueueSql.ts";
import { inFlightPushes } from "../../../src/sending/push/InFlightPushes.ts";
import { testStart } from "../../TestWaypost.ts";

import { attemptLayer, partition, repositories, silentChannel, withoutWorkers } from "./LeaseWorld.ts";
import { plainContent } from "./PlainContent.ts";

layer(withoutWorkers)("Push leases", (it) => {
  it.effect("a heartbeat extends only the leases that the worker still holds (L5)", () =>
    Effect.gen(function* () {
      const { fired, partition: queue } = yield* partition;
      yield* fired();
      yield* fired();
      const repository = yield* PushQueueSql;
      const leases = yield* pushLeases(repository, queue);
      const [mine, lost] = yield* repository.take(queue, testStart, leaseMillis, 10);
      if (mine === undefined || lost === undefined) throw new Error("Nothing was taken");
      const since = leases.now();
      for (const push of [mine, lost]) leases.hold(push, since);
      assert.isTrue(leases.covers(mine, leaseMillis));
      assert.isFalse(leases.covers(mine, leaseMillis + 1));
      // Another worker, whose clock is ahead, takes one of them.
      const sql = yield* SqlClient.SqlClient;
      yield* sql`
        UPDATE push_queue SET fence = fence + 1
        WHERE source_id = ${lost.sourceId} AND device_key = ${lost.deviceKey}`;
      yield* TestClock.adjust("6 seconds");
      assert.isFalse(leases.covers(mine, leaseMillis - 5_000));
      yield* leases.renew();
      assert.isTrue(leases.covers(mine, leaseMillis));
      assert.isFalse(leases.covers(lost, leaseMillis - 5_000));
      yield* TestClock.adjust("10 seconds");
      assert.isFalse(leases.covers(lost, 0));
    }).pipe(Effect.provide(repositories)),
  );

  it.effect("a push whose lease is too short for an attempt returns to the queue as if not taken", () =>
    Effect.gen(function* () {
      const { delivery, fired, partition: queue } = yield* partition;
      const repository = yield* PushQueueSql;
      const pushAttempts = yield* PushAttempts;
      const { message } = yield* fired();
      const [push] = yield* repository.take(queue, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      yield* repository.recordAttempts(queue, [push]);
      const leases = yield* pushLeases(repository, queue);
      leases.hold(push, leases.now());
      yield* TestClock.adjust("6 seconds");
      const results: Array<AttemptResult> = [];
      const channel = silentChannel();
      const inFlight = yield* inFlightPushes(queue, pushAttempts, leases, (result) => results.push(result));
      const now = testStart + 6_000;
      assert.strictEqual(
        yield* inFlight.start(channel.open, [{ push, content: plainContent }], now, () => false),
        1,
      );
      assert.lengthOf(channel.answers, 0);
      assert.deepStrictEqual(
        results.map(({ settlement: { dueAt, verdict } }) => [verdict, dueAt]),
        [["returned", now]],
      );
      yield* (yield* PushOutcomesSql).settle(
        queue,
        results.map(({ settlement }) => settlement),
        now,
      );
      assert.deepInclude(yield* delivery(message.id), { status: "queued", attempts: 0 });
      const [again] = yield* repository.take(queue, now, leaseMillis, 10);
      assert.deepInclude(again, { attempts: 1, firstAt: now, isUncertain: false, fence: push.fence + 2 });
    }).pipe(Effect.scoped, Effect.provide(attemptLayer)),
  );

  it.effect("pushes that a stopped worker has just taken return to the queue as if not taken (L5)", () =>
    Effect.gen(function* () {
      const { delivery, fired, partition: queue } = yield* partition;
      const repository = yield* PushQueueSql;
      const ids = [(yield* fired()).message.id, (yield* fired()).message.id];
      const taken = yield* repository.take(queue, testStart, leaseMillis, 10);
      yield* repository.recordAttempts(queue, taken);
      const leases = yield* pushLeases(repository, queue);
      for (const push of taken) leases.hold(push, leases.now());
      const results: Array<AttemptResult> = [];
      const channel = silentChannel();
      const pushes = yield* inFlightPushes(queue, yield* PushAttempts, leases, (result) =>
        results.push(result),
      );
      const ready = taken.map((push) => ({ push, content: plainContent }));
      // The worker is stopped once the first attempt has started.
      const isStopped = () => channel.answers.length > 0;
      assert.strictEqual(yield* pushes.start(channel.open, ready, testStart, isStopped), 0);
      assert.lengthOf(channel.answers, 1);
      yield* (yield* PushOutcomesSql).settle(
        queue,
        results.map(({ settlement }) => settlement),
        testStart,
      );
      const states = yield* Effect.forEach(ids, delivery);
      assert.deepStrictEqual(states.map(({ attempts, status }) => `${status} ${attempts}`).toSorted(), [
        "handed_over 1",
        "queued 0",
      ]);
    }).pipe(Effect.scoped, Effect.provide(attemptLayer)),
  );

  it.effect("a renewal that arrives after a push was settled does not delay its retry (L5, L7)", () =>
    Effect.gen(function* () {
      const { fired, partition: queue } = yield* partition;
      const repository = yield* PushQueueSql;
      yield* fired();
      const [push] = yield* repository.take(queue, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      const dueAt = testStart + 1_000;
      yield* (yield* PushOutcomesSql).settle(
        queue,
        [{ ...push, verdict: "delayed", error: "no answer", dueAt }],
        testStart,
      );
      assert.deepStrictEqual(yield* repository.renew(queue, [push], testStart, leaseMillis), []);
      assert.lengthOf(yield* repository.take(queue, dueAt, leaseMillis, 10), 1);
    }).pipe(Effect.provide(repositories)),
  );

  it.effect("a stale fencing token cannot settle a push, unless its own worker has taken it again", () =>
    Effect.gen(function* () {
      const { delivery, fired, partition: queue } = yield* partition;
      const repository = yield* PushQueueSql;
      const outcomes = yield* PushOutcomesSql;
      const { message } = yield* fired();
      const leases = yield* pushLeases(repository, queue);
      const [push] = yield* repository.take(queue, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      yield* repository.recordAttempts(queue, [push]);
      leases.hold(push, leases.now());
      const [again] = yield* repository.take(queue, testStart + leaseMillis, leaseMillis, 10);
      if (again === undefined) throw new Error("Nothing was taken again");
      assert.isTrue(again.isUncertain);
      const settle = (fence: number) =>
        outcomes.settle(
          queue,
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
