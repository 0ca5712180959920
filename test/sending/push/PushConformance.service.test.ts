import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { pushed, pushing, pushWorld } from "./PushWorld.ts";

/** When the only queued push of a workspace is due, in epoch milliseconds. */
const dueAt = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly at: number }>`
    SELECT (extract(epoch FROM due_at) * 1000)::float8 AS at FROM push_queue
    WHERE workspace_id = ${workspaceId}`;
  assert.lengthOf(rows, 1);
  return rows[0]?.at ?? 0;
});

const at = (millis: number) => TestClock.setTime(testStart + millis);

for (const [name, started] of Object.entries(localServices)) {
  layer(TestWaypost.layer)(`Pushes by ${name}`, (it) => {
    it.effect(
      `a push by ${name} is delivered once it is accepted, with the payload of the contract (K1, L8.2)`,
      () =>
        Effect.gen(function* () {
          const service = yield* started;
          const { campaignId, delivery, fired, notificationId } = yield* pushWorld(service, {
            notification: { cta_label: "Look", cta_url: "shop://offers/1" },
          });
          const { inbox, message, name: to } = yield* fired();
          assert.isNull(message.delivered_at);
          assert.deepInclude(yield* delivery(message.id), { transport: name, delivered_at: null });
          yield* at(1_000);
          yield* pushed;
          assert.deepStrictEqual(service.complaints, []);
          assert.deepStrictEqual(
            service.ledger.map((entry) => [entry.id, entry.to]),
            [[message.id, to]],
          );
          assert.deepStrictEqual(service.ledger[0]?.payload, {
            id: message.id,
            type: "message",
            campaign_id: campaignId,
            notification_id: notificationId,
            headline: "Hello",
            body: "World",
            media: null,
            cta_label: "Look",
            cta_url: "shop://offers/1",
          });
          assert.deepInclude(yield* delivery(message.id), {
            status: "delivered",
            attempts: 1,
            last_error: null,
            delivered_at: "2026-11-21T12:00:01+00:00",
          });
          const [received] = yield* inbox();
          assert.deepStrictEqual(received, { ...message, delivered_at: "2026-11-21T12:00:01+00:00" });
        }),
    );

    it.effect(
      `a push by ${name} to a gone address fails; the device is targeted again once it registers (L6.3)`,
      () =>
        Effect.gen(function* () {
          const service = yield* started;
          const { delivery, device, fired, location } = yield* pushWorld(service);
          service.answer(() => "gone");
          const { ask, id, message, push, sees } = yield* fired();
          yield* pushed;
          const failed = yield* delivery(message.id);
          assert.deepInclude(failed, { status: "failed", attempts: 1, delivered_at: null });
          assert.match(failed.last_error, /answered with status 4(04|10)/);
          assert.deepInclude(yield* device(id), { address_gone: true, transport: name });
          assert.deepStrictEqual((yield* sees("enter", location)).deliveries, []);
          service.answer(() => "accept");
          yield* ask("/devices/me", { method: "PATCH", body: { push } });
          assert.deepInclude(yield* device(id), { address_gone: false });
          const [again] = (yield* sees("enter", location)).deliveries;
          yield* pushed;
          assert.deepInclude(yield* delivery(again.id), { status: "delivered" });
        }),
    );

    it.effect(`a push that ${name} refuses permanently fails without a retry (L7)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { delivery, device, fired } = yield* pushWorld(service);
        for (const status of [400, 413, 302]) {
          service.answer(() => ({ status, location: "http://127.0.0.1:1/" }));
          const { id, message } = yield* fired();
          yield* pushed;
          yield* TestClock.adjust("10 minutes");
          yield* pushed;
          const failed = yield* delivery(message.id);
          assert.deepInclude(failed, { status: "failed", attempts: 1 });
          assert.include(failed.last_error, `answered with status ${status}`);
          assert.deepInclude(yield* device(id), { address_gone: false });
        }
        assert.lengthOf(service.ledger, 3);
      }),
    );

    it.effect(
      `a push by ${name} is retried after 1 second, doubling with jitter, up to 8 attempts (L7)`,
      () =>
        Effect.gen(function* () {
          const service = yield* started;
          const { delivery, fired, production } = yield* pushWorld(service);
          service.answer((number) => (number % 2 === 0 ? { status: 500 } : { status: 503 }));
          const { message } = yield* fired();
          let due = yield* Clock.currentTimeMillis;
          for (let tries = 1; tries <= 8; tries++) {
            yield* pushed;
            assert.lengthOf(service.ledger, tries);
            assert.deepInclude(yield* delivery(message.id), {
              status: tries === 8 ? "failed" : "queued",
              attempts: tries,
            });
            if (tries === 8) break;
            const wait = 1000 * 2 ** (tries - 1);
            const next = Math.ceil(yield* dueAt(production.workspaceId));
            assert.isAtLeast(next - due, wait);
            assert.isAtMost(next - due, tries === 1 ? wait : wait * 1.25 + 1);
            yield* TestClock.setTime(next - 1);
            yield* pushed;
            assert.lengthOf(service.ledger, tries, `too early after ${tries}`);
            // Time stands at the instant of the attempt, from which the next wait counts.
            yield* TestClock.setTime(next);
            due = next;
          }
          yield* TestClock.adjust("1 hour");
          yield* pushed;
          assert.lengthOf(service.ledger, 8);
          assert.strictEqual(new Set(service.ledger.map(({ id }) => id)).size, 1);
          assert.match((yield* delivery(message.id)).last_error, /status 503.*tried 8 times\.$/);
        }),
    );

    it.effect(`a push by ${name} is retried when Retry-After says, in seconds or as a date (L7)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { delivery, fired } = yield* pushWorld(service);
        const date = new Date(testStart + 120_000).toUTCString();
        service.answer((number) =>
          number === 0
            ? { status: 429, retryAfter: "30" }
            : number === 1
              ? { status: 503, retryAfter: date }
              : "accept",
        );
        const { message } = yield* fired();
        yield* pushed;
        for (const [time, tries] of [
          [29_999, 1],
          [30_000, 2],
          [119_999, 2],
          [120_000, 3],
        ] as const) {
          yield* at(time);
          yield* pushed;
          assert.lengthOf(service.ledger, tries, `at ${time}`);
        }
        assert.deepInclude(yield* delivery(message.id), {
          status: "delivered",
          attempts: 3,
          last_error: null,
        });
      }),
    );

    it.effect(`a push by ${name} fails if Retry-After is over an hour after the first attempt (L7)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { delivery, fired } = yield* pushWorld(service);
        service.answer(() => ({ status: 429, retryAfter: "3601" }));
        const { message } = yield* fired();
        yield* pushed;
        assert.deepInclude(yield* delivery(message.id), { status: "failed", attempts: 1 });
      }),
    );

    it.effect(`a push by ${name} is retried after a timeout (L7)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { delivery, fired } = yield* pushWorld(service);
        service.answer((number) => (number === 0 ? "hang" : "accept"));
        const { message } = yield* fired();
        yield* pushing;
        yield* service.arrived(1);
        assert.deepInclude(yield* delivery(message.id), { status: "handed_over", attempts: 1 });
        yield* TestClock.adjust("10 seconds");
        yield* pushed;
        const waiting = yield* delivery(message.id);
        assert.deepInclude(waiting, { status: "queued", attempts: 1 });
        assert.include(waiting.last_error, "within 10 seconds");
        yield* TestClock.adjust("1 second");
        yield* pushed;
        assert.deepInclude(yield* delivery(message.id), { status: "delivered", attempts: 2 });
      }),
    );

    it.effect(`a push by ${name} is retried after a lost connection (L7)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { delivery, fired } = yield* pushWorld(service);
        service.answer((number) => (number === 0 ? "reset" : "accept"));
        const { message } = yield* fired();
        yield* pushed;
        const waiting = yield* delivery(message.id);
        assert.deepInclude(waiting, { status: "queued", attempts: 1 });
        assert.match(waiting.last_error, /no answer/i);
        yield* TestClock.adjust("1 second");
        yield* pushed;
        assert.deepInclude(yield* delivery(message.id), { status: "delivered", attempts: 2 });
        assert.deepStrictEqual(new Set(service.ledger.map(({ id }) => id)), new Set([message.id]));
      }),
    );
  });
}
