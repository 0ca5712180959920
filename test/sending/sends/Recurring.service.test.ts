import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { OccurrencePlanner } from "../../../src/campaigns/recurrence/OccurrencePlanner.ts";
import { instant } from "../../../src/database/Rows.ts";
import { at, manualWorkers, start } from "../ManualWorkers.ts";
import { recurringWorld, runAt } from "./RecurringWorld.ts";

layer(manualWorkers)("Sends of recurring campaigns", (it) => {
  it.effect("each date and notification is one send, planned 35 days ahead (V2.1, V2.2)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=WEEKLY;BYDAY=MO");
      assert.deepStrictEqual(yield* world.sends, [
        "2026-11-23 11-23T18:00 scheduled",
        "2026-11-30 11-30T18:00 scheduled",
        "2026-12-07 12-07T18:00 scheduled",
        "2026-12-14 12-14T18:00 scheduled",
        "2026-12-21 12-21T18:00 scheduled",
      ]);
      yield* world.sent(world.campaignId, "19:00");
      assert.lengthOf(yield* world.sends, 10);
      // 35 days before Monday, 2026-12-28, and not a day earlier.
      yield* runAt("2026-11-22T23:59:59Z");
      assert.lengthOf(yield* world.sends, 10);
      yield* runAt("2026-11-23T00:00:00Z");
      assert.deepStrictEqual((yield* world.sends).slice(-2), [
        "2026-12-28 12-28T18:00 scheduled",
        "2026-12-28 12-28T19:00 scheduled",
      ]);
    }),
  );

  it.effect("a send of each date reaches the devices of its minute, once (V2.1, L2, L5)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY;COUNT=3");
      const phone = yield* world.phone();
      const messages = Effect.map(phone.inbox(), ({ length }) => length);
      for (const [time, count] of [
        ["2026-11-21T17:59:59Z", 0],
        ["2026-11-21T18:00:00Z", 1],
        ["2026-11-22T18:00:00Z", 2],
        ["2026-11-22T18:00:01Z", 2],
        ["2026-11-23T18:00:00Z", 3],
        ["2026-11-24T18:00:00Z", 3],
      ] as const) {
        yield* runAt(time);
        assert.strictEqual(yield* messages, count, time);
      }
      assert.deepStrictEqual(yield* world.sends, [
        "2026-11-21 11-21T18:00 done",
        "2026-11-22 11-22T18:00 done",
        "2026-11-23 11-23T18:00 done",
      ]);
      const { body } = yield* world.platform(`/campaigns/${world.campaignId}`);
      assert.deepStrictEqual([body.data.status, body.data.ends_at], ["ended", "2026-11-23T23:59:59+00:00"]);
    }),
  );

  it.effect("a date is missed once its day is over, and runs late before (L2, Z24)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY");
      yield* world.phone();
      yield* runAt("2026-11-23T23:59:59Z");
      assert.deepStrictEqual((yield* world.sends).slice(0, 4), [
        "2026-11-21 11-21T18:00 missed",
        "2026-11-22 11-22T18:00 missed",
        "2026-11-23 11-23T18:00 done",
        "2026-11-24 11-24T18:00 scheduled",
      ]);
      // No process ran for longer than sends are planned ahead: nothing is left out.
      yield* runAt("2027-01-10T20:00:00Z");
      const shown = yield* world.sends;
      assert.deepStrictEqual(
        shown.slice(35, 52).map((send) => send.slice(0, 10) + send.slice(22)),
        [
          ...Array.from({ length: 15 }, (_, day) => `2026-12-${26 + day}`)
            .map((date) =>
              date > "2026-12-31" ? `2027-01-${String(Number(date.slice(8)) - 31).padStart(2, "0")}` : date,
            )
            .map((date) => `${date} missed`),
          "2027-01-10 done",
          "2027-01-11 scheduled",
        ],
      );
    }),
  );

  it.effect("pausing skips the dates that pass, publishing later does not send them (V2.3, L3)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY;COUNT=4");
      yield* runAt("2026-11-21T18:00:00Z");
      yield* world.ask(world.campaignId, "pause");
      yield* runAt("2026-11-22T18:00:00Z");
      yield* at("2026-11-23T18:00:00Z");
      yield* world.ask(world.campaignId, "publish");
      yield* runAt("2026-11-23T18:00:01Z");
      yield* runAt("2026-11-24T18:00:00Z");
      assert.deepStrictEqual(
        (yield* world.sends).map((send) => send.slice(23)),
        ["done", "skipped", "skipped", "done"],
      );
    }),
  );

  it.effect(
    "a change of the rule or the time moves what has not begun; a date that stays keeps its id (Z23)",
    () =>
      Effect.gen(function* () {
        const world = yield* recurringWorld("FREQ=DAILY;COUNT=5");
        yield* runAt("2026-11-21T18:00:00Z");
        const id = yield* world.idOf("2026-11-23");
        yield* world.update({
          recurrence: { rule: "FREQ=DAILY;INTERVAL=2;COUNT=3", except: ["2026-11-25"] },
        });
        assert.deepStrictEqual(yield* world.sends, [
          "2026-11-21 11-21T18:00 done",
          "2026-11-23 11-23T18:00 scheduled",
        ]);
        assert.strictEqual(yield* world.idOf("2026-11-23"), id);
        yield* world.resent(world.campaignId, world.notificationId, "20:00");
        assert.deepStrictEqual((yield* world.sends).slice(1), ["2026-11-23 11-23T20:00 scheduled"]);
        assert.strictEqual(yield* world.idOf("2026-11-23"), id);
        yield* world.update({ recurrence: { rule: "FREQ=DAILY" }, ends_at: "2026-11-24" });
        assert.deepStrictEqual(yield* world.sends, [
          // Its send has been made today, so it is not made again at the new time.
          "2026-11-21 11-21T18:00 done",
          "2026-11-22 11-22T20:00 scheduled",
          "2026-11-23 11-23T20:00 scheduled",
          "2026-11-24 11-24T20:00 scheduled",
        ]);
        assert.strictEqual(yield* world.idOf("2026-11-23"), id);
        yield* world.resent(world.campaignId, world.notificationId, "20:00", { headline: "Changed" });
        yield* world.phone().pipe(
          Effect.tap(() => runAt("2026-11-22T20:00:00Z")),
          Effect.flatMap(({ inbox }) => inbox()),
          Effect.map(([message]) => assert.strictEqual(message.headline, "Changed")),
        );
      }),
  );

  it.effect("deleting the notification or the campaign cancels, attaching again plans again (Z23, L3)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY;COUNT=2");
      yield* world.remove(`${world.campaignId}/notifications/${world.notificationId}`);
      const cancelled = ["2026-11-21 11-21T18:00 cancelled", "2026-11-22 11-22T18:00 cancelled"];
      assert.deepStrictEqual(yield* world.sends, cancelled);
      yield* world.sent(world.campaignId, "18:00");
      assert.lengthOf(yield* world.sends, 4);
      yield* world.remove(world.campaignId);
      assert.deepStrictEqual(
        yield* world.sends,
        cancelled.flatMap((send) => [send, send]),
      );
      yield* runAt("2026-11-23T18:00:00Z");
      assert.lengthOf(yield* world.sends, 4);
    }),
  );

  it.effect("a campaign of one day that recurs keeps its send, and back again (Z21, Z23)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY", "18:00", { recurrence: null });
      const [plain] = yield* world.production.sends();
      assert.deepStrictEqual([plain.occurrence, plain.status], [null, "scheduled"]);
      yield* world.update({ recurrence: { rule: "FREQ=DAILY;COUNT=2" } });
      assert.deepStrictEqual(yield* world.sends, [
        "2026-11-21 11-21T18:00 scheduled",
        "2026-11-22 11-22T18:00 scheduled",
      ]);
      assert.strictEqual(yield* world.idOf("2026-11-21"), plain.id);
      yield* world.update({ recurrence: null });
      assert.deepStrictEqual(yield* world.production.sends(), [plain]);
      // A rule that its day does not meet: the send goes. Its time has passed: none comes back.
      yield* world.update({ recurrence: { rule: "FREQ=WEEKLY;BYDAY=MO;COUNT=1" } });
      assert.deepStrictEqual(yield* world.sends, ["2026-11-23 11-23T18:00 scheduled"]);
      yield* at("2026-11-21T19:00:00Z");
      yield* world.update({ recurrence: null });
      assert.isEmpty(yield* world.sends);
    }),
  );

  it.effect("a send that was made today is not made again, whatever the campaign becomes (V2.1)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY;COUNT=2");
      yield* runAt("2026-11-21T18:00:00Z");
      yield* world.update({ recurrence: null });
      yield* world.resent(world.campaignId, world.notificationId, "20:00");
      yield* world.update({ recurrence: { rule: "FREQ=DAILY;COUNT=2" } });
      assert.deepStrictEqual(yield* world.sends, [
        "2026-11-21 11-21T18:00 done",
        "2026-11-22 11-22T20:00 scheduled",
      ]);
    }),
  );

  it.effect("a time in a gap moves forward, and one in a fold is the earlier of two (V2.8, E1)", () =>
    Effect.gen(function* () {
      for (const [first, due] of [
        ["2027-03-27", ["03-27T01:30", "03-28T01:30", "03-29T00:30"]],
        ["2027-10-30", ["10-30T00:30", "10-31T00:30", "11-01T01:30"]],
      ] as const) {
        const campaign = { starts_at: first, timezone: "Europe/Amsterdam" };
        const { occurrences } = yield* recurringWorld("FREQ=DAILY;COUNT=3", "02:30", campaign);
        const { data } = yield* occurrences();
        assert.deepStrictEqual(
          data.map(({ sends }: any) => sends[0].due_at.slice(5, 16)),
          due,
        );
      }
    }),
  );

  it.effect("a send at a local time of each date goes out by the zones of devices (V1.4, P3)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY;COUNT=2", "18:00", { starts_at: "2026-11-23" });
      yield* world.resent(world.campaignId, world.notificationId, "09:00", {
        trigger_config: { send_at: "09:00", local: true },
      });
      const phones = [
        yield* world.phone(undefined, { timezone: "Asia/Tokyo" }),
        yield* world.phone(undefined, { timezone: "America/New_York" }),
      ];
      const inboxes = Effect.forEach(phones, (phone) => Effect.map(phone.inbox(), ({ length }) => length));
      const next = Effect.map(world.occurrences(), ({ data }) =>
        data.map(({ occurrence, sends }: any) => `${occurrence} ${sends[0].due_at.slice(0, 16)}`),
      );
      const both = ["2026-11-23 2026-11-23T00:00", "2026-11-24 2026-11-24T00:00"];
      assert.deepStrictEqual(yield* next, both);
      const step = (time: string) => Effect.andThen(runAt(time), start);
      yield* step("2026-11-23T00:00:00Z");
      assert.deepStrictEqual(yield* inboxes, [1, 0]);
      yield* step("2026-11-23T14:00:00Z");
      assert.deepStrictEqual(yield* inboxes, [1, 1]);
      assert.deepStrictEqual(yield* world.sends, [
        "2026-11-23 11-23T00:00 done",
        "2026-11-24 11-24T00:00 scheduled",
      ]);
      yield* step("2026-11-24T00:00:00Z");
      yield* step("2026-11-24T14:00:00Z");
      assert.deepStrictEqual(yield* inboxes, [2, 2]);
      // A date is next until its time has passed everywhere.
      yield* at("2026-11-24T21:00:00Z");
      assert.deepStrictEqual(yield* next, both.slice(1));
      yield* at("2026-11-24T21:00:01Z");
      assert.isEmpty(yield* next);
    }),
  );

  it.effect("several processes plan a date once (V2.5)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY");
      const sql = yield* SqlClient.SqlClient;
      const { planDue } = yield* OccurrencePlanner;
      yield* at("2026-11-22T00:00:00Z");
      yield* Effect.all([planDue, planDue, planDue], { concurrency: "unbounded" });
      assert.lengthOf(yield* world.sends, 37);
      // A page that was planned and whose end is lost is planned again.
      yield* sql`UPDATE campaign SET plan_at = ${instant(Date.parse("2026-11-21T00:00:00Z"))}
        WHERE id = ${world.campaignId}`;
      yield* planDue;
      assert.lengthOf(yield* world.sends, 37);
    }),
  );
});
