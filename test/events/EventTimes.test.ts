import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { eventWorld, fromNow, oneCampaign } from "./EventWorld.ts";

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

layer(TestWaypost.layer)("The time of an event", (it) => {
  it.effect("may lie 15 minutes back for it to fire; older ones are counted and fire nothing (L1.4)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone } = yield* oneCampaign();
      const at = (millis: number) =>
        Effect.gen(function* () {
          const occurred_at = yield* fromNow(millis);
          const { accepted, deliveries } = yield* phone.sees("enter", location, { occurred_at });
          return [accepted, deliveries.length];
        });
      assert.deepStrictEqual(yield* at(-15 * minute), [1, 1]);
      assert.deepStrictEqual(yield* at(-15 * minute - 1), [1, 0]);
      assert.deepStrictEqual(yield* at(5 * minute), [1, 1]);
    }),
  );

  it.effect("may lie 366 days back and 5 minutes ahead, and not a moment more (L1.5)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone } = yield* oneCampaign();
      const at = (millis: number) =>
        Effect.flatMap(fromNow(millis), (occurred_at) => phone.sees("exit", location, { occurred_at }));
      assert.strictEqual((yield* at(-366 * day)).accepted, 1);
      assert.strictEqual((yield* at(5 * minute)).accepted, 1);
      for (const [millis, word] of [
        [-366 * day - 1, "366 days"],
        [5 * minute + 1, "5 minutes"],
      ] as const) {
        const { accepted, rejected } = yield* at(millis);
        assert.strictEqual(accepted, 0);
        assert.include(rejected[0]?.reasons[0] ?? "", word);
      }
    }),
  );

  it.effect(
    "must lie within the campaign, ends included, whatever the campaign's status is by now (L1.2)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(testStart);
        const { location, phone } = yield* oneCampaign({
          starts_at: "2026-11-21 12:03",
          ends_at: "2026-11-21 12:04",
        });
        const start = Date.parse("2026-11-21T12:03:00Z");
        const at = (time: number) =>
          Effect.map(
            phone.sees("enter", location, { occurred_at: new Date(time).toISOString() }),
            ({ deliveries }) => deliveries.length,
          );
        // Not started yet: a clock that is ahead a little still counts.
        assert.deepStrictEqual([yield* at(start - 1), yield* at(start)], [0, 1]);
        yield* TestClock.setTime(start + 10 * minute);
        // Ended: what happened before the end is reported in time.
        assert.deepStrictEqual(
          [yield* at(start), yield* at(start + minute), yield* at(start + minute + 1)],
          [1, 1, 0],
        );
      }),
  );

  it.effect("must lie within the notification's own window too (L1.2, notifications.window_holds)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone } = yield* oneCampaign(
        { timezone: "Europe/Amsterdam" },
        { starts_at: "2026-11-21 12:58", ends_at: "2026-11-21 13:02" },
      );
      const at = (time: string) =>
        Effect.map(
          phone.sees("enter", location, { occurred_at: `2026-11-21T${time}Z` }),
          ({ deliveries }) => deliveries.length,
        );
      assert.deepStrictEqual(
        [yield* at("11:57:59.999"), yield* at("11:58:00"), yield* at("12:02:00"), yield* at("12:02:00.001")],
        [0, 1, 1, 0],
      );
    }),
  );

  it.effect("is what the event is dated by; the message is dated by its delivery (K8.1)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone, platform } = yield* oneCampaign();
      yield* TestClock.setTime(Date.parse("2026-11-22T00:10:00Z"));
      const occurred_at = "2026-11-21T23:59:00Z";
      const { deliveries } = yield* phone.sees("enter", location, { occurred_at });
      assert.strictEqual(deliveries[0]?.delivered_at, "2026-11-22T00:10:00+00:00");
      const report = yield* platform.production("/reports/summary?start=2026-11-21&end=2026-11-22");
      assert.deepStrictEqual(
        report.body.data.daily.map((each: any) => [each.date, each.geofence_entries, each.delivered]),
        [
          ["2026-11-21", 1, 0],
          ["2026-11-22", 0, 1],
        ],
      );
    }),
  );

  it.effect("of a device's last request is seen to five minutes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { sandbox } = yield* eventWorld();
      const phone = yield* sandbox.device("phone-1");
      yield* phone.ask("/messages");
      yield* TestClock.setTime(testStart + 6 * minute);
      const { last_seen_at } = (yield* phone.ask("/devices/me", { method: "PATCH", body: {} })).body.data;
      assert.strictEqual(Date.parse(last_seen_at), yield* Clock.currentTimeMillis);
    }),
  );
});
