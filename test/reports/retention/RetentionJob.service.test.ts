import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import fc from "fast-check";
import { onlyRow } from "../../../src/database/Rows.ts";
import { Retention, RetentionSizes } from "../../../src/reports/retention/Retention.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { answering, question } from "../../events/AnswerWorld.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { anyHistory } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { rollUp } from "../rollups/StoredRollups.ts";
import { writeDeliveries } from "../../SourceRows.ts";
import { afterPause } from "../../workers/JobRuns.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const reports = ["summary", "campaigns", "locations", "notifications", "surveys"];

/** A visit with an answered survey, its reports, and the number of its rows. */
const answeredVisit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const world = yield* answering([question("RATING")]);
  yield* world.answer({ 0: 4 });
  yield* TestClock.setTime(testStart + HOUR);
  yield* world.phone.sees("exit", world.location);
  const mine = sql`workspace_id = ${world.production.workspaceId}`;
  return {
    ...world,
    figures: Effect.forEach(reports, (report) =>
      Effect.map(
        world.production.platform(`/reports/${report}?start=2026-11-01&end=2026-12-01`),
        ({ body }) => body,
      ),
    ),
    rows: onlyRow(
      sql<{ readonly deliveries: number; readonly events: number }>`
        SELECT (SELECT count(*)::int FROM delivery WHERE ${mine}) AS deliveries,
          (SELECT count(*)::int FROM geofence_event WHERE ${mine}) AS events`,
    ),
  };
});

/**
 * Lets hours pass until a condition holds: rows that are not rolled up in one hour are compacted in the next.
 */
const eventually = (condition: Effect.Effect<boolean>) =>
  Effect.gen(function* () {
    for (let hour = 0; hour < 300; hour++) {
      yield* afterPause("retention", "1 hour");
      if (yield* condition) return;
    }
    assert.fail("The condition never held.");
  });

layer(TestWaypost.layerWith({ deliveryRetentionDays: 90, eventRetentionDays: 150 }))(
  "A worker with retention settings",
  (it) => {
    it.effect("rows past their retention leave lists and inboxes, and reports stay the same", () =>
      Effect.gen(function* () {
        const { answer, figures, id, location, message, phone, rows, send } = yield* answeredVisit;
        const before = yield* figures;
        assert.strictEqual(before[0].data.totals.delivered, 1);
        assert.strictEqual(before[2].data[0].dwell_minutes, 60);
        assert.strictEqual(before[4].data[0].responses, 1);
        yield* TestClock.setTime(testStart + 89 * DAY);
        for (let hour = 0; hour < 20; hour++) yield* afterPause("retention", "1 hour");
        assert.deepStrictEqual(yield* rows, { deliveries: 1, events: 2 });
        assert.lengthOf(yield* phone.inbox(), 1);
        assert.strictEqual((yield* answer({ 0: 5 })).status, 200);

        yield* TestClock.setTime(testStart + 91 * DAY);
        yield* eventually(Effect.map(rows, (left) => left.deliveries === 0));
        assert.deepStrictEqual(yield* figures, before);
        assert.strictEqual((yield* rows).events, 2);
        yield* TestClock.setTime(testStart + 151 * DAY);
        yield* eventually(Effect.map(rows, (left) => left.events === 0));
        assert.deepStrictEqual(yield* figures, before);

        assert.lengthOf(yield* phone.inbox(), 0);
        const opened = yield* phone.ask(`/messages/${message.id}/opened`, { method: "POST" });
        assert.strictEqual(opened.status, 404);
        assert.strictEqual((yield* answer({ 0: 1 })).status, 404);
        // The device's answer is kept: an answer to a new message replaces it, dated by the first one.
        const [again] = (yield* phone.sees("enter", location)).deliveries;
        const replaced = { answers: [{ question_id: id(0), value: 1 }] };
        assert.strictEqual((yield* send(replaced, phone, again.id)).status, 200);
        assert.deepStrictEqual((yield* figures)[4], before[4]);
      }),
    );
  },
);

layer(TestWaypost.layer)("A worker without retention settings", (it) => {
  it.effect("without retention settings nothing is compacted, however old", () =>
    Effect.gen(function* () {
      const { phone, rows } = yield* answeredVisit;
      yield* TestClock.setTime(testStart + 4000 * DAY);
      for (let hour = 0; hour < 20; hour++) yield* TestClock.adjust("1 hour");
      assert.deepStrictEqual(yield* rows, { deliveries: 1, events: 2 });
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );
});

layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Concurrent compactions", (it) => {
  it.effect("concurrent compactions take each row once, while others write, roll up or are interrupted", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const { step } = yield* Rollups;
      const retention = yield* Retention;
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      const [past] = fc.sample(anyHistory, { numRuns: 1, seed: 27 });
      if (past === undefined) return assert.fail("There is no history.");
      yield* record(workspaceId, "sandbox", past);
      yield* rollUp;
      const figures = Effect.forEach(["summary", "campaigns", "locations", "notifications"], (report) =>
        Effect.map(tenant.sandbox(`/reports/${report}?start=2026-10-01`), ({ body }) => body),
      );
      const before = yield* figures;
      const compact = Effect.forEach(["deliveries", "events"] as const, (what) =>
        retention.compact(what, testStart - 5 * DAY),
      ).pipe(Effect.provideService(RetentionSizes, { rows: 3, environments: 1 }));
      for (let round = 0; round < 12; round++) {
        const compacting = yield* Effect.forkChild(compact, { startImmediately: true });
        for (let count = 0; count <= round; count++) yield* sql`SELECT 1`;
        yield* Fiber.interrupt(compacting);
        assert.deepStrictEqual(yield* figures, before);
      }
      let written = 0;
      const writer = Effect.forEach(
        Array.from({ length: 30 }, (_, at) => at),
        (at) =>
          Effect.andThen(
            writeDeliveries(sql`
              INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
                notification_key, content_key, content_type, trigger_type, transport, status, created_at,
                settled_at)
              VALUES (${workspaceId}, 'sandbox', ${10_000 + at}, 500, 1, 1, 1, 'message', 'fixed_time',
                'inbox', 'delivered', ${new Date(testStart)}, ${new Date(testStart)})`),
            Effect.sync(() => written++),
          ),
      );
      const roller = Effect.gen(function* () {
        while (written < 30) yield* step;
      });
      yield* Effect.all([compact, compact, writer, roller], { concurrency: "unbounded" });
      // The second compaction may have skipped an environment in which the first did the deliveries only.
      yield* compact;
      yield* rollUp;
      const [left] = yield* sql<{ readonly deliveries: number; readonly exits: number }>`
        SELECT (SELECT count(*)::int FROM delivery
            WHERE workspace_id = ${workspaceId}
              AND settled_at < ${new Date(testStart - 5 * DAY)}) AS deliveries,
          (SELECT count(*)::int FROM geofence_event
            WHERE workspace_id = ${workspaceId} AND type = 'exit'
              AND occurred_at < ${new Date(testStart - 5 * DAY)}) AS exits`;
      assert.deepStrictEqual(left, { deliveries: 0, exits: 0 });
      const after = yield* figures;
      assert.strictEqual(after[0].data.totals.delivered, before[0].data.totals.delivered + 30);
      assert.deepStrictEqual(after.slice(2, 3), before.slice(2, 3));
      yield* sql`DELETE FROM rollup_state WHERE workspace_id = ${workspaceId}`;
      assert.deepStrictEqual(yield* figures, after);
    }),
  );
});
