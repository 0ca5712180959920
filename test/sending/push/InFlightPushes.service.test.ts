import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { type AttemptResult, PushAttempts } from "../../../src/sending/push/PushAttempts.ts";
import { leaseMillis, pushLeases } from "../../../src/sending/push/PushLeases.ts";
import { PushQueueSql } from "../../../src/sending/push/PushQueueSql.ts";
import { inFlightPushes } from "../../../src/sending/push/InFlightPushes.ts";
import { accepted } from "../../../src/sending/push/transports/PushTransport.ts";
import {
  createSequence,
  createTrigger,
  dropSequence,
  dropTrigger,
  isSequenceUsed,
} from "../../database/OnCitus.ts";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { pushed, pushing } from "./PushWorld.ts";
import { eventually } from "../../Eventually.ts";

import { attemptLayer, partition, repositories, silentChannel, uncertainBy } from "./LeaseWorld.ts";
import { plainContent } from "./PlainContent.ts";

layer(TestWaypost.layer)("Pushes in flight", (it) => {
  it.effect("a response that a busy process has not read yet counts before the timeout (L5)", () =>
    Effect.gen(function* () {
      const { fired, partition: queue } = yield* partition;
      const repository = yield* PushQueueSql;
      const pushAttempts = yield* PushAttempts;
      yield* fired();
      yield* fired();
      const taken = yield* repository.take(queue, testStart, leaseMillis, 10);
      const leases = yield* pushLeases(repository, queue);
      for (const push of taken) leases.hold(push, leases.now());
      const results: Array<AttemptResult> = [];
      const done = yield* Deferred.make<void>();
      const channel = silentChannel();
      // The test decides when sleeping fibers wake.
      let wake = () => {};
      const clock = Object.assign(Object.create(yield* Clock.Clock) as Clock.Clock, {
        sleep: () =>
          Effect.callback<void>((resume) => {
            wake = () => resume(Effect.void);
          }),
      });
      const inFlight = yield* inFlightPushes(queue, pushAttempts, leases, (result) => {
        if (results.push(result) === 2) Deferred.doneUnsafe(done, Effect.void);
      }).pipe(Effect.provideService(Clock.Clock, clock));
      const ready = taken.map((push) => ({ push, content: plainContent }));
      assert.strictEqual(yield* inFlight.start(channel.open, ready, testStart, () => false), 0);
      // The timeout passes before the process can read anything. Then one response has arrived, the other has
      // not.
      yield* TestClock.adjust("12 seconds");
      yield* Effect.sync(() => {
        wake();
        setImmediate(() => channel.answers[0]?.(accepted));
      });
      yield* Deferred.await(done);
      assert.sameMembers(
        results.map(({ settlement: { verdict } }) => verdict),
        ["delivered", "delayed"],
      );
      assert.strictEqual(channel.canceled(), 1);
    }).pipe(Effect.scoped, Effect.provide(attemptLayer)),
  );

  /** Makes the database refuse one kind of statement on the queue while the effect runs. */
  const refusing = <A, E, R>(kind: "UPDATE OF fence" | "DELETE", effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* createSequence("refusals");
      yield* sql`
        CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM nextval(''refusals''); RAISE EXCEPTION ''no''; END'`;
      yield* createTrigger(`refuse BEFORE ${kind} ON push_queue EXECUTE FUNCTION refuse()`);
      const result = yield* effect;
      // A sequence counts also in rolled back transactions.
      yield* eventually(Effect.provideService(isSequenceUsed("refusals"), SqlClient.SqlClient, sql));
      yield* dropTrigger("refuse ON push_queue");
      yield* dropSequence("refusals");
      return result;
    }).pipe(Effect.orDie);

  it.effect("pushes in flight are settled when taking others fails (L5)", () =>
    Effect.gen(function* () {
      const { delivery, fired, service } = yield* partition;
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

  it.effect("a push is not sent again while storing its outcome is retried (L5)", () =>
    Effect.gen(function* () {
      const { delivery, fired, service } = yield* partition;
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

  it.effect("a push with an unknown outcome is counted as uncertain (L5)", () =>
    Effect.gen(function* () {
      const { fired, partition: queue, service } = yield* partition;
      yield* fired();
      const repository = yield* PushQueueSql;
      const dead = yield* repository.take(queue, testStart, leaseMillis, 10);
      yield* repository.recordAttempts(queue, dead);
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
