import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../../TestWaypost.ts";
import { sendWorld } from "../sends/SendWorld.ts";

const gold = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };

layer(TestWaypost.shared)("Explanations", (it) => {
  it.effect("each active campaign is explained by the first reason that applies (S6.1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      const location = yield* sandbox.location();
      const device = yield* sandbox.device(randomUUID(), { attributes: { plan: "silver" } });
      const why = (campaign: string) =>
        Effect.map(sandbox.platform(`/devices/${device.id}/explain?campaign=${campaign}`), ({ body }) => [
          body.data[0]?.reaches,
          body.data[0]?.reason,
        ]);
      const geo = yield* sandbox.campaign({ location_ids: [location] });
      assert.deepStrictEqual(yield* why(geo), [false, "no_notification"]);
      yield* sandbox.notification(geo);
      assert.deepStrictEqual(yield* why(geo), [false, "not_approved"]);
      yield* sandbox.platform(`/devices/${device.id}`, { method: "PATCH", body: { approved: true } });
      assert.deepStrictEqual(yield* why(geo), [false, "outside"]);
      const event = { id: randomUUID(), type: "enter", location_id: location };
      yield* device.ask("/events", {
        body: { events: [{ ...event, occurred_at: "2026-11-21T12:00:00Z" }] },
      });
      assert.deepStrictEqual(yield* why(geo), [true, null]);

      const body = { name: "Gold", rule: gold };
      const segment = (yield* sandbox.platform("/segments", { body })).body.data.id;
      const push = yield* sandbox.push({ segmentation_ids: [segment] });
      assert.deepStrictEqual(yield* why(push), [false, "no_notification"]);
      yield* sandbox.sent(push, "15:00");
      assert.deepStrictEqual(yield* why(push), [false, "not_in_segment"]);
      yield* device.ask("/devices/me", {
        method: "PATCH",
        body: { attributes: { plan: "gold" }, push: { transport: "fcm", token: "t" } },
      });
      assert.deepStrictEqual(yield* why(push), [false, "transport_not_configured"]);
      yield* Effect.orDie(sql`UPDATE device SET address_gone_at = '2026-11-21Z' WHERE id = ${device.id}`);
      assert.deepStrictEqual(yield* why(push), [false, "address_gone"]);
      const later = yield* sandbox.push({ starts_at: "2026-11-22" });
      assert.deepStrictEqual(yield* why(later), [false, "not_started"]);

      const all = yield* sandbox.platform(`/devices/${device.id}/explain`);
      assert.deepStrictEqual(
        all.body.data.map((each: any) => each.campaign_id),
        [push, geo],
      );
      yield* sandbox.ask(push, "pause");
      assert.deepStrictEqual(yield* why(push), [false, "paused"]);
      const rest = yield* sandbox.platform(`/devices/${device.id}/explain`);
      assert.lengthOf(rest.body.data, 1);
      assert.deepStrictEqual(yield* why(randomUUID()), [undefined, undefined]);
    }),
  );

  it.effect("a used up cap names the end of its period in the campaign's zone (S6.2)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const location = yield* production.location();
      const phone = yield* production.phone();
      for (const [period, until] of [
        ["day", "2026-11-21T23:00:00+00:00"],
        ["week", "2026-11-22T23:00:00+00:00"],
        ["month", "2026-11-30T23:00:00+00:00"],
      ]) {
        const campaign = yield* production.campaign({
          location_ids: [location],
          timezone: "Europe/Amsterdam",
          frequency_cap_count: 1,
          frequency_cap_period: period,
        });
        yield* production.notification(campaign);
        yield* phone.sees("enter", location);
        const { body } = yield* production.platform(`/devices/${phone.id}/explain?campaign=${campaign}`);
        assert.deepInclude(body.data[0], { reaches: false, reason: "capped", until });
      }
    }),
  );

  it.effect("quiet hours of the device's zone are named with their end (P2.9, S6.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const location = yield* production.location();
      const quiet_hours = { from: "12:00", to: "14:30", action: "drop" };
      const campaign = yield* production.campaign({ location_ids: [location], quiet_hours });
      yield* production.notification(campaign);
      const why = (phone: { readonly id: string }) =>
        Effect.map(production.platform(`/devices/${phone.id}/explain?campaign=${campaign}`), ({ body }) => [
          body.data[0]?.reason,
          body.data[0]?.until,
        ]);
      assert.deepStrictEqual(yield* why(yield* production.phone()), [
        "quiet_hours",
        "2026-11-21T14:30:00+00:00",
      ]);
      const abroad = yield* production.phone(randomUUID(), { timezone: "Asia/Tokyo" });
      assert.deepStrictEqual(yield* why(abroad), ["outside", null]);
    }),
  );
});
