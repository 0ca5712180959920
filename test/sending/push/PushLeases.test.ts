import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { type AttemptResult, PushAttempts } from "../../../src/sending/push/PushAttempts.ts";
import { leaseMillis, pushLeases } from "../../../src/sending/push/PushLeases.ts";
import { PushOutcomesSql } from "../../../src/sending/push/PushOutcomesSql.ts";
import { PushQueueSql } from "../../../src/sending/push/PushQueueSql.ts";
import { inFlightPushes } from "../../../src/sending/push/InFlightPushes.ts";
import { TestWaypost, testStart } from "../../TestWaypost.ts";

import { content, handingOver, partition, repositories, silentChannel } from "./LeaseWorld.ts";

layer(TestWaypost.layer)("A lease", (it) => {
  it.effect("is proven only for the pushes that a sign of life came through for (L5)", () =>
    Effect.gen(function* () {
      const { fired, partition: place } = yield* partition;
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
      yield* sql`UPDATE push_queue SET fence = fence + 1 WHERE source_id = ${lost.sourceId} AND device_key = ${lost.deviceKey}`;
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
      const { delivery, fired, partition: place } = yield* partition;
      const repository = yield* PushQueueSql;
      const pushAttempts = yield* PushAttempts;
      const { message } = yield* fired();
      const [push] = yield* repository.take(place, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      yield* repository.recordAttempts(place, [push]);
      const leases = yield* pushLeases(repository, place);
      leases.hold(push, leases.steadyNow());
      yield* TestClock.adjust("6 seconds");
      const told: Array<AttemptResult> = [];
      const channel = silentChannel();
      const inFlight = yield* inFlightPushes(place, pushAttempts, leases, (outcome) => told.push(outcome));
      const now = testStart + 6_000;
      assert.strictEqual(yield* inFlight.begin(channel.open, [{ push, content }], now), 1);
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
      const { delivery, fired, partition: place } = yield* partition;
      const repository = yield* PushQueueSql;
      const outcomes = yield* PushOutcomesSql;
      const { message } = yield* fired();
      const leases = yield* pushLeases(repository, place);
      const [push] = yield* repository.take(place, testStart, leaseMillis, 10);
      if (push === undefined) throw new Error("Nothing was taken");
      yield* repository.recordAttempts(place, [push]);
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
