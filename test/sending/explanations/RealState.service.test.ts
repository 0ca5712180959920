import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { obstacles } from "../../../src/devices/Obstacle.ts";
import { decide, dwelling } from "../../events/DwellWorld.ts";
import { at, manualWorkers } from "../ManualWorkers.ts";

import { localServices } from "../push/LocalProviders.ts";
import { locally, run } from "../sends/LocalWorld.ts";
import { sendWorld } from "../sends/SendWorld.ts";

/** A world in Production, and what explanations say of a phone. */
const world = Effect.gen(function* () {
  const made = yield* sendWorld();
  const { production } = made;
  const asked = (phone: { readonly id: string }, query: string) =>
    production.platform(`/devices/${phone.id}/explain?${query}`);
  return {
    ...made,
    asked,
    /** The reason and its instant as day and time, now or at an instant. */
    why: (phone: { readonly id: string }, campaign: string, time?: string) =>
      Effect.map(
        asked(phone, `campaign=${campaign}${time === undefined ? "" : `&at=${time}`}`),
        ({ body }) => {
          const [row] = body.data as Array<any>;
          return [row.reaches, row.reason, row.until?.slice(8, 16) ?? null];
        },
      ),
  };
});

layer(manualWorkers)("The real state of a campaign", (it) => {
  it.effect("the part of a device's zone is to come, sent or over (CO6.1, S6.1)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const [tokyo, york] = [
        yield* production.phone(randomUUID(), { timezone: "Asia/Tokyo" }),
        yield* production.phone(randomUUID(), { timezone: "America/New_York" }),
      ];
      const campaign = yield* production.push({ starts_at: "2026-11-22" });
      yield* production.notification(campaign, locally("09:00"));
      assert.deepStrictEqual(yield* why(tokyo, campaign), [false, "not_started", null]);
      yield* run("2026-11-22T00:00:00Z");
      assert.deepStrictEqual(yield* why(tokyo, campaign), [false, "already_sent", null]);
      assert.deepStrictEqual(yield* why(york, campaign), [false, "scheduled", "22T14:00"]);
      // One who travels got the message already, whatever the zone says.
      yield* tokyo.ask("/devices/me", { method: "PATCH", body: { timezone: "America/New_York" } });
      assert.deepStrictEqual(yield* why(tokyo, campaign), [false, "already_sent", null]);
      const late = yield* production.phone(randomUUID(), { timezone: "Asia/Kolkata" });
      yield* at("2026-11-22T04:00:00Z");
      yield* run("2026-11-22T04:00:00Z");
      const arrived = yield* production.phone(randomUUID(), { timezone: "Asia/Kathmandu" });
      assert.deepStrictEqual(yield* why(late, campaign), [false, "already_sent", null]);
      assert.deepStrictEqual(yield* why(arrived, campaign), [false, "passed", null]);
      yield* run("2026-11-22T14:00:00Z");
      assert.deepStrictEqual(yield* why(york, campaign), [false, "already_sent", null]);
      assert.strictEqual((yield* why(yield* production.phone(), campaign))[1], "passed");
    }),
  );

  it.effect("a part that is skipped has passed, and one that is caught up is to come (CO6.1)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const phone = yield* production.phone(randomUUID(), { timezone: "Asia/Tokyo" });
      for (const [late, reason] of [
        ["skip", "passed"],
        ["send", "scheduled"],
      ] as const) {
        const campaign = yield* production.push();
        yield* production.notification(campaign, locally("09:00", { late }));
        assert.strictEqual((yield* why(phone, campaign))[1], reason);
        yield* run("2026-11-21T12:00:00Z");
        assert.strictEqual((yield* why(phone, campaign))[1], late === "skip" ? "passed" : "already_sent");
        // Of several messages one that is to come decides.
        yield* production.notification(campaign, locally("23:30"));
        assert.deepStrictEqual(yield* why(phone, campaign), [false, "scheduled", "21T14:30"]);
      }
    }),
  );

  it.effect("a push that a running send has sent is not sent again (CO6.1)", () =>
    Effect.gen(function* () {
      const { production, waypost, why, workspace } = yield* world;
      const service = yield* localServices.webpush;
      yield* waypost.operator(`/workspaces/${workspace.id}/production/transports/webpush`, {
        method: "PUT",
        body: service.credentials,
      });
      const push = yield* Effect.promise(() => service.address("waits"));
      const phone = yield* production.phone(randomUUID(), { push });
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:05");
      assert.deepStrictEqual(yield* why(phone, campaign), [true, null, null]);
      yield* run("2026-11-21T12:05:00Z");
      assert.deepStrictEqual(yield* why(phone, campaign), [false, "already_sent", null]);
    }),
  );

  it.effect("a dwell message is sent once in a visit, and again in the next (CO6.2)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const [location, phone] = [yield* production.location(), yield* production.phone()];
      const campaign = yield* production.campaign({ location_ids: [location] });
      const notification = yield* production.notification(campaign, dwelling(5));
      yield* phone.sees("enter", location);
      assert.deepStrictEqual(yield* why(phone, campaign), [true, null, null]);
      yield* at("2026-11-21T12:05:00Z");
      yield* decide;
      assert.deepStrictEqual(yield* why(phone, campaign), [false, "already_sent", null]);
      yield* at("2026-11-21T12:06:00Z");
      yield* phone.sees("enter", location);
      assert.strictEqual((yield* why(phone, campaign))[1], "already_sent");
      const leaving = yield* production.notification(campaign, { trigger_type: "on_exit" });
      assert.strictEqual((yield* why(phone, campaign))[1], null);
      yield* production.remove(`${campaign}/notifications/${leaving}`);
      yield* production.platform(`/campaigns/${campaign}/notifications/${notification}/test`, {
        body: { device_ids: [phone.id], location_id: location },
      });
      yield* at("2026-11-21T12:07:00Z");
      yield* phone.sees("exit", location);
      assert.strictEqual((yield* why(phone, campaign))[1], "outside");
      yield* at("2026-11-21T12:08:00Z");
      yield* phone.sees("enter", location);
      assert.strictEqual((yield* why(phone, campaign))[1], null);
    }),
  );

  it.effect("at an instant of a visit the message, its end or what held it back is shown (CO6.3)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const location = yield* production.location();
      const campaign = yield* production.campaign({
        location_ids: [location],
        frequency_cap_count: 2,
        frequency_cap_period: "day",
        cooldown_minutes: 60,
        quiet_hours: { from: "18:00", to: "20:00", action: "drop" },
      });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      const stay = (from: string, to: string) =>
        Effect.gen(function* () {
          yield* at(`2026-11-21T${from}:00Z`);
          yield* phone.sees("enter", location);
          yield* at(`2026-11-21T${to}:00Z`);
          yield* phone.sees("exit", location);
        });
      for (const [from, to] of [
        ["13:00", "13:10"],
        ["13:30", "13:40"],
        ["18:30", "18:40"],
        ["20:30", "20:40"],
        ["21:30", "21:40"],
      ] as const)
        yield* stay(from, to);
      yield* at("2026-11-21T23:00:00Z");
      const shown = (time: string) => why(phone, campaign, `2026-11-21T${time}:00Z`);
      assert.deepStrictEqual(yield* shown("12:30"), [false, "unknown", null]);
      assert.deepStrictEqual(yield* shown("13:00"), [true, "already_sent", "21T13:00"]);
      assert.deepStrictEqual(yield* shown("13:09"), [true, "already_sent", "21T13:00"]);
      assert.deepStrictEqual(yield* shown("13:20"), [false, "outside", null]);
      assert.deepStrictEqual(yield* shown("13:30"), [false, "cooldown", "21T14:00"]);
      assert.deepStrictEqual(yield* shown("18:35"), [false, "quiet_hours", "21T20:00"]);
      assert.deepStrictEqual(yield* shown("20:30"), [true, "already_sent", "21T20:30"]);
      assert.deepStrictEqual(yield* shown("21:30"), [false, "capped", null]);
      assert.deepStrictEqual(yield* why(phone, campaign, "2026-11-20T12:00:00Z"), [
        false,
        "not_started",
        null,
      ]);
    }),
  );

  it.effect("messages from before the person signed in hold none back, then as now (CO6.3, Q1.1)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const location = yield* production.location();
      const campaign = yield* production.campaign({
        location_ids: [location],
        cap_by: "user",
        frequency_cap_count: 1,
        frequency_cap_period: "day",
        cooldown_minutes: 600,
        quiet_hours: { from: "18:00", to: "20:00", action: "drop" },
      });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      const enters = (time: string) =>
        Effect.gen(function* () {
          yield* at(`2026-11-21T${time}:00Z`);
          yield* phone.sees("enter", location);
        });
      yield* enters("13:00");
      yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id: "ann" } });
      yield* enters("18:30");
      yield* enters("20:30");
      yield* enters("21:30");
      const shown = (time: string) => why(phone, campaign, `2026-11-21T${time}:00Z`);
      assert.deepStrictEqual(yield* shown("18:30"), [false, "quiet_hours", "21T20:00"]);
      assert.deepStrictEqual(yield* shown("20:30"), [true, "already_sent", "21T20:30"]);
      assert.deepStrictEqual(yield* shown("21:30"), [false, "capped", null]);
    }),
  );

  it.effect("held and failed messages are shown with their reason (CO6.3)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const location = yield* production.location();
      const quiet_hours = { from: "12:00", to: "14:00", action: "hold" };
      const campaign = yield* production.campaign({ location_ids: [location], quiet_hours });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      const abroad = { timezone: "Asia/Tokyo", push: { transport: "fcm", token: "t" } };
      const failing = yield* production.phone(randomUUID(), abroad);
      for (const each of [phone, failing]) yield* each.sees("enter", location);
      yield* at("2026-11-21T13:00:00Z");
      const then = "2026-11-21T12:30:00Z";
      assert.deepStrictEqual(yield* why(phone, campaign, then), [false, "quiet_hours", "21T14:00"]);
      assert.deepStrictEqual(yield* why(failing, campaign, then), [false, "failed", null]);
    }),
  );

  it.effect("at an instant of a push the send of then is shown (CO6.3)", () =>
    Effect.gen(function* () {
      const { production, why } = yield* world;
      const phone = yield* production.phone();
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:10");
      yield* production.sent(campaign, "12:30");
      const skipping = yield* production.push();
      yield* production.notification(skipping, locally("09:00", { late: "skip" }));
      const paused = yield* production.push();
      yield* production.sent(paused, "12:10");
      yield* production.ask(paused, "pause");
      yield* run("2026-11-21T12:10:00Z");
      yield* run("2026-11-21T12:30:00Z");
      const other = yield* production.phone();
      yield* at("2026-11-21T13:00:00Z");
      const shown = (time: string, of = campaign, by = phone) => why(by, of, `2026-11-21T${time}:00Z`);
      assert.deepStrictEqual(yield* shown("12:05"), [false, "scheduled", "21T12:10"]);
      assert.deepStrictEqual(yield* shown("12:20"), [true, "already_sent", "21T12:10"]);
      assert.deepStrictEqual(yield* shown("12:40"), [true, "already_sent", "21T12:30"]);
      assert.deepStrictEqual(yield* shown("12:40", campaign, other), [false, "unknown", null]);
      assert.deepStrictEqual(yield* shown("12:40", skipping), [false, "passed", null]);
      assert.deepStrictEqual(yield* shown("12:40", paused), [false, "paused", null]);
      assert.deepStrictEqual(yield* shown("12:10", paused), [false, "paused", null]);
    }),
  );

  it.effect("an instant needs a campaign, and is of the last 30 days (CO6.4)", () =>
    Effect.gen(function* () {
      const { asked, production } = yield* world;
      const phone = yield* production.phone();
      const campaign = `campaign=${yield* production.push()}&`;
      for (const query of [
        "at=2026-11-21T11:00:00Z",
        `${campaign}at=2026-11-21T12:00:01Z`,
        `${campaign}at=2026-10-22T11:59:59Z`,
        `${campaign}at=yesterday`,
      ]) {
        const { body, status } = yield* asked(phone, query);
        assert.strictEqual(status, 422, query);
        assert.deepStrictEqual(
          [body.error.code, Object.keys(body.error.fields)],
          ["invalid_parameter", ["at"]],
        );
      }
      for (const time of ["2026-11-21T12:00:00Z", "2026-10-22T12:00:00Z"])
        assert.strictEqual((yield* asked(phone, `${campaign}at=${time}`)).status, 200);
      const none = yield* asked(phone, `campaign=${randomUUID()}&at=2026-11-21T11:00:00Z`);
      assert.deepStrictEqual(none.body.data, []);
    }),
  );

  it("every reason of an explanation has a sentence in the one table (CO6.1)", () => {
    for (const reason of ["passed", "already_sent", "scheduled", "unknown", "failed"] as const)
      assert.match(obstacles[reason], /^[A-Z].*\.$/);
  });
});
