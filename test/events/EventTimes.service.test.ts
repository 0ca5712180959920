import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { firstCampaign } from "./EventWorld.ts";

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

layer(TestWaypost.layer)("Times of events", (it) => {
  it.effect("an event fires up to 15 minutes after its time; an older one is only counted (L1.4)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* firstCampaign();
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

  it.effect("an event may be 366 days old or 5 minutes ahead, and no more (L1.5)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* firstCampaign();
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
    "an event fires if its time is within the campaign, ends included, also after its end (L1.2)",
    () =>
      Effect.gen(function* () {
        const { location, phone } = yield* firstCampaign({
          starts_at: "2026-11-21 12:03",
          ends_at: "2026-11-21 12:04",
        });
        const start = Date.parse("2026-11-21T12:03:00Z");
        const at = (time: number) =>
          Effect.map(
            phone.sees("enter", location, { occurred_at: new Date(time).toISOString() }),
            ({ deliveries }) => deliveries.length,
          );
        // Before the start: a clock that is slightly ahead still counts.
        assert.deepStrictEqual([yield* at(start - 1), yield* at(start)], [0, 1]);
        yield* TestClock.setTime(start + 10 * minute);
        // After the end: an event from before the end fires if reported in time.
        assert.deepStrictEqual(
          [yield* at(start), yield* at(start + minute), yield* at(start + minute + 1)],
          [1, 1, 0],
        );
      }),
  );

  it.effect(
    "an event fires only if its time is within the notification's window (L1.2, notifications.window_holds)",
    () =>
      Effect.gen(function* () {
        const { location, phone } = yield* firstCampaign(
          { timezone: "Europe/Amsterdam" },
          { starts_at: "2026-11-21 12:58", ends_at: "2026-11-21 13:02" },
        );
        const at = (time: string) =>
          Effect.map(
            phone.sees("enter", location, { occurred_at: `2026-11-21T${time}Z` }),
            ({ deliveries }) => deliveries.length,
          );
        assert.deepStrictEqual(
          [
            yield* at("11:57:59.999"),
            yield* at("11:58:00"),
            yield* at("12:02:00"),
            yield* at("12:02:00.001"),
          ],
          [0, 1, 1, 0],
        );
      }),
  );

  it.effect("reports date an event by its time, and a message by its delivery (K8.1)", () =>
    Effect.gen(function* () {
      const { location, phone, platform } = yield* firstCampaign();
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

  it.effect("last_seen_at of a device is accurate to five minutes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { sandbox } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      yield* phone.ask("/messages");
      yield* TestClock.setTime(testStart + 6 * minute);
      const { last_seen_at } = (yield* phone.ask("/devices/me", { method: "PATCH", body: {} })).body.data;
      assert.strictEqual(Date.parse(last_seen_at), yield* Clock.currentTimeMillis);
    }),
  );
});
