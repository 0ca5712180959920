import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { after, decide, dwelling, dwellWorld, minutesFromNow, withoutJobs } from "./DwellWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

layer(withoutJobs)("Visits that last", (it) => {
  it.effect("an on_dwell notification fires once at its minute, not before and not again (P1.2)", () =>
    Effect.gen(function* () {
      const { campaignId, location, messages, notificationId, phone } = yield* dwellWorld();
      const entered = yield* phone.sees("enter", location);
      assert.deepStrictEqual(entered.deliveries, []);
      yield* after(9.99);
      assert.strictEqual(yield* messages, 0);
      yield* after(0.01);
      const [message] = yield* phone.inbox();
      assert.deepStrictEqual(
        [message.campaign_id, message.notification_id, message.delivered_at],
        [campaignId, notificationId, "2026-11-21T12:10:00+00:00"],
      );
      yield* after(30);
      assert.strictEqual(yield* messages, 1);
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql`SELECT d.trigger_type, d.location_key IS NOT NULL AS located
        FROM delivery d JOIN device v ON v.key = d.device_key AND v.workspace_id = d.workspace_id
        WHERE v.id = ${phone.id}`;
      assert.deepStrictEqual(rows, [{ trigger_type: "on_dwell", located: true }]);
    }),
  );

  it.effect("an exit before the minute ends the visit; the next visit fires again (P1.3)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld();
      yield* phone.sees("enter", location);
      yield* after(9);
      yield* phone.sees("exit", location);
      yield* after(20);
      assert.strictEqual(yield* messages, 0);
      for (const expected of [1, 2]) {
        yield* phone.sees("enter", location);
        yield* after(10);
        assert.strictEqual(yield* messages, expected);
        yield* phone.sees("exit", location);
        yield* after(1);
      }
    }),
  );

  it.effect("an exit at the minute, or reported after it, takes nothing back (P1.3)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld();
      yield* phone.sees("enter", location);
      yield* TestClock.adjust("9 minutes");
      yield* phone.sees("exit", location, yield* minutesFromNow(1));
      yield* after(1);
      assert.strictEqual(yield* messages, 1);
      yield* phone.sees("enter", location);
      yield* after(10);
      assert.strictEqual(yield* messages, 2);
      yield* phone.sees("exit", location, yield* minutesFromNow(-5));
      yield* after(20);
      assert.strictEqual(yield* messages, 2);
    }),
  );

  it.effect("a second enter without an exit is the same visit, from its first enter (X21.1)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld();
      yield* phone.sees("enter", location);
      yield* after(6);
      yield* phone.sees("enter", location);
      yield* after(4);
      assert.strictEqual(yield* messages, 1);
      yield* after(6);
      yield* phone.sees("enter", location);
      yield* after(30);
      assert.strictEqual(yield* messages, 1);
    }),
  );

  it.effect("an earlier enter that is reported late begins the visit, which still fires once (X21.1)", () =>
    Effect.gen(function* () {
      const early = yield* dwellWorld();
      yield* early.phone.sees("enter", early.location);
      yield* early.phone.sees("enter", early.location, yield* minutesFromNow(-4));
      yield* after(6);
      assert.strictEqual(yield* early.messages, 1);
      yield* after(4);
      assert.strictEqual(yield* early.messages, 1);

      const late = yield* dwellWorld();
      yield* late.phone.sees("enter", late.location);
      yield* after(10);
      yield* late.phone.sees("enter", late.location, yield* minutesFromNow(-14));
      yield* decide;
      assert.strictEqual(yield* late.messages, 1);
    }),
  );

  it.effect("enter and exit in one report are decided by their times (P1.3)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld();
      const event = (type: string, minutes: number, id: string) =>
        Effect.map(minutesFromNow(minutes), (time) => ({ id, type, location_id: location, ...time }));
      yield* phone.report([
        yield* event("exit", -1, "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a01"),
        yield* event("enter", -10, "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a02"),
      ]);
      yield* decide;
      assert.strictEqual(yield* messages, 0);
      yield* phone.report([
        yield* event("enter", -0.5, "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a03"),
        yield* event("exit", -0.5, "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a04"),
      ]);
      yield* after(10);
      assert.strictEqual(yield* messages, 0);
      yield* phone.report([
        yield* event("exit", 0, "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a05"),
        yield* event("enter", 0, "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a06"),
      ]);
      yield* after(10);
      assert.strictEqual(yield* messages, 1);
    }),
  );

  it.effect("an enter and an exit of one instant, and an enter after them, fire once (P1.2)", () =>
    Effect.gen(function* () {
      for (const types of [["enter", "exit"], ["exit", "enter"], ["enter"], []]) {
        const { location, messages, phone } = yield* dwellWorld();
        const time = yield* minutesFromNow(0);
        const events = types.map((type) => ({ id: randomUUID(), type, location_id: location, ...time }));
        if (events.length > 0) yield* phone.report(events);
        if (types.length < 2) {
          yield* TestClock.adjust(1);
          yield* phone.sees("exit", location, time);
          if (types.length === 0) yield* phone.sees("enter", location, time);
        }
        yield* phone.sees("enter", location, yield* minutesFromNow(1 / 60));
        yield* after(11);
        assert.strictEqual(yield* messages, 1, types.join());
      }
    }),
  );

  it.effect("two enters of one instant are one visit (P1.2, X21.1)", () =>
    Effect.gen(function* () {
      for (const types of [
        ["enter", "enter"],
        ["enter", "exit", "enter"],
      ]) {
        const { location, messages, phone } = yield* dwellWorld();
        const time = yield* minutesFromNow(0);
        yield* phone.report(
          types.map((type) => ({ id: randomUUID(), type, location_id: location, ...time })),
        );
        yield* after(11);
        assert.strictEqual(yield* messages, 1, types.join());
      }
    }),
  );

  it.effect("a process that returns fires what is not over 15 minutes past its minute (P1.4, X22.1)", () =>
    Effect.gen(function* () {
      const { location, messages, phone, production } = yield* dwellWorld();
      const other = yield* production.phone();
      yield* other.sees("enter", location);
      yield* TestClock.adjust("1 second");
      yield* phone.sees("enter", location);
      yield* TestClock.adjust("24 minutes");
      yield* after(0.99);
      assert.deepStrictEqual([yield* messages, yield* other.inbox()], [1, []]);
    }),
  );

  it.effect(
    "an enter that is reported hours late fires if its minute is not over 15 minutes past (X22.1)",
    () =>
      Effect.gen(function* () {
        const { location, messages, phone } = yield* dwellWorld({}, dwelling(180));
        yield* phone.sees("enter", location, yield* minutesFromNow(-196));
        yield* phone.sees("exit", location, yield* minutesFromNow(-195.5));
        yield* phone.sees("enter", location, yield* minutesFromNow(-194));
        yield* decide;
        assert.strictEqual(yield* messages, 1);
        const too = yield* dwellWorld({}, dwelling(180));
        yield* too.phone.sees("enter", too.location, yield* minutesFromNow(-196));
        yield* decide;
        assert.strictEqual(yield* too.messages, 0);
      }),
  );

  it.effect("a limit of silence keeps it from a device that has reported nothing of late (P1.8)", () =>
    Effect.gen(function* () {
      const { location, messages, phone, production } = yield* dwellWorld(
        {},
        dwelling(10, { max_silence_minutes: 5 }),
      );
      const talking = yield* production.phone();
      yield* phone.sees("enter", location);
      yield* talking.sees("enter", location);
      yield* TestClock.adjust("5 minutes");
      const elsewhere = yield* production.location({ name: "Elsewhere" });
      yield* talking.sees("enter", elsewhere);
      yield* after(5);
      assert.deepStrictEqual([yield* messages, (yield* talking.inbox()).length], [0, 1]);
    }),
  );

  it.effect("positions begin and end visits, and break a silence (P1.5, P1.8)", () =>
    Effect.gen(function* () {
      const { messages, phone } = yield* dwellWorld({}, dwelling(10, { max_silence_minutes: 1 }));
      const positioned = (latitude: number) =>
        Effect.gen(function* () {
          const { occurred_at } = yield* minutesFromNow(0);
          const positions = [{ latitude, longitude: 4.9, accuracy: 5, recorded_at: occurred_at }];
          const answer = yield* phone.ask("/positions", { body: { positions } });
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
        });
      yield* positioned(52.37);
      yield* TestClock.adjust("9 minutes");
      yield* positioned(52.37);
      yield* after(1);
      assert.strictEqual(yield* messages, 1);
      yield* positioned(52.5);
      yield* TestClock.adjust("1 minute");
      yield* positioned(52.37);
      yield* TestClock.adjust("5 minutes");
      yield* positioned(52.5);
      yield* after(5);
      assert.strictEqual(yield* messages, 1);
    }),
  );

  it.effect("each location and each notification has its own visits (P1.2)", () =>
    Effect.gen(function* () {
      const { production } = yield* givenWorkspace();
      const [one, two] = [
        yield* production.location({ name: "One" }),
        yield* production.location({ name: "Two" }),
      ];
      const campaign = yield* production.campaign({ location_ids: [one, two] });
      for (const minutes of [5, 10, 15])
        yield* production.notification(campaign, { ...dwelling(minutes), headline: `${minutes}` });
      const phone = yield* production.phone();
      yield* phone.sees("enter", one);
      yield* TestClock.adjust("5 minutes");
      yield* phone.sees("enter", two);
      yield* decide;
      yield* after(5);
      yield* phone.sees("exit", one);
      yield* after(10);
      const headlines = (yield* phone.inbox()).map(({ headline }) => String(headline));
      assert.deepStrictEqual(headlines.toSorted(), ["10", "10", "15", "5", "5"]);
    }),
  );

  it.effect("of several messages that are due at once the older come first, wherever rows lie (L4.5)", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, phone, production } = yield* dwellWorld({
        frequency_cap_count: 1,
        frequency_cap_period: "day",
      });
      yield* production.notification(campaignId, dwelling(10));
      yield* phone.sees("enter", location);
      const sql = yield* SqlClient.SqlClient;
      // The row of the older one is then behind the other one.
      yield* sql`
        WITH moved AS (
          DELETE FROM dwell w USING campaign_notification a
          WHERE a.id = w.attachment_id AND a.notification_id = ${notificationId} RETURNING w.*
        )
        INSERT INTO dwell SELECT * FROM moved`;
      yield* after(10);
      assert.deepStrictEqual(
        (yield* phone.inbox()).map(({ notification_id }) => notification_id),
        [notificationId],
      );
    }),
  );
});
