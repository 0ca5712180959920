import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

/** A campaign in a world of its own; its PATCH gives the problems by field. */
const campaign = (body: (location: string) => object) =>
  Effect.gen(function* () {
    const world = yield* campaignWorld();
    const location = yield* world.location();
    const made = yield* world.sandbox("/campaigns", { body: body(location) });
    assert.strictEqual(made.status, 201, JSON.stringify(made.body));
    const id: string = made.body.data.id;
    const patch = (more: object) =>
      Effect.map(
        world.sandbox(`/campaigns/${id}`, { method: "PATCH", body: { ...body(location), ...more } }),
        (answer): Record<string, ReadonlyArray<string>> =>
          answer.status === 200 ? {} : answer.body.error.fields,
      );
    return { ...world, id, patch, location };
  });

layer(TestWaypost.layer)("Campaigns with notifications", (it) => {
  it.effect("the type cannot change while the campaign has a notification (E3.2)", () =>
    Effect.gen(function* () {
      const one = yield* campaign((location) => geo([location], { starts_at: "2026-11-27" }));
      yield* one.attach(one.id);
      const refused = yield* one.patch({ ...push(), location_ids: [] });
      assert.deepStrictEqual(refused, {
        type: ["The type can change only while the campaign has no notifications: it is geo, with 1."],
      });
    }),
  );

  const summer = { timezone: "Europe/Amsterdam", starts_at: "2026-12-01", ends_at: "2026-12-31" };
  const windowed = Effect.gen(function* () {
    const one = yield* campaign((location) => geo([location], summer));
    // 2026-12-10 10:00 to 2026-12-20 10:00 in Amsterdam.
    yield* one.attach(one.id, {
      name: "Happy hour",
      windowStart: "2026-12-10T09:00:00Z",
      windowEnd: "2026-12-20T09:00:00Z",
    });
    return one;
  });

  const windows: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
    [{ starts_at: "2026-12-10 10:00", ends_at: "2026-12-20 10:00" }, []],
    [{ starts_at: "2026-12-10 10:01" }, ["starts_at"]],
    [{ ends_at: "2026-12-20 09:59" }, ["ends_at"]],
    [{ starts_at: "2026-12-11", ends_at: "2026-12-19" }, ["starts_at", "ends_at"]],
    [{ ends_at: null }, []],
    [{ timezone: "Asia/Tokyo" }, []],
    // Nine hours west the end of 12-20 10:00 comes later, the start of 12-10 10:00 too.
    [{ starts_at: "2026-12-10 10:00", timezone: "America/Los_Angeles" }, ["starts_at"]],
    [{ ends_at: "2026-12-20 10:00", timezone: "Asia/Tokyo" }, ["ends_at"]],
  ];
  it.effect.each(windows)("an update with %j that cuts a window is refused at %j (E11.3)", ([more, fields]) =>
    Effect.gen(function* () {
      const one = yield* windowed;
      const refused = yield* one.patch(more);
      assert.deepStrictEqual(Object.keys(refused), fields);
      for (const message of Object.values(refused).flat()) assert.include(message, '"Happy hour"');
    }),
  );

  it.effect("a changed zone that would cut a window is refused at timezone (E11.3)", () =>
    Effect.gen(function* () {
      const one = yield* campaign((location) => geo([location], summer));
      yield* one.attach(one.id, { name: "Early", windowStart: "2026-11-30T23:00:00Z" });
      yield* one.attach(one.id, { name: "Late", windowEnd: "2026-12-31T22:59:59Z" });
      const west = yield* one.patch({ timezone: "America/New_York" });
      assert.deepStrictEqual(west, {
        timezone: [
          'The campaign would start after "Early", whose window starts at 2026-11-30 18:00 in ' +
            "America/New_York: start no later, or change that notification first.",
        ],
      });
      const east = yield* one.patch({ timezone: "Asia/Tokyo" });
      assert.hasAllKeys(east, ["timezone"]);
      assert.include(east["timezone"]?.join(), '"Late"');
    }),
  );

  it.effect("a window with one open side must have time left in the campaign (E11.3)", () =>
    Effect.gen(function* () {
      const one = yield* campaign((location) => geo([location], summer));
      yield* one.attach(one.id, { name: "From 10", windowStart: "2026-12-10T09:00:00Z" });
      yield* one.attach(one.id, { name: "Until 20", windowEnd: "2026-12-20T09:00:00Z" });
      assert.deepStrictEqual(yield* one.patch({ starts_at: "2026-12-05", ends_at: "2026-12-25" }), {});
      assert.include((yield* one.patch({ ends_at: "2026-12-10 10:00" }))["ends_at"]?.join(), '"From 10"');
      assert.include(
        (yield* one.patch({ starts_at: "2026-12-20 10:00" }))["starts_at"]?.join(),
        '"Until 20"',
      );
    }),
  );

  it.effect(
    "moving a push campaign moves its sends at the same time of day, unless one would be past (E11.1, E11.2)",
    () =>
      Effect.gen(function* () {
        const one = yield* campaign(() => push());
        yield* one.attach(one.id, { name: "Morning", sendAt: "12:30" });
        yield* one.attach(one.id, { name: "Evening", sendAt: "20:00" });
        assert.deepStrictEqual(yield* one.patch({ starts_at: "2026-12-24" }), {});
        // It is 13:00 in Amsterdam.
        assert.deepStrictEqual(yield* one.patch({ starts_at: "2026-11-21" }), {
          starts_at: [
            'The start would move the sending of "Morning" to 2026-11-21 12:30 in Europe/Amsterdam, ' +
              "which has passed: choose a later day, or change that notification first.",
          ],
        });
        yield* TestClock.setTime(Date.parse("2026-11-21T11:30:00Z"));
        assert.deepStrictEqual(yield* one.patch({ starts_at: "2026-11-21" }), {});
      }),
  );

  it.effect("a zone that would move a scheduled send into the past is refused at starts_at (E11.2)", () =>
    Effect.gen(function* () {
      const one = yield* campaign(() => push({ timezone: "UTC", starts_at: "2026-11-21" }));
      yield* one.attach(one.id, { name: "Over", sendAt: "10:00" });
      yield* one.attach(one.id, { name: "Due", sendAt: "12:30" });
      // A started campaign's zone may change only with the same start: 01:00 in Amsterdam is midnight UTC.
      const amsterdam = { timezone: "Europe/Amsterdam", starts_at: "2026-11-21 01:00" };
      const refused = yield* one.patch(amsterdam);
      assert.hasAllKeys(refused, ["starts_at"]);
      assert.lengthOf(refused["starts_at"] ?? [], 1);
      assert.include(refused["starts_at"]?.join(), '"Due" to 2026-11-21 12:30 in Europe/Amsterdam');
      const lisbon = { timezone: "Europe/Lisbon", starts_at: "2026-11-21" };
      assert.deepStrictEqual(yield* one.patch(lisbon), {});
    }),
  );

  it.effect("problems of the dates and their effects on notifications are reported together (B4.1)", () =>
    Effect.gen(function* () {
      const one = yield* windowed;
      const refused = yield* one.patch({ name: "", ends_at: "2026-12-15", location_ids: [] });
      assert.hasAllKeys(refused, ["name", "ends_at", "location_ids"]);
      const past = yield* one.patch({ starts_at: "2026-12-11", ends_at: "no date" });
      assert.hasAllKeys(past, ["starts_at", "ends_at"]);
    }),
  );

  it.effect("deleting a campaign deletes its notifications that are on no other campaign (E10.2)", () =>
    Effect.gen(function* () {
      const one = yield* campaign((location) => geo([location]));
      const body = geo([one.location], { name: "Another" });
      const other = (yield* one.sandbox("/campaigns", { body })).body.data.id;
      const own = yield* one.attach(one.id);
      const shared = yield* one.attach(one.id);
      yield* one.onto(other, shared);
      const elsewhere = yield* one.attach(other);
      assert.deepStrictEqual(yield* one.notifications, [own, shared, elsewhere].sort());
      assert.strictEqual((yield* one.sandbox(`/campaigns/${one.id}`, { method: "DELETE" })).status, 200);
      assert.deepStrictEqual(yield* one.notifications, [shared, elsewhere].sort());
      assert.strictEqual((yield* one.sandbox(`/campaigns/${other}`, { method: "DELETE" })).status, 200);
      assert.deepStrictEqual(yield* one.notifications, []);
    }),
  );
});
