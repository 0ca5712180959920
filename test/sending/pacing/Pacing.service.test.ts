import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Pacing } from "../../../src/sending/pacing/Pacing.ts";
import { PacingSql } from "../../../src/sending/pacing/PacingSql.ts";
import { HeldDeliveries } from "../../../src/sending/sends/holding/HeldDeliveries.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { moveTo } from "../sends/SendWorld.ts";
import { dueAt, giveAndSend, maxInAMinute, paceWorld, passSeconds } from "./PaceWorld.ts";

layer(TestWaypost.layer)("Sends with a pace", (it) => {
  it.effect("no minute has more deliveries than the pace, and each uses 95 % of it (T5.2, T5.3)", () =>
    Effect.gen(function* () {
      const { sentSince, planned, sends, start } = yield* paceWorld(150);
      yield* planned({ max_per_minute: 60 });
      yield* start;
      yield* passSeconds(0, 125);
      const seconds = yield* sentSince();
      assert.isAtMost(maxInAMinute(seconds), 60);
      for (const minute of [0, 1])
        assert.isAtLeast(seconds.filter((at) => at < 60 * (minute + 1)).length, 57 * (minute + 1));
      const [send] = yield* sends();
      assert.deepInclude(send, { status: "running", targeted: 150, delivered: seconds.length, pace: 60 });
      yield* passSeconds(125, 165);
      assert.strictEqual((yield* sends())[0].status, "done");
      assert.lengthOf(yield* sentSince(), 150);
    }),
  );

  it.effect("a workspace's limit holds for all its sends together, by due time (T5.2, Y31)", () =>
    Effect.gen(function* () {
      const { sentSince, planned, setLimit, start } = yield* paceWorld(40);
      yield* setLimit(60);
      const first = yield* planned();
      const second = yield* planned();
      yield* start;
      yield* passSeconds(0, 75);
      assert.isAtMost(maxInAMinute(yield* sentSince()), 60);
      const last = Math.max(...(yield* sentSince(first)));
      // By then it had waited for half a minute.
      const early = (yield* sentSince(second)).filter((at) => at < last);
      assert.isAtLeast(early.length, 1);
      assert.isAtMost(early.length, 3);
      assert.isAtMost(Math.min(...early), 31);
    }),
  );

  it.effect("a change of the limit holds at once, and what was sent before counts (T5.6, Y11)", () =>
    Effect.gen(function* () {
      const { sentSince, planned, setLimit, sends, start } = yield* paceWorld(100);
      yield* setLimit(600);
      yield* planned();
      yield* start;
      yield* passSeconds(0, 3);
      const before = (yield* sentSince()).length;
      assert.isAtLeast(before, 20);
      yield* setLimit(before);
      yield* passSeconds(3, 60);
      assert.lengthOf(yield* sentSince(), before);
      assert.strictEqual((yield* sends())[0].pace, before);
      yield* setLimit(null);
      yield* giveAndSend;
      assert.strictEqual((yield* sends())[0].status, "done");
    }),
  );

  it.effect(
    "a campaign's own limit and its workspace's hold together: the smaller one (T5.2, T5.5, Y12)",
    () =>
      Effect.gen(function* () {
        const { sentSince, planned, sends, setLimit, start } = yield* paceWorld(30);
        yield* setLimit(12);
        const slow = yield* planned({ max_per_minute: 6 });
        const fast = yield* planned({ max_per_minute: 100 });
        yield* start;
        yield* passSeconds(0, 60);
        assert.deepStrictEqual(
          (yield* sends()).map(({ pace }) => pace),
          [6, 12],
        );
        assert.lengthOf(yield* sentSince(slow), 6);
        assert.lengthOf(yield* sentSince(fast), 6);
      }),
  );

  it.effect("each environment has the workspace's limit for itself (Y13)", () =>
    Effect.gen(function* () {
      const { sandbox, sends, planned, setLimit, start } = yield* paceWorld(20);
      yield* sandbox.crowd(20);
      yield* setLimit(10);
      yield* planned();
      yield* sandbox.sent(yield* sandbox.push(), "12:30");
      yield* start;
      yield* passSeconds(0, 59);
      assert.strictEqual((yield* sends())[0].delivered, 10);
      assert.strictEqual((yield* sandbox.sends())[0].delivered, 10);
    }),
  );

  it.effect("events and test sends never wait, and leave less for sends of the workspace (T5.4)", () =>
    Effect.gen(function* () {
      const { campaign, location, notification, phone, planned, platform, sends, setLimit, start } =
        yield* paceWorld(30);
      yield* setLimit(10);
      const store = yield* location();
      const geo = yield* campaign({ location_ids: [store] });
      const note = yield* notification(geo);
      const push = yield* planned();
      const visitor = yield* phone();
      yield* start;
      yield* giveAndSend;
      yield* TestClock.setTime(dueAt + 1_000);
      for (let visit = 0; visit < 4; visit++) {
        const { deliveries } = yield* visitor.sees("enter", store);
        assert.isNotNull(deliveries[0]?.delivered_at);
        yield* visitor.sees("exit", store);
      }
      const test = yield* platform(`/campaigns/${geo}/notifications/${note}/test`, {
        body: { device_ids: [visitor.id] },
      });
      assert.strictEqual(test.status, 202, JSON.stringify(test.body));
      yield* passSeconds(2, 59);
      assert.strictEqual((yield* sends(`&campaign=${push}`))[0].delivered, 5);
    }),
  );

  it.effect("what quiet hours release goes at once, and leaves less for sends (T5.4)", () =>
    Effect.gen(function* () {
      const { planned, sends, setLimit, start } = yield* paceWorld(8);
      yield* setLimit(10);
      yield* planned({ quiet_hours: { from: "12:00", to: "12:31", action: "hold" } });
      yield* planned({}, {}, "12:31");
      yield* start;
      assert.deepInclude((yield* sends())[0], { status: "done", held: 8 });
      yield* giveAndSend;
      yield* TestClock.setTime(dueAt + 60_000);
      yield* Effect.flatMap(HeldDeliveries, ({ releaseDue }) => releaseDue);
      assert.deepInclude((yield* sends())[0], { delivered: 8, held: 0 });
      yield* passSeconds(60, 119);
      assert.deepInclude((yield* sends())[1], { targeted: 8, delivered: 2 });
    }),
  );

  it.effect("a pause drops what waits, and keeps what was sent (L3.2)", () =>
    Effect.gen(function* () {
      const { ask, sentSince, planned, queued, sends, start } = yield* paceWorld(40);
      const campaign = yield* planned({ max_per_minute: 60 });
      yield* start;
      yield* passSeconds(0, 4);
      const before = (yield* sentSince()).length;
      yield* ask(campaign, "pause");
      yield* passSeconds(4, 6);
      assert.deepInclude((yield* sends())[0], {
        status: "skipped",
        targeted: before,
        delivered: before,
        estimated_finish_at: null,
      });
      assert.deepStrictEqual(yield* queued, []);
    }),
  );

  it.effect("a send continues after its campaign's day, also after a day of waiting (T5.7)", () =>
    Effect.gen(function* () {
      const { planned, sends, start } = yield* paceWorld(5);
      yield* planned({ max_per_minute: 2 });
      yield* start;
      yield* giveAndSend;
      for (let day = 1; day < 6; day++) {
        yield* TestClock.setTime(dueAt + day * 86_400_000);
        yield* giveAndSend;
      }
      assert.deepInclude((yield* sends())[0], { status: "done", delivered: 5, failed: 0 });
    }),
  );

  it.effect("a message that waited has the words of when it is sent, and keeps them (T7)", () =>
    Effect.gen(function* () {
      const { phone, planned, start } = yield* paceWorld(0);
      const texts = { template: "liquid", headline: "Hello {{ device.attributes.name }}" };
      const own = yield* Effect.forEach(["one", "two", "three"], (name) =>
        phone(randomUUID(), { attributes: { name } }),
      );
      yield* planned({ max_per_minute: 1 }, texts);
      yield* start;
      yield* giveAndSend;
      const rename = (name: string) =>
        Effect.forEach(own, (each) =>
          each.ask("/devices/me", { method: "PATCH", body: { attributes: { name } } }),
        );
      yield* rename("later");
      yield* TestClock.setTime(dueAt + 90_000);
      yield* giveAndSend;
      yield* rename("last");
      const words = (yield* Effect.forEach(own, (each) => each.inbox())).flatMap((inbox) =>
        inbox.map(({ headline }) => headline as string),
      );
      assert.lengthOf(words, 2);
      assert.include(words, "Hello later");
      assert.notInclude(words, "Hello last");
    }),
  );

  it.effect("a limit that is new counts what the last minute had without one (Y11)", () =>
    Effect.gen(function* () {
      const { planned, sends, setLimit } = yield* paceWorld(20);
      yield* planned();
      yield* planned({}, {}, "12:31");
      yield* moveTo("2026-11-21T12:30:30Z");
      assert.deepInclude((yield* sends())[0], { status: "done", pace: null });
      yield* setLimit(20);
      yield* passSeconds(60, 90);
      assert.deepInclude((yield* sends())[1], { targeted: 20, delivered: 0, pace: 20 });
      yield* passSeconds(92, 93);
      assert.isAbove((yield* sends())[1].delivered, 0);
    }),
  );

  it.effect("workers that give permits at the same time keep the pace together (T5.2)", () =>
    Effect.gen(function* () {
      const { sentSince, planned, setLimit, start } = yield* paceWorld(40);
      yield* setLimit(40);
      yield* planned({ max_per_minute: 30 });
      yield* planned({ max_per_minute: 30 });
      yield* start;
      const { releaseDue } = yield* Pacing;
      const together = Effect.all([releaseDue, releaseDue, releaseDue, releaseDue], {
        concurrency: "unbounded",
      });
      yield* passSeconds(0, 75, together);
      const seconds = yield* sentSince();
      assert.strictEqual(maxInAMinute(seconds), 40);
    }),
  );

  it.effect("a running send estimates its end by the permits to come (T5.5, Y12)", () =>
    Effect.gen(function* () {
      const { planned, sends, start } = yield* paceWorld(60);
      yield* planned({ max_per_minute: 30 });
      yield* start;
      assert.deepInclude((yield* sends())[0], {
        status: "running",
        pace: 30,
        estimated_finish_at: "2026-11-21T12:32:00+00:00",
      });
    }),
  );

  it.effect("an environment with thousands of running sends holds 1,000 of them, due first (T5.2)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const repository = yield* PacingSql;
      const [busy, quiet] = [yield* paceWorld(2), yield* paceWorld(2)];
      yield* busy.planned({ max_per_minute: 60 });
      yield* quiet.planned({ max_per_minute: 60 });
      yield* busy.start;
      const own = yield* sql<{ readonly id: string }>`SELECT id FROM send
        WHERE workspace_id IN (${busy.workspaceId}, ${quiet.workspaceId})`;
      yield* sql`INSERT INTO send SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(),
          'source_id', 1000000 + n, 'due_at', s.due_at + interval '1 second', 'paced', false))).*
        FROM send s, generate_series(1, 2500) AS n WHERE s.workspace_id = ${busy.workspaceId}`;
      const unmarked = Effect.map(
        sql`SELECT FROM send WHERE workspace_id = ${busy.workspaceId} AND NOT paced`,
        (rows) => rows.length,
      );
      const left: Array<number> = [];
      for (let run = 0; run < 3; run++) {
        const found = yield* repository.sends;
        const count = (workspaceId: number) =>
          found.filter((send) => send.workspaceId === workspaceId).length;
        assert.deepStrictEqual([count(busy.workspaceId), count(quiet.workspaceId)], [1000, 1]);
        for (const { id } of own) assert.isTrue(found.some((send) => send.id === id));
        left.push(yield* unmarked);
      }
      assert.deepStrictEqual(left, [1500, 500, 0]);
      yield* sql`DELETE FROM send WHERE workspace_id = ${busy.workspaceId} AND source_id > 1000000`;
    }).pipe(Effect.provide(PacingSql.layer)),
  );
});
