import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { callOutcomes, type EndedCall } from "../../src/webhooks/calls/CallOutcomes.ts";
import type { TakenCall } from "../../src/webhooks/calls/CallQueueSql.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { isSigned } from "./TestReceiver.ts";
import { called, calledAfter, webhookWorld } from "./WebhookWorld.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

layer(TestWaypost.layer)("Failed calls of webhooks", (it) => {
  it.effect(
    "a failed call is repeated after 5 s, 5 min, 30 min, 2, 5, 10 and 14 h, then given up (N4.2, N3.1, N5.2)",
    () =>
      Effect.gen(function* () {
        const { attempts, geo, make, platform, receiver, waiting } = yield* webhookWorld;
        const { location, phone } = yield* geo();
        const { id, secret } = yield* make({ events: ["location.entered"] });
        receiver.answer(() => 500);
        yield* phone.sees("enter", location);
        yield* called;
        const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour];
        for (const [index, pause] of pauses.entries()) {
          // Not before the pause is over, and within the jitter of a tenth.
          yield* calledAfter(pause - 2 * second);
          assert.lengthOf(receiver.calls, index + 1, String(pause));
          yield* calledAfter(pause * 0.1 + 3 * second);
          assert.lengthOf(receiver.calls, index + 2, String(pause));
        }
        yield* calledAfter(3 * day);
        assert.lengthOf(receiver.calls, 8);
        const [first, ...others] = receiver.calls;
        for (const call of others) {
          assert.strictEqual(call.headers["webhook-id"], first?.headers["webhook-id"]);
          assert.strictEqual(call.text, first?.text);
          assert.isTrue(isSigned(secret, call, Number(call.headers["webhook-timestamp"]) * 1000));
        }
        const log = yield* attempts(id);
        assert.deepStrictEqual(
          log.map(({ attempt, status_code }) => [attempt, status_code]),
          [8, 7, 6, 5, 4, 3, 2, 1].map((attempt) => [attempt, 500]),
        );
        assert.isNull(log[0].next_attempt_at);
        assert.match(log[0].error, /status 500/);
        assert.match(log.at(-1).next_attempt_at, /^2026-11-21T12:00:05/);
        assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
        // A call that was given up can be sent again, with its ids.
        receiver.answer(() => 200);
        const path = `/webhooks/${id}/events/${first?.body.id}/resend`;
        const again = yield* platform(path, { method: "POST" });
        assert.deepStrictEqual([again.status, again.body], [202, { data: { event_id: first?.body.id } }]);
        yield* called;
        assert.lengthOf(receiver.calls, 9);
        assert.strictEqual(receiver.calls[8]?.headers["webhook-id"], first?.headers["webhook-id"]);
      }),
  );

  it.effect("Retry-After lengthens a pause up to a day, and never shortens it (N4.3)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      yield* make({ events: ["location.entered"] });
      const answers = ["60", "1", "999999999"];
      receiver.answer((_, number) => ({
        status: 503,
        headers: { "retry-after": answers[number] ?? "0" },
      }));
      yield* phone.sees("enter", location);
      yield* called;
      yield* calledAfter(58 * second);
      assert.lengthOf(receiver.calls, 1);
      yield* calledAfter(3 * second);
      assert.lengthOf(receiver.calls, 2);
      yield* calledAfter(4 * minute);
      assert.lengthOf(receiver.calls, 2);
      yield* calledAfter(2 * minute);
      assert.lengthOf(receiver.calls, 3);
      yield* calledAfter(day - minute);
      assert.lengthOf(receiver.calls, 3);
      yield* calledAfter(2 * minute);
      assert.lengthOf(receiver.calls, 4);
    }),
  );

  it.effect("a receiver that hangs, drips its head, resets or redirects has failed (N1.5, N4.2)", () =>
    Effect.gen(function* () {
      const { attempts, geo, make, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      const behaviours = [
        "hang",
        "reset",
        { status: 302, headers: { location: receiver.url } },
        "drip",
      ] as const;
      for (const behaviour of behaviours) {
        receiver.answer(() =>
          behaviour === "drip" ? (response) => void response.socket?.write("HTTP/1.1 2") : behaviour,
        );
        const before = receiver.calls.length;
        yield* phone.sees("enter", location);
        const waits = yield* Effect.forkChild(called);
        yield* receiver.arrived(before + 1);
        if (behaviour === "hang" || behaviour === "drip") yield* TestClock.adjust(15 * second);
        yield* Fiber.join(waits);
        const [latest] = yield* attempts(id);
        const shown = JSON.stringify(behaviour);
        assert.strictEqual(latest.status_code, typeof behaviour === "object" ? 302 : null, shown);
        assert.match(
          latest.error,
          typeof behaviour === "object" ? /redirects are not followed/ : /no answer/,
          shown,
        );
        receiver.answer(() => 200);
        yield* calledAfter(6 * second);
      }
    }),
  );

  it.effect("an answer of 2xx is a success even if its body never ends (N4.2)", () =>
    Effect.gen(function* () {
      const { attempts, geo, make, receiver, waiting } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer(() => (response) => void response.writeHead(200).write("a".repeat(100_000)));
      yield* phone.sees("enter", location);
      yield* called;
      assert.deepInclude((yield* attempts(id))[0], { status_code: 200, error: null });
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
    }),
  );

  it.effect("410 disables a webhook at once, and activating it sends what waits (N4.4)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, receiver, show } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer(() => 410);
      yield* phone.sees("enter", location);
      yield* called;
      assert.deepInclude(yield* show(id), {
        status: "disabled",
        disabled_at: "2026-11-21T12:00:00+00:00",
      });
      yield* phone.sees("enter", location);
      yield* calledAfter(hour);
      assert.lengthOf(receiver.calls, 1);
      receiver.answer(() => 200);
      const active = yield* platform(`/webhooks/${id}`, { method: "PATCH", body: { status: "active" } });
      assert.deepInclude(active.body.data, { status: "active", disabled_at: null });
      yield* called;
      // The event of the disabled time was not recorded.
      assert.lengthOf(receiver.calls, 2);
      assert.strictEqual(receiver.calls[1]?.text, receiver.calls[0]?.text);
    }),
  );

  it.effect("a webhook is disabled when it fails and has had no success for 5 days (N4.4)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver, show } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer(() => 500);
      yield* phone.sees("enter", location);
      yield* called;
      yield* TestClock.setTime(testStart + 4 * day);
      // One success starts the count again.
      receiver.answer(() => 200);
      yield* called;
      receiver.answer(() => 500);
      yield* phone.sees("enter", location);
      yield* called;
      yield* TestClock.setTime(testStart + 9 * day - minute);
      yield* phone.sees("enter", location);
      yield* called;
      assert.strictEqual((yield* show(id)).status, "active");
      yield* TestClock.setTime(testStart + 9 * day + minute);
      yield* phone.sees("enter", location);
      yield* called;
      assert.strictEqual((yield* show(id)).status, "disabled");
    }),
  );

  it.effect("a receiver that hangs delays no other receiver (N4.5)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver, production } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      yield* make({ events: ["location.entered"], url: `${receiver.url}/hanging` });
      yield* make({ events: ["location.entered"] });
      receiver.answer(({ path }) => (path.endsWith("hanging") ? "hang" : 200));
      yield* phone.sees("enter", location);
      const waits = yield* Effect.forkChild(called);
      yield* receiver.arrived(2);
      const sql = yield* SqlClient.SqlClient;
      const stored = Effect.orDie(sql`
        SELECT FROM webhook_attempt WHERE workspace_id = ${production.workspaceId} AND status_code = 200`);
      while ((yield* stored).length === 0);
      // No time has passed: the other call is still open.
      yield* TestClock.adjust(15 * second);
      yield* Fiber.join(waits);
      assert.lengthOf(receiver.calls, 2);
    }),
  );

  it.effect("an interrupted attempt does not count, and is repeated within 30 seconds (N4.6)", () =>
    Effect.gen(function* () {
      const { attempts, geo, make, production, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      yield* phone.sees("enter", location);
      // As a worker leaves it that dies during the call: the call is leased, and has no result.
      yield* called;
      const sql = yield* SqlClient.SqlClient;
      const [event] = receiver.events();
      yield* Effect.orDie(sql`
        INSERT INTO webhook_call (workspace_id, environment, webhook_id, id, type, event_ids, body,
          recorded_at, due_at)
        VALUES (${production.workspaceId}, 'production', ${id}, gen_random_uuid(), 'location.entered',
          ARRAY[${event.id}]::uuid[], ${receiver.calls[0]?.text ?? ""}, '2026-11-21T12:00:00Z',
          '2026-11-21T12:00:20Z')`);
      yield* calledAfter(19 * second);
      assert.lengthOf(receiver.calls, 1);
      yield* calledAfter(2 * second);
      assert.lengthOf(receiver.calls, 2);
      assert.strictEqual((yield* attempts(id))[0].attempt, 1);
    }),
  );

  it.effect("a result that is stored again, as its commit got no answer, counts once (N4.2, N5.1)", () =>
    Effect.gen(function* () {
      const { attempts, geo, make, production, receiver } = yield* webhookWorld;
      const { workspaceId } = production;
      const sql = yield* SqlClient.SqlClient;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer(() => 500);
      yield* phone.sees("enter", location);
      yield* called;
      const [call] = yield* sql<TakenCall>`
        SELECT webhook_id AS "webhookId", id, type, event_ids AS "eventIds", body, attempts::int, fence
        FROM webhook_call WHERE workspace_id = ${workspaceId}`;
      assert(call !== undefined);
      const result = { statusCode: 500, error: "Refused.", retryAfter: null, body: null };
      const ended: EndedCall = {
        workspaceId,
        environment: "production",
        attemptId: idAt(testStart + 1),
        call,
        result,
        startedAt: testStart,
        durationMs: 1,
      };
      const { settle } = yield* callOutcomes;
      yield* settle([ended]);
      yield* settle([ended]);
      assert.deepStrictEqual(
        (yield* attempts(id)).map(({ attempt }) => attempt),
        [2, 1],
      );
      const rows = yield* sql`SELECT attempts::int FROM webhook_call WHERE workspace_id = ${workspaceId}`;
      assert.deepStrictEqual(rows, [{ attempts: 2 }]);
    }),
  );
});
