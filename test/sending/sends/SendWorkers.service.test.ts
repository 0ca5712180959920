import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { at, batch, manualWorkers, drain, blockedBatch, once, running, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";

layer(manualWorkers)("Send workers", (it) => {
  it.effect("a running send shows the exact figures of its finished batches (operator.sends)", () =>
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

  it.effect("several workers share a send, and no device gets it twice (L5.2)", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      // A second start changes nothing.
      yield* Effect.all([start, start], { concurrency: "unbounded" });
      yield* Effect.all([drain, drain, drain, drain], { concurrency: "unbounded" });
      assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect(
    "a send runs late after a downtime until the campaign's day is over, and is then missed (L2.3)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        const phone = yield* production.phone();
        const early = yield* production.push({ timezone: "Asia/Tokyo", starts_at: "2026-11-21" });
        yield* production.sent(early, "22:00");
        const late = yield* production.push();
        yield* production.sent(late, "12:30");
        // 23:59:59 in Tokyo, the last second of its day.
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

  it.effect("a worker that lost its lease changes nothing: the batch of the other counts once (L5.2)", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      const sql = yield* SqlClient.SqlClient;
      const { release, worker } = yield* blockedBatch;
      // A leased batch cannot be taken.
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["running", 90, 90, 0]);
      // Another worker has taken the batch after the lease expired.
      yield* sql`UPDATE send_batch SET fence = fence + 1, leased_until = '2026-11-21T12:30:20Z'`;
      yield* release;
      yield* Fiber.join(worker);
      assert.deepStrictEqual(yield* figures, ["running", 90, 90, 0]);
      assert.lengthOf(yield* deliveries, 90);
      // It dies too.
      yield* at("2026-11-21T12:30:19.999Z");
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["running", 90, 90, 0]);
      yield* at("2026-11-21T12:30:20Z");
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect("an interrupted worker finishes its batch", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      const { release, worker } = yield* blockedBatch;
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true });
      yield* release;
      yield* Fiber.join(stopping);
      assert.deepStrictEqual(yield* figures, ["running", 10, 10, 0]);
      yield* drain;
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect("a cap holds over sends of the same minute with several workers (L4.4)", () =>
    Effect.gen(function* () {
      const { campaignId, deliveries, production, sends } = yield* running(
        { frequency_cap_count: 2, frequency_cap_period: "week" },
        { headline: "First" },
      );
      for (const headline of ["Second", "Third"]) yield* production.sent(campaignId, "12:31", { headline });
      yield* at("2026-11-21T12:31:00Z");
      yield* Effect.all([start, start], { concurrency: "unbounded" });
      const workers = [drain, drain, drain, drain];
      // A worker that finds nothing now may find something later.
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

  it.effect("a send reaches the devices that were approved when it started (L2.2, L6)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      yield* sandbox.crowd(25);
      const approve = (from: number, approved: boolean) =>
        sql`UPDATE device SET approved = ${approved}
          WHERE workspace_id = ${sandbox.workspaceId} AND key > ${from}`;
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

  it.effect("a small send does not wait for a large one", () =>
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
});
