import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { leaseMillis } from "../../../src/sending/push/PushLeases.ts";
import { partitionName } from "../../../src/sending/push/PushChannels.ts";
import { PushOutcomesSql } from "../../../src/sending/push/PushOutcomesSql.ts";
import { PushQueueSql } from "../../../src/sending/push/PushQueueSql.ts";
import { messageIds } from "../../../src/sending/deliveries/MessageId.ts";
import { testSecretKey, TestWaypost, testStart } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { pushed, pushing, pushWorld } from "./PushWorld.ts";
import { eventually } from "../../Eventually.ts";

const { fcm: localFcm } = localServices;

layer(TestWaypost.layer)("Pushes", (it) => {
  it.effect("a push in flight at a crash is sent again with the same id and counted once (L5.3)", () =>
    Effect.gen(function* () {
      for (const started of Object.values(localServices)) {
        const service = yield* started;
        const { delivery, fired, production } = yield* pushWorld(service);
        const { inbox, message } = yield* fired();
        const repository = yield* PushQueueSql;
        const outcomes = yield* PushOutcomesSql;
        const partition = {
          workspaceId: production.workspaceId,
          environment: "production",
          transport: service.transport,
        } as const;
        // A worker records the attempt and dies.
        const dead = yield* repository.take(partition, testStart, leaseMillis, 10);
        yield* repository.recordAttempts(partition, dead);
        yield* TestClock.setTime(testStart + leaseMillis - 1);
        yield* pushed;
        assert.deepInclude(yield* delivery(message.id), { status: "handed_over", attempts: 1 });
        assert.lengthOf(service.ledger, 0);
        yield* TestClock.setTime(testStart + leaseMillis);
        yield* pushed;
        assert.deepStrictEqual(
          service.ledger.map(({ id, payload }) => [id, payload.id]),
          [[message.id, message.id]],
        );
        const known = yield* delivery(message.id);
        assert.deepInclude(known, { status: "delivered", attempts: 2 });
        // The dead worker returns with its outcome, which is discarded.
        const [late] = dead;
        if (late === undefined) throw new Error("Nothing was taken");
        yield* outcomes.settle(
          partition,
          [{ ...late, verdict: "failed", error: "too late", dueAt: null }],
          testStart + leaseMillis + 1_000,
        );
        assert.deepStrictEqual(yield* delivery(message.id), known);
        assert.lengthOf(yield* inbox(), 1);
      }
    }).pipe(Effect.provide([PushQueueSql.layer, PushOutcomesSql.layer])),
  );

  it.effect("heartbeats keep other workers from taking a push that a slow provider holds (L5.3)", () =>
    Effect.gen(function* () {
      const service = yield* localFcm;
      const { delivery, fired, production } = yield* pushWorld(service);
      const repository = yield* PushQueueSql;
      const sql = yield* SqlClient.SqlClient;
      const partition = {
        workspaceId: production.workspaceId,
        environment: "production",
        transport: "fcm",
      } as const;
      const release = service.hold("accept");
      const { message } = yield* fired();
      yield* pushing;
      yield* service.arrived(1);
      // Almost the timeout of an attempt, and longer than the rest of the first lease.
      const heldUntil = Effect.map(
        Effect.orDie(sql<{ readonly at: number }>`
          SELECT (extract(epoch FROM due_at) * 1000)::float8 AS at FROM push_queue
          WHERE workspace_id = ${production.workspaceId}`),
        ([row]) => (row?.at ?? 0) - testStart,
      );
      assert.strictEqual(yield* heldUntil, leaseMillis);
      for (const second of [3, 6, 9]) {
        yield* TestClock.setTime(testStart + second * 1_000);
        yield* eventually(Effect.map(heldUntil, (until) => until === second * 1_000 + leaseMillis));
      }
      assert.lengthOf(yield* repository.take(partition, testStart + leaseMillis, leaseMillis, 10), 0);
      release();
      yield* pushed;
      assert.deepInclude(yield* delivery(message.id), { status: "delivered", attempts: 1 });
      assert.lengthOf(service.ledger, 1);
    }).pipe(Effect.provide(PushQueueSql.layer)),
  );

  it.effect("pushes of a dead worker go before pushes that have waited longer", () =>
    Effect.gen(function* () {
      const { fired, production } = yield* pushWorld(yield* localFcm);
      for (let count = 0; count < 3; count++) yield* fired();
      const repository = yield* PushQueueSql;
      const partition = {
        workspaceId: production.workspaceId,
        environment: "production",
        transport: "fcm",
      } as const;
      const [dead] = yield* repository.take(partition, testStart, leaseMillis, 1);
      const taken = yield* repository.take(partition, testStart + leaseMillis, leaseMillis, 2);
      assert.lengthOf(taken, 2);
      assert.deepStrictEqual(
        taken.filter(({ attempts }) => attempts === 2).map(({ sourceId }) => sourceId),
        [dead?.sourceId],
      );
    }).pipe(Effect.provide(PushQueueSql.layer)),
  );

  it.effect("concurrent workers take each push once (L5.3)", () =>
    Effect.gen(function* () {
      const service = yield* localFcm;
      const { fired, production } = yield* pushWorld(service);
      const messages = [yield* fired(), yield* fired(), yield* fired(), yield* fired()];
      const repository = yield* PushQueueSql;
      const partition = {
        workspaceId: production.workspaceId,
        environment: "production",
        transport: "fcm",
      } as const;
      const taken = yield* Effect.all(
        Array.from({ length: 8 }, () => repository.take(partition, testStart, leaseMillis, 3)),
        { concurrency: "unbounded" },
      );
      const sourceIds = taken.flat().map(({ sourceId }) => sourceId);
      assert.lengthOf(sourceIds, 4);
      assert.sameMembers(
        sourceIds,
        messages.map(({ message }) => messageIds(testSecretKey).keyOf(message.id)?.sourceId ?? 0n),
      );
    }).pipe(Effect.provide(PushQueueSql.layer)),
  );

  it.effect("a push goes to the device's current address, by another transport too (T1.2)", () =>
    Effect.gen(function* () {
      const service = yield* localFcm;
      const { delivery, fired } = yield* pushWorld(service);
      const renewed = yield* fired("old");
      yield* renewed.ask("/devices/me", {
        method: "PATCH",
        body: { push: { transport: "fcm", token: "new" } },
      });
      const moved = yield* fired();
      yield* moved.ask("/devices/me", { method: "PATCH", body: { push: { transport: "inbox" } } });
      const left = yield* fired();
      yield* left.ask("/devices/me", { method: "DELETE" });
      yield* TestClock.adjust("1 second");
      yield* pushed;
      assert.deepStrictEqual(
        service.ledger.map(({ to }) => to),
        ["new"],
      );
      assert.deepInclude(yield* delivery(renewed.message.id), { status: "delivered" });
      const failed = yield* delivery(left.message.id);
      assert.deepInclude(failed, { status: "failed", attempts: 0, transport: "fcm" });
      assert.include(failed.last_error, "unregistered");
      // Pushes of another transport are in another partition of the queue.
      yield* pushed;
      assert.deepInclude(yield* delivery(moved.message.id), { status: "delivered", transport: "inbox" });
      assert.lengthOf(yield* moved.inbox(), 1);
    }),
  );

  it.effect(
    "a gone address does not affect one that was registered while the push was in flight (L6.3)",
    () =>
      Effect.gen(function* () {
        for (const started of Object.values(localServices)) {
          const service = yield* started;
          const { delivery, device, fired } = yield* pushWorld(service);
          const phone = yield* fired();
          const release = service.hold("gone");
          yield* pushing;
          yield* service.arrived(1);
          // The same address counts as a new registration.
          yield* phone.ask("/devices/me", { method: "PATCH", body: { push: phone.push } });
          release();
          yield* pushed;
          assert.deepInclude(yield* delivery(phone.message.id), { status: "failed" });
          assert.deepInclude(yield* device(phone.id), { address_gone: false });
        }
      }),
  );

  it.effect("a push fails with a reason if the credentials are deleted before it is sent (L6)", () =>
    Effect.gen(function* () {
      const service = yield* localFcm;
      const { base, delivery, fired, waypost } = yield* pushWorld(service);
      const { message } = yield* fired();
      yield* waypost.operator(`${base}/transports/fcm`, { method: "DELETE" });
      yield* TestClock.adjust("1 second");
      yield* pushed;
      assert.deepInclude(yield* delivery(message.id), {
        status: "failed",
        attempts: 0,
        last_error: "No credentials are set for fcm in this environment.",
      });
      assert.lengthOf(service.ledger, 0);
    }),
  );

  it.effect("paused partitions do not hide others with due pushes", () =>
    Effect.gen(function* () {
      const repository = yield* PushQueueSql;
      const worlds = [yield* pushWorld(yield* localFcm), yield* pushWorld(yield* localFcm)];
      for (const { fired } of worlds) yield* fired();
      const [paused = "", other] = worlds.map(({ production }) => `${production.workspaceId}/production/fcm`);
      const due = (names: ReadonlyArray<string>, limit: number) =>
        Effect.map(repository.duePartitions(testStart, names, limit), (found) => found.map(partitionName));
      const all = yield* due([], 100);
      assert.includeMembers(all, [paused, other]);
      const [first] = yield* due(
        all.filter((name) => name !== other),
        1,
      );
      assert.strictEqual(first, other);
      yield* pushed;
    }).pipe(Effect.provide(PushQueueSql.layer)),
  );

  it.effect("a push of one workspace does not wait for the slow provider of another", () =>
    Effect.gen(function* () {
      const slow = yield* localFcm;
      const slowWorld = yield* pushWorld(slow);
      slow.answer(() => "hang");
      const waiting = yield* slowWorld.fired();
      yield* pushing;
      yield* slow.arrived(1);
      const quick = yield* localFcm;
      const quickWorld = yield* pushWorld(quick);
      const { message } = yield* quickWorld.fired();
      yield* pushing;
      yield* quick.arrived(1);
      yield* eventually(Effect.map(quickWorld.delivery(message.id), ({ status }) => status === "delivered"));
      assert.deepInclude(yield* slowWorld.delivery(waiting.message.id), { status: "handed_over" });
      slow.answer(() => "accept");
      yield* TestClock.adjust("10 seconds");
      yield* pushed;
      yield* TestClock.adjust("1 second");
      yield* pushed;
      assert.deepInclude(yield* slowWorld.delivery(waiting.message.id), { status: "delivered" });
    }),
  );
});
