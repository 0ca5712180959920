import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { oneCampaign } from "../../events/EventWorld.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";

const minute = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
/** An instant as responses show it. */
const shown = (ms: number) => iso(ms).replace(".000Z", "+00:00");

/** A message that was delivered at the start of the tests. */
const delivered = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const world = yield* oneCampaign();
  const [message] = (yield* world.phone.sees("enter", world.location)).deliveries;
  const mark = (type: "opened" | "clicked", body?: unknown, id: string = message.id) =>
    world.phone.ask(`/messages/${id}/${type}`, { method: "POST", ...(body === undefined ? {} : { body }) });
  return { ...world, message, mark };
});

layer(TestWaypost.layer)("Interactions with messages", (it) => {
  it.effect("a message is opened once, when the first call says so (device.opened, M1.1)", () =>
    Effect.gen(function* () {
      const { mark, message, phone } = yield* delivered;
      assert.deepStrictEqual([message.opened_at, message.clicked_at], [null, null]);
      yield* TestClock.setTime(testStart + minute);
      const data = { message_id: message.id, opened_at: shown(testStart + minute), clicked_at: null };
      for (const later of [1, 2]) {
        const { body, status } = yield* mark("opened");
        assert.deepStrictEqual([status, body], [200, { data }]);
        yield* TestClock.setTime(testStart + later * 5 * minute);
      }
      assert.deepStrictEqual((yield* mark("opened", { occurred_at: iso(testStart) })).body, { data });
      assert.deepStrictEqual(yield* phone.inbox(), [{ ...message, opened_at: data.opened_at }]);
    }),
  );

  it.effect("a click opens the message too, and counts once (M1.1, M1.2)", () =>
    Effect.gen(function* () {
      const { mark, message, phone } = yield* delivered;
      yield* TestClock.setTime(testStart + minute);
      const at = shown(testStart + minute);
      const clicked = yield* mark("clicked");
      assert.deepStrictEqual(clicked.body, {
        data: { message_id: message.id, opened_at: at, clicked_at: at },
      });
      yield* TestClock.setTime(testStart + 2 * minute);
      assert.deepStrictEqual((yield* mark("clicked")).body, clicked.body);
      assert.deepStrictEqual((yield* mark("opened")).body, clicked.body);
      assert.deepStrictEqual(yield* phone.inbox(), [{ ...message, opened_at: at, clicked_at: at }]);
    }),
  );

  it.effect("a click after an open leaves the open as it was (M1.2)", () =>
    Effect.gen(function* () {
      const { mark, message } = yield* delivered;
      yield* TestClock.setTime(testStart + minute);
      yield* mark("opened");
      yield* TestClock.setTime(testStart + 3 * minute);
      assert.deepStrictEqual((yield* mark("clicked")).body.data, {
        message_id: message.id,
        opened_at: shown(testStart + minute),
        clicked_at: shown(testStart + 3 * minute),
      });
    }),
  );

  it.effect("an interaction is dated by occurred_at, from the delivery to 5 minutes ahead (M1.3, X1a)", () =>
    Effect.gen(function* () {
      const now = testStart + 60 * minute;
      for (const [occurredAt, openedAt] of [
        [testStart + 20 * minute, testStart + 20 * minute],
        [testStart, testStart],
        // A device whose clock is behind.
        [testStart - 5 * minute, testStart],
        [now + 5 * minute, now + 5 * minute],
      ] as const) {
        const { mark } = yield* delivered;
        yield* TestClock.setTime(now);
        const { body, status } = yield* mark("opened", { occurred_at: iso(occurredAt) });
        assert.deepStrictEqual([status, body.data.opened_at], [200, shown(openedAt)]);
      }
      const { mark } = yield* delivered;
      yield* TestClock.setTime(now);
      for (const [occurredAt, word] of [
        [testStart - 5 * minute - 1, "before the delivery"],
        [now + 5 * minute + 1, "ahead"],
      ] as const) {
        for (const type of ["opened", "clicked"] as const) {
          const { body, status } = yield* mark(type, { occurred_at: iso(occurredAt) });
          assert.deepStrictEqual([status, body.error.code], [422, "validation_failed"]);
          assert.include(body.error.fields.occurred_at[0], word);
        }
      }
      const opened = yield* mark("opened", { occurred_at: null });
      assert.strictEqual(opened.body.data.opened_at, shown(now));
    }),
  );

  it.effect("a push whose outcome is not known yet can be clicked (X1a)", () =>
    Effect.gen(function* () {
      const { mark, message, production } = yield* delivered;
      const sql = yield* SqlClient.SqlClient;
      yield* sql`UPDATE delivery SET status = 'handed_over', settled_at = NULL
        WHERE workspace_id = ${production.workspaceId}`;
      const { body, status } = yield* mark("clicked", { occurred_at: iso(testStart - minute) });
      const data = { message_id: message.id, opened_at: shown(testStart), clicked_at: shown(testStart) };
      assert.deepStrictEqual([status, body], [200, { data }]);
    }).pipe(Effect.orDie),
  );

  it.effect("a push that may have arrived can be clicked until its next attempt (X1a)", () =>
    Effect.gen(function* () {
      const { mark, message, production } = yield* delivered;
      const sql = yield* SqlClient.SqlClient;
      const queued = (attempts: number) => sql`
        UPDATE delivery SET status = 'queued', settled_at = NULL, attempts = ${attempts}
        WHERE workspace_id = ${production.workspaceId}`;
      yield* queued(0);
      assert.strictEqual((yield* mark("clicked")).status, 404);
      yield* queued(1);
      const { body, status } = yield* mark("clicked", { occurred_at: iso(testStart) });
      const data = { message_id: message.id, opened_at: shown(testStart), clicked_at: shown(testStart) };
      assert.deepStrictEqual([status, body], [200, { data }]);
    }).pipe(Effect.orDie),
  );

  it.effect(
    "a body is optional, and a bad one is 422; an unknown message is 404 for any body (M1.3, B1)",
    () =>
      Effect.gen(function* () {
        const { mark, message } = yield* delivered;
        for (const body of [{ occurred_at: "yesterday" }, { occurred_at: 5 }, "nonsense", []]) {
          const bad = yield* mark("opened", body);
          assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "validation_failed"]);
          for (const id of [randomUUID(), "nonsense"]) {
            assert.strictEqual((yield* mark("clicked", body, id)).status, 404);
          }
        }
        assert.strictEqual((yield* mark("opened", {})).body.data.message_id, message.id);
      }),
  );
});
