import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { TestClock } from "effect/testing";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { isSigned } from "./TestReceiver.ts";
import { called, webhookWorld } from "./WebhookWorld.ts";

layer(TestWaypost.layer)("Webhooks", (it) => {
  it.effect("a new webhook shows its secret once (N1.1)", () =>
    Effect.gen(function* () {
      const { platform, receiver } = yield* webhookWorld;
      const body = { url: receiver.url, events: ["survey.answered", "*", "*"], description: " Warehouse " };
      const created = yield* platform("/webhooks", { body });
      assert.strictEqual(created.status, 201);
      const { id, secret, ...rest } = created.body.data;
      const shown = {
        url: receiver.url,
        events: ["survey.answered", "*"],
        description: "Warehouse",
        batch: false,
        status: "active",
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
        disabled_at: null,
        last_attempt_at: null,
      };
      assert.deepStrictEqual(rest, shown);
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.deepStrictEqual((yield* platform(`/webhooks/${id}`)).body, { data: { id, ...shown } });
      assert.deepStrictEqual((yield* platform("/webhooks")).body.data, [{ id, ...shown }]);
    }),
  );

  it.effect("a webhook needs a full public address and known event types (N1.5, N2.2)", () =>
    Effect.gen(function* () {
      const { platform } = yield* webhookWorld;
      const create = (body: object) => platform("/webhooks", { body });
      const url = "http://127.0.0.1:1/hook";
      const cases: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{}, ["url", "events"]],
        [{ url: "", events: [] }, ["url", "events"]],
        [{ url: "example.com/hook", events: ["*"] }, ["url"]],
        [{ url: "ftp://example.com/hook", events: ["*"] }, ["url"]],
        [{ url: "https:example.com", events: ["*"] }, ["url"]],
        [{ url: "https://user:pass@example.com/", events: ["*"] }, ["url"]],
        [{ url: "https://does-not-exist.invalid/", events: ["*"] }, ["url"]],
        [{ url: `https://example.com/${"a".repeat(2048)}`, events: ["*"] }, ["url"]],
        [{ url, events: ["message.delivered", "message.sent", 3] }, ["events.1", "events.2"]],
        [{ url, events: "message.delivered" }, ["events"]],
        [{ url, events: Array.from({ length: 101 }, () => "nothing") }, ["events"]],
        [{ url, events: ["*"], batch: "yes", description: "x".repeat(256) }, ["description", "batch"]],
      ];
      for (const [body, fields] of cases) {
        const answer = yield* create(body);
        assert.strictEqual(answer.body.error?.code, "validation_failed", JSON.stringify(body));
        assert.sameMembers(Object.keys(answer.body.error.fields), [...fields], JSON.stringify(body));
      }
    }),
  );

  it.effect("an environment has at most 20 webhooks, and a deleted one does not count (N1.4, N1.7)", () =>
    Effect.gen(function* () {
      const { make, platform, receiver } = yield* webhookWorld;
      for (let index = 0; index < 20; index++) yield* make();
      const refused = yield* platform("/webhooks", { body: { url: receiver.url, events: ["*"] } });
      assert.deepStrictEqual(
        [refused.status, refused.body.error.code, Object.keys(refused.body.error.fields)],
        [403, "limit_exceeded", ["max_webhooks"]],
      );
      const [{ id }] = (yield* platform("/webhooks")).body.data;
      assert.deepStrictEqual((yield* platform(`/webhooks/${id}`, { method: "DELETE" })).body, {
        data: { id, deleted: true },
      });
      assert.strictEqual((yield* platform(`/webhooks/${id}`)).status, 404);
      yield* make();
    }),
  );

  it.effect("PATCH takes the status alone or the whole webhook (N1.2)", () =>
    Effect.gen(function* () {
      const { make, platform, receiver } = yield* webhookWorld;
      const { id } = yield* make({ description: "Old", batch: true });
      const patch = (body: object) => platform(`/webhooks/${id}`, { method: "PATCH", body });
      yield* TestClock.adjust("1 minute");
      const disabled = yield* patch({ status: "disabled" });
      assert.deepInclude(disabled.body.data, {
        status: "disabled",
        disabled_at: "2026-11-21T12:01:00+00:00",
        description: "Old",
        batch: true,
      });
      yield* TestClock.adjust("1 minute");
      // A status that it has already changes nothing.
      assert.deepStrictEqual((yield* patch({ status: "disabled" })).body, disabled.body);
      const whole = yield* patch({ url: `${receiver.url}/2`, events: ["message.failed"], status: "active" });
      assert.deepInclude(whole.body.data, {
        url: `${receiver.url}/2`,
        events: ["message.failed"],
        description: null,
        batch: false,
        status: "active",
        disabled_at: null,
        updated_at: "2026-11-21T12:02:00+00:00",
      });
      for (const [body, fields] of [
        [{}, ["url", "events"]],
        [{ events: ["*"] }, ["url"]],
        [{ status: "paused" }, ["status"]],
        [{ url: "nonsense", events: ["nothing"], status: 1 }, ["url", "events.0", "status"]],
      ] as const) {
        const refused = yield* patch(body);
        assert.sameMembers(Object.keys(refused.body.error.fields), [...fields], JSON.stringify(body));
      }
      const unknown = yield* platform(`/webhooks/${randomUUID()}`, { method: "PATCH", body: {} });
      assert.strictEqual(unknown.status, 404);
    }),
  );

  it.effect("a repeated creation with an Idempotency-Key shows the same secret (N1.1, J2)", () =>
    Effect.gen(function* () {
      const { platform, receiver } = yield* webhookWorld;
      const headers = { "idempotency-key": randomUUID() };
      const body = { url: receiver.url, events: ["*"] };
      const first = yield* platform("/webhooks", { body, headers });
      const again = yield* platform("/webhooks", { body, headers });
      assert.strictEqual(first.status, 201);
      assert.deepStrictEqual(again.body, first.body);
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true");
    }),
  );

  it.effect("a test calls the receiver now and gives its answer (N5.3)", () =>
    Effect.gen(function* () {
      const { attempts, make, platform, receiver } = yield* webhookWorld;
      const { id, secret } = yield* make({ batch: true });
      receiver.answer(() => ({ status: 418, body: "x".repeat(3_000) }));
      const headers = { "idempotency-key": randomUUID() };
      const tested = yield* platform(`/webhooks/${id}/test`, { method: "POST", headers });
      assert.strictEqual(tested.status, 200);
      assert.deepStrictEqual(tested.body.data, {
        status_code: 418,
        error: "The receiver answered with status 418: only 2xx is a success.",
        duration_ms: 0,
        body: "x".repeat(1_024),
      });
      const [call] = receiver.calls;
      assert.isTrue(call !== undefined && isSigned(secret, call, testStart));
      assert.strictEqual(call?.body.type, "batch");
      assert.strictEqual(call?.body.data[0].type, "webhook.test");
      assert.deepInclude((yield* attempts(id))[0], { event_type: "webhook.test", status_code: 418 });
      receiver.answer(() => "hang");
      const waits = yield* Effect.forkChild(platform(`/webhooks/${id}/test`, { method: "POST" }));
      yield* receiver.arrived(2);
      yield* TestClock.adjust("15 seconds");
      assert.deepInclude((yield* Fiber.join(waits)).body.data, { status_code: null, body: null });
      yield* called;
      assert.lengthOf(receiver.calls, 2);
    }),
  );

  it.effect("a test says the same of a refused, a lost, a foreign and a silent connection (N5.3, N5.1)", () =>
    Effect.gen(function* () {
      const { attempts, make, platform, receiver } = yield* webhookWorld;
      const { id } = yield* make();
      const test = platform(`/webhooks/${id}/test`, { method: "POST" });
      const errors: Array<string> = [];
      for (const behaviour of [
        "hang",
        "reset",
        // A server of another protocol.
        (response: ServerResponse) => void response.socket?.end("SSH-2.0-OpenSSH_9.9\r\n"),
        "closed",
      ] as const) {
        if (behaviour === "closed") receiver.close();
        else receiver.answer(() => behaviour);
        const waits = yield* Effect.forkChild(test);
        if (behaviour === "hang") {
          yield* receiver.arrived(1);
          yield* TestClock.adjust("15 seconds");
        }
        const { body } = yield* Fiber.join(waits);
        assert.deepInclude(body.data, { status_code: null, body: null });
        errors.push(body.data.error, (yield* attempts(id))[0].error);
      }
      assert.deepStrictEqual(
        [...new Set(errors)],
        ["There was no answer from the receiver: no connection, or none for 15 seconds."],
      );
    }),
  );

  it.effect("attempts are paged, newest first (N5.1, D1.2)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      const other = yield* make({ events: ["location.exited"] });
      for (let index = 0; index < 5; index++) {
        yield* phone.sees("enter", location);
        yield* called;
        yield* TestClock.adjust("1 second");
      }
      const first = yield* platform(`/webhooks/${id}/attempts?limit=3`);
      const cursor: string = first.body.meta.next_cursor;
      const second = yield* platform(`/webhooks/${id}/attempts?limit=3&cursor=${cursor}`);
      const ids = [...first.body.data, ...second.body.data].map(({ event_id }: any) => event_id);
      assert.deepStrictEqual(
        ids,
        receiver
          .events()
          .map(({ id: event }) => event)
          .toReversed(),
      );
      assert.isNull(second.body.meta.next_cursor);
      const foreign = yield* platform(`/webhooks/${other.id}/attempts?cursor=${cursor}`);
      assert.strictEqual(foreign.body.error.code, "invalid_cursor");
    }),
  );

  it.effect("an event that was delivered can be sent again, of a batch in a batch of one (N5.2)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const batched = yield* make({ events: ["location.entered"], batch: true });
      yield* phone.sees("enter", location);
      yield* phone.sees("enter", location);
      yield* called;
      assert.deepStrictEqual(
        receiver.calls.map(({ body }) => body.data.length),
        [2],
      );
      const [event] = receiver.events();
      const resend = (webhook: string, id: string) =>
        platform(`/webhooks/${webhook}/events/${id}/resend`, { method: "POST" });
      const resent = yield* resend(batched.id, event.id);
      assert.deepStrictEqual([resent.status, resent.body], [202, { data: { event_id: event.id } }]);
      yield* called;
      assert.deepStrictEqual(receiver.calls[1]?.body.data, [event]);
      const other = yield* make();
      for (const [webhook, id] of [
        [other.id, event.id],
        [batched.id, randomUUID()],
        [batched.id, "nonsense"],
        [randomUUID(), event.id],
      ] as const) {
        assert.strictEqual((yield* resend(webhook, id)).status, 404);
      }
    }),
  );

  it.effect("an event that failed is sent again as the webhook wants its calls now (N5.2, N3.2)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer(() => 500);
      yield* phone.sees("enter", location);
      yield* called;
      const [event] = receiver.events();
      const body = { url: receiver.url, events: ["location.entered"], batch: true };
      assert.strictEqual((yield* platform(`/webhooks/${id}`, { method: "PATCH", body })).status, 200);
      yield* platform(`/webhooks/${id}/events/${event.id}/resend`, { method: "POST" });
      yield* called;
      assert.deepInclude(receiver.calls[1]?.body, { type: "batch", data: [event] });
    }),
  );

  it.effect("webhooks need their abilities, and in Production the full API (N1.6)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { production, sandbox } = yield* waypost.tenant({ enabled: false, abilities: ["webhooks:read"] });
      assert.strictEqual((yield* sandbox("/webhooks")).status, 200);
      const body = { url: "http://127.0.0.1:1/", events: ["*"] };
      assert.strictEqual((yield* sandbox("/webhooks", { body })).body.error.code, "missing_ability");
      assert.strictEqual((yield* production("/webhooks")).body.error.code, "platform_api_not_enabled");
    }),
  );
});
