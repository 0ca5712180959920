import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { at, batch, manualWorkers, drain, blockedBatch, running, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";

layer(manualWorkers)("Stopped sends", (it) => {
  it.effect(
    "a send that was due during a pause is skipped, even if published before a worker polls (L3.1)",
    () =>
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

  it.effect("a running send stops at once when its campaign is paused, and keeps its deliveries (L3.2)", () =>
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

  it.effect(
    "a running send stops at once when its notification is detached or its campaign deleted (E10, L3.2)",
    () =>
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

  it.effect("a pause waits for no batch, and the running batch delivers nothing (L3.2)", () =>
    Effect.gen(function* () {
      const { ask, campaignId, deliveries, figures } = yield* running();
      const { release, worker } = yield* blockedBatch;
      assert.strictEqual((yield* ask(campaignId, "pause")).status, 200);
      assert.deepStrictEqual(yield* figures, ["skipped", 0, 0, 0]);
      yield* release;
      yield* Fiber.join(worker);
      assert.deepStrictEqual(yield* figures, ["skipped", 0, 0, 0]);
      assert.deepStrictEqual(yield* deliveries, []);
    }),
  );

  it.effect("the figures of a send are exact after concurrent batches and changes", () =>
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
        WITH counted AS (
          SELECT source_id, count(*)::int AS count FROM delivery
          WHERE workspace_id = ${production.workspaceId} GROUP BY 1
        )
        SELECT s.status, s.targeted,
          COALESCE((SELECT d.count FROM counted d WHERE d.source_id = s.source_id), 0) AS count,
          (SELECT count(*)::int FROM send_batch b WHERE b.source_id = s.source_id) AS open
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
