import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

type Dates = { readonly timezone: string; readonly starts_at: string; readonly ends_at?: string };

layer(TestWaypost.layer)("Campaign dates", (it) => {
  // Wall times in clock changes: forward 2027-03-28 02:00 and back 2027-10-31 03:00 in Amsterdam; in Santiago
  // midnight of 2027-09-05 is skipped; in Lord Howe the gap is half an hour.
  const readings: ReadonlyArray<readonly [string, string, string, string, string]> = [
    ["Europe/Amsterdam", "2027-03-28 02:30", "2027-03-28", "2027-03-28T01:30:00", "2027-03-28T21:59:59"],
    ["Europe/Amsterdam", "2027-10-31 02:30", "2027-10-31", "2027-10-31T00:30:00", "2027-10-31T22:59:59"],
    ["America/Santiago", "2027-09-05", "2027-09-05 00:30", "2027-09-05T04:00:00", "2027-09-05T04:30:00"],
    ["America/Santiago", "2027-09-04", "2027-09-04", "2027-09-04T04:00:00", "2027-09-05T03:59:59"],
    ["Australia/Lord_Howe", "2027-10-03 02:15", "2027-10-03", "2027-10-02T15:45:00", "2027-10-03T12:59:59"],
    ["Asia/Kathmandu", "2027-01-01", "2027-01-01", "2026-12-31T18:15:00", "2027-01-01T18:14:59"],
    ["Pacific/Kiritimati", "2026-11-22", "2026-11-22", "2026-11-21T10:00:00", "2026-11-22T09:59:59"],
    ["UTC", "9999-12-31 23:58", "9999-12-31", "9999-12-31T23:58:00", "9999-12-31T23:59:59"],
  ];
  it.effect.each(readings)(
    "in %s from %s to %s is %s to %s in UTC (E1.1, E1.2, campaigns.w2)",
    ([timezone, start, end, from, to]) =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        const made = yield* world.sandbox("/campaigns", {
          body: geo([location], { timezone, starts_at: start, ends_at: end }),
        });
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        assert.strictEqual(made.body.data.starts_at, `${from}+00:00`);
        assert.strictEqual(made.body.data.ends_at, `${to}+00:00`);
      }),
  );

  it.effect("a push day is 23 or 25 hours long where the clock changes on it (E1, E2.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      for (const [day, seconds] of [
        ["2027-03-28", 23 * 3600 - 1],
        ["2027-10-31", 25 * 3600 - 1],
      ] as const) {
        const made = yield* world.sandbox("/campaigns", { body: push({ name: day, starts_at: day }) });
        const { ends_at, starts_at } = made.body.data;
        assert.strictEqual((Date.parse(ends_at) - Date.parse(starts_at)) / 1000, seconds);
      }
    }),
  );

  const todays: ReadonlyArray<readonly [string, string, boolean]> = [
    ["UTC", "2026-11-21", true],
    ["UTC", "2026-11-21 00:00", true],
    ["UTC", "2026-11-20 23:59", false],
    ["Pacific/Kiritimati", "2026-11-21 23:59", false],
    ["Pacific/Kiritimati", "2026-11-22", true],
    ["Pacific/Niue", "2026-11-21", true],
    ["Etc/GMT+12", "2026-11-20", false],
    ["UTC", "1970-01-01", false],
  ];
  it.effect.each(todays)(
    "at noon UTC, in %s a start at %s is not before today: %s (campaigns.w3)",
    ([timezone, start, good]) =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        const answer = yield* world.sandbox("/campaigns", {
          body: geo([location], { timezone, starts_at: start }),
        });
        assert.strictEqual(answer.status, good ? 201 : 422);
        if (!good) assert.hasAllKeys(answer.body.error.fields, ["starts_at"]);
      }),
  );

  it.effect(
    "an end that has passed is accepted after the start and refused at or before it (E12.2, campaigns.w4)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        const make = (dates: object) =>
          world.sandbox("/campaigns", { body: geo([location], { timezone: "UTC", ...dates }) });
        const ended = yield* make({ starts_at: "2026-11-21 08:00", ends_at: "2026-11-21 08:01" });
        assert.deepStrictEqual([ended.status, ended.body.data.status], [201, "ended"]);
        for (const end of ["2026-11-21 08:00", "2026-11-20", "2026-11-21 07:59"]) {
          const refused = yield* make({ name: "2", starts_at: "2026-11-21 08:00", ends_at: end });
          assert.hasAllKeys(refused.body.error.fields, ["ends_at"]);
        }
        // The start in the gap is moved to the end of the gap, so an end within the gap is not later.
        const gap = yield* make({
          name: "3",
          timezone: "Europe/Amsterdam",
          starts_at: "2027-03-28 02:30",
          ends_at: "2027-03-28 03:30",
        });
        assert.hasAllKeys(gap.body.error.fields, ["ends_at"]);
      }),
  );

  it.effect("a push campaign on the last day of the year 9999 is 422, not an internal error", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const answer = yield* world.sandbox("/campaigns", {
        body: push({ timezone: "America/New_York", starts_at: "9999-12-31 20:00" }),
      });
      assert.strictEqual(answer.status, 422);
      assert.hasAllKeys(answer.body.error.fields, ["starts_at"]);
    }),
  );

  const started = (dates: Dates) =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const location = yield* world.location();
      const made = yield* world.sandbox("/campaigns", { body: geo([location], dates) });
      assert.strictEqual(made.status, 201);
      yield* TestClock.setTime(Date.parse(made.body.data.starts_at) + 3 * 86_400_000);
      return (next: Dates) =>
        Effect.map(
          world.sandbox(`/campaigns/${made.body.data.id}`, { method: "PATCH", body: geo([location], next) }),
          (answer) => (answer.status === 200 ? [] : Object.keys(answer.body.error.fields)),
        );
    });
  const amsterdam = { timezone: "Europe/Amsterdam", starts_at: "2026-11-22 09:00" };

  it.effect(
    "the start of a started campaign cannot change, and the same start is accepted days later " +
      "(E3.1, campaigns.w3)",
    () =>
      Effect.gen(function* () {
        const patch = yield* started(amsterdam);
        assert.deepStrictEqual(yield* patch(amsterdam), []);
        assert.deepStrictEqual(yield* patch({ ...amsterdam, ends_at: "2026-12-31" }), []);
        for (const start of ["2026-11-22 09:01", "2026-11-22", "2026-11-23 09:00", "2026-12-24"]) {
          assert.deepStrictEqual(yield* patch({ ...amsterdam, starts_at: start }), ["starts_at"], start);
        }
      }),
  );

  it.effect("a start in a gap can be resubmitted as it was sent and as it is shown (E1.1, E3.1)", () =>
    Effect.gen(function* () {
      const gap = { timezone: "Europe/Amsterdam", starts_at: "2027-03-28 02:30" };
      const patch = yield* started(gap);
      assert.deepStrictEqual(yield* patch(gap), []);
      assert.deepStrictEqual(yield* patch({ ...gap, starts_at: "2027-03-28 03:30" }), []);
    }),
  );

  it.effect("the zone of a started campaign can change only if the start stays the same instant (E3.3)", () =>
    Effect.gen(function* () {
      const patch = yield* started(amsterdam);
      assert.deepStrictEqual(yield* patch({ ...amsterdam, timezone: "America/New_York" }), ["timezone"]);
      assert.deepStrictEqual(yield* patch({ timezone: "America/New_York", starts_at: "2026-11-22 04:00" }), [
        "starts_at",
      ]);
      assert.deepStrictEqual(
        yield* patch({ timezone: "America/New_York", starts_at: "2026-11-22 03:00" }),
        [],
      );
      assert.deepStrictEqual(yield* patch({ timezone: "Europe/Berlin", starts_at: "2026-11-22 09:00" }), []);
    }),
  );

  it.effect(
    "before its start a campaign can move to any day that is not before today " +
      "(campaigns.s_new, campaigns.w3)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const made = yield* world.sandbox("/campaigns", { body: push() });
        const patch = (more: object) =>
          world.sandbox(`/campaigns/${made.body.data.id}`, { method: "PATCH", body: push(more) });
        const moved = yield* patch({ timezone: "Asia/Tokyo", starts_at: "2026-12-01" });
        assert.strictEqual(moved.body.data.starts_at, "2026-11-30T15:00:00+00:00");
        assert.hasAllKeys((yield* patch({ starts_at: "2026-11-20" })).body.error.fields, ["starts_at"]);
        assert.strictEqual((yield* patch({ starts_at: "2026-11-21" })).body.data.status, "active");
      }),
  );
});
