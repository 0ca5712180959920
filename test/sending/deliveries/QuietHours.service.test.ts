import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { HeldDeliveries } from "../../../src/sending/sends/holding/HeldDeliveries.ts";
import { at, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { sendWorld } from "../sends/SendWorld.ts";

const night = { from: "22:00", to: "07:00", action: "hold" };
const release = Effect.flatMap(HeldDeliveries, ({ releaseDue }) => releaseDue);

/** A geo campaign in Production with quiet hours, and a way to see its deliveries. */
const world = (fields: object = {}) =>
  Effect.gen(function* () {
    const made = yield* sendWorld();
    const { production, waypost, workspace } = made;
    const location = yield* production.location();
    const campaign = yield* production.campaign({
      location_ids: [location],
      timezone: "Europe/Amsterdam",
      quiet_hours: night,
      ...fields,
    });
    yield* production.notification(campaign);
    const base = `/workspaces/${workspace.id}`;
    const deliveries = Effect.map(
      waypost.operator(`${base}/production/deliveries`),
      ({ body }) => body.data as Array<any>,
    );
    return {
      ...made,
      location,
      campaign,
      base,
      deliveries,
      /** Status, end of the quiet hours and error of the newest delivery. */
      newest: Effect.map(deliveries, ([one]) => one && [one.status, one.held_until, one.last_error]),
      workspaceQuiet: (quiet_hours: unknown) =>
        waypost.operator(base, { method: "PATCH", body: { quiet_hours } }),
    };
  });

layer(manualWorkers)("Quiet hours", (it) => {
  it.effect("a message is held until the quiet hours of the device's zone end, then delivered (P2.3)", () =>
    Effect.gen(function* () {
      const { deliveries, location, newest, production } = yield* world();
      const phone = yield* production.phone();
      const abroad = yield* production.phone(randomUUID(), { timezone: "America/New_York" });
      yield* at("2026-11-21T21:30:00Z");
      const seen = yield* phone.sees("enter", location);
      assert.deepStrictEqual(
        seen.deliveries.map((each) => each.delivered_at),
        [null],
      );
      assert.deepStrictEqual(yield* newest, ["held", "2026-11-22T06:00:00+00:00", null]);
      assert.lengthOf(yield* phone.inbox(), 0);
      // In New York it is half past four in the afternoon.
      const awake = yield* abroad.sees("enter", location);
      assert.isNotNull(awake.deliveries[0]?.delivered_at);
      assert.lengthOf(yield* abroad.inbox(), 1);

      yield* at("2026-11-22T05:59:59.999Z");
      yield* release;
      assert.lengthOf(yield* phone.inbox(), 0);
      yield* at("2026-11-22T06:00:00Z");
      yield* release;
      const [message] = yield* phone.inbox();
      assert.strictEqual(message?.delivered_at, "2026-11-22T06:00:00+00:00");
      const held = (yield* deliveries).filter((each) => each.held_until !== null);
      assert.deepStrictEqual(
        held.map((each) => [each.status, each.created_at, each.delivered_at]),
        [["delivered", "2026-11-21T21:30:00+00:00", "2026-11-22T06:00:00+00:00"]],
      );
      yield* release;
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("what quiet hours drop has no delivery, and uses neither cap nor cooldown (P2.4)", () =>
    Effect.gen(function* () {
      const { deliveries, location, production } = yield* world({
        quiet_hours: { ...night, action: "drop" },
        frequency_cap_count: 1,
        frequency_cap_period: "day",
        cooldown_minutes: 1440,
      });
      const phone = yield* production.phone();
      yield* at("2026-11-22T05:59:00Z");
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 0);
      assert.lengthOf(yield* deliveries, 0);
      yield* at("2026-11-22T06:00:00Z");
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
    }),
  );

  it.effect("a held message counts for the cap and the cooldown at once (P2.5, X30)", () =>
    Effect.gen(function* () {
      const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
      for (const limit of [cap, { cooldown_minutes: 60 }]) {
        const { location, production } = yield* world(limit);
        const phone = yield* production.phone();
        yield* at("2026-11-21T21:30:00Z");
        assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
        assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 0);
        // It counts from when it was made, not from when it is delivered.
        yield* at("2026-11-22T06:00:00Z");
        yield* release;
        assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
      }
    }),
  );

  it.effect("a campaign has its own quiet hours, those of its workspace, or none (P2.1)", () =>
    Effect.gen(function* () {
      const { base, location, newest, production, waypost, workspaceQuiet } = yield* world({
        quiet_hours: null,
      });
      const phone = yield* production.phone();
      yield* at("2026-11-21T12:00:00Z");
      const set = yield* workspaceQuiet({ from: "13:00", to: "14:00", action: "hold" });
      assert.deepStrictEqual(set.body.data.quiet_hours, { from: "13:00", to: "14:00", action: "hold" });
      yield* phone.sees("enter", location);
      assert.deepStrictEqual(yield* newest, ["held", "2026-11-21T13:00:00+00:00", null]);
      const off = yield* production.campaign({
        location_ids: [location],
        timezone: "Europe/Amsterdam",
        quiet_hours: { enabled: false },
      });
      yield* production.notification(off, { headline: "Always" });
      const both = yield* phone.sees("enter", location);
      assert.deepStrictEqual(
        both.deliveries.map(({ delivered_at, headline }) => [headline, delivered_at !== null]),
        [
          ["Hello", false],
          ["Always", true],
        ],
      );
      const cleared = yield* workspaceQuiet(null);
      assert.isNull(cleared.body.data.quiet_hours);
      const kept = yield* waypost.operator(base, { method: "PATCH", body: { name: "Acme" } });
      assert.isNull(kept.body.data.quiet_hours);
      const free = yield* phone.sees("enter", location);
      assert.isNotNull(free.deliveries[0]?.delivered_at);
    }),
  );

  it.effect("a held message fails for what is true when the quiet hours end (P2.6)", () =>
    Effect.gen(function* () {
      const cases = [
        ["paused", "The campaign is paused."],
        ["deleted", "The campaign was deleted."],
        ["ended", "The campaign has ended."],
        ["detached", "The notification was deleted."],
        ["unregistered", "The device has unregistered."],
        ["unsubscribed", "The device wants no messages."],
        ["push", "No credentials are set for fcm in this environment."],
      ] as const;
      for (const [what, reason] of cases) {
        const { campaign, location, newest, production } = yield* world(
          what === "ended" ? { ends_at: "2026-11-22 06:59" } : {},
        );
        const phone = yield* production.phone();
        yield* at("2026-11-21T21:30:00Z");
        yield* phone.sees("enter", location);
        if (what === "paused") yield* production.ask(campaign, "pause");
        if (what === "deleted") yield* production.remove(campaign);
        if (what === "detached") {
          const list = yield* production.platform(`/campaigns/${campaign}/notifications`);
          yield* production.remove(`${campaign}/notifications/${list.body.data[0].id}`);
        }
        if (what === "unregistered") yield* phone.ask("/devices/me", { method: "DELETE" });
        if (what === "unsubscribed")
          yield* phone.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
        if (what === "push")
          yield* phone.ask("/devices/me", {
            method: "PATCH",
            body: { push: { transport: "fcm", token: "t" } },
          });
        yield* at("2026-11-22T06:00:00Z");
        yield* release;
        assert.deepStrictEqual(yield* newest, ["failed", "2026-11-22T06:00:00+00:00", reason], what);
      }
    }),
  );

  it.effect(
    "a pause that is over, and a change of zone or quiet hours, do not change a held message (P2.6)",
    () =>
      Effect.gen(function* () {
        const { campaign, location, newest, production } = yield* world();
        const phone = yield* production.phone();
        yield* at("2026-11-21T21:30:00Z");
        yield* phone.sees("enter", location);
        yield* production.ask(campaign, "pause");
        yield* production.ask(campaign, "publish");
        yield* phone.ask("/devices/me", { method: "PATCH", body: { timezone: "Asia/Tokyo" } });
        const row = (yield* production.platform(`/campaigns/${campaign}`)).body.data;
        yield* production.platform(`/campaigns/${campaign}`, {
          method: "PATCH",
          body: { ...row, ...row.targeting, starts_at: "2026-11-21", quiet_hours: { enabled: false } },
        });
        assert.deepStrictEqual(yield* newest, ["held", "2026-11-22T06:00:00+00:00", null]);
        yield* at("2026-11-22T06:00:00Z");
        yield* release;
        assert.deepStrictEqual(yield* newest, ["delivered", "2026-11-22T06:00:00+00:00", null]);
      }),
  );

  it.effect("two processes release each held message once (P2.7)", () =>
    Effect.gen(function* () {
      const { location, newest, production } = yield* world();
      const sql = yield* SqlClient.SqlClient;
      yield* at("2026-11-21T21:30:00Z");
      for (let count = 0; count < 8; count++) yield* (yield* production.phone()).sees("enter", location);
      yield* at("2026-11-22T06:00:00Z");
      yield* Effect.all([release, release, release], { concurrency: 3 });
      yield* release;
      assert.deepStrictEqual((yield* newest)?.[0], "delivered");
      const [rows] = yield* Effect.orDie(sql<{ readonly devices: number }>`
        SELECT sum(cardinality(device_keys))::int AS devices FROM delivery_delta
        WHERE workspace_id = ${production.workspaceId}`);
      assert.strictEqual(rows?.devices, 8);
    }),
  );

  it.effect("quiet hours apply in each device's zone, and held messages do not keep a send open (P2.8)", () =>
    Effect.gen(function* () {
      for (const action of ["hold", "drop"] as const) {
        const { production } = yield* sendWorld();
        for (const timezone of ["Asia/Tokyo", "Asia/Tokyo", "Europe/Paris", null])
          yield* production.phone(randomUUID(), { timezone });
        const quiet_hours = { ...night, action };
        const push = yield* production.push({ timezone: "Europe/Amsterdam", quiet_hours });
        yield* production.sent(push, "15:00");
        // In Tokyo it is eleven at night.
        yield* at("2026-11-21T14:00:00Z");
        yield* start;
        yield* drain;
        const figures = ({ delivered, dropped, failed, held, status, targeted }: any) => ({
          status,
          targeted,
          delivered,
          failed,
          held,
          dropped,
        });
        const isHeld = action === "hold";
        const [send] = yield* production.sends();
        assert.deepStrictEqual(figures(send), {
          status: "done",
          targeted: isHeld ? 4 : 2,
          delivered: 2,
          failed: 0,
          held: isHeld ? 2 : 0,
          dropped: isHeld ? 0 : 2,
        });
        yield* at("2026-11-21T22:00:00Z");
        yield* release;
        const [later] = yield* production.sends();
        assert.deepStrictEqual(figures(later), { ...figures(send), delivered: isHeld ? 4 : 2, held: 0 });
      }
    }),
  );

  it.effect("a device at its cap is neither held nor dropped by a send (P2.8, L4.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.phone(randomUUID(), { timezone: "Asia/Tokyo" });
      const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
      const quiet_hours = { ...night, action: "drop" };
      const push = yield* production.push({ quiet_hours, ...cap });
      yield* production.sent(push, "12:30");
      yield* production.sent(push, "13:30");
      yield* at("2026-11-21T12:30:00Z");
      yield* start;
      yield* drain;
      yield* at("2026-11-21T13:30:00Z");
      yield* start;
      yield* drain;
      const sends = yield* production.sends();
      assert.deepStrictEqual(
        sends.map(({ delivered, dropped }: any) => [delivered, dropped]),
        [
          [1, 0],
          [0, 0],
        ],
      );
    }),
  );
});
