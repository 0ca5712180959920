import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { oneCampaign } from "./EventWorld.ts";

const minute = 60_000;
const hourly = { cooldown_minutes: 60 };
type Phone = Effect.Success<ReturnType<typeof oneCampaign>>["phone"];

const firedBy = (phone: Phone, location: string) =>
  Effect.map(phone.sees("enter", location), ({ deliveries }) =>
    deliveries.map(({ headline }) => headline as string),
  );
const at = (millis: number) => TestClock.setTime(testStart + millis);

layer(TestWaypost.layer)("Cooldowns", (it) => {
  it.effect("a device gets one message of a campaign at a location until the cooldown is over (P4.1)", () =>
    Effect.gen(function* () {
      yield* at(0);
      const { production } = yield* givenWorkspace();
      const [shop, stall] = [
        yield* production.location({ name: "Shop" }),
        yield* production.location({ name: "Stall" }),
      ];
      const campaign = yield* production.campaign({ location_ids: [shop, stall], ...hourly });
      yield* production.notification(campaign, { headline: "Cooling" });
      const free = yield* production.campaign({ location_ids: [shop] });
      yield* production.notification(free, { headline: "Free" });
      const phone = yield* production.phone();
      assert.deepStrictEqual(yield* firedBy(phone, shop), ["Cooling", "Free"]);
      yield* at(60 * minute - 1);
      assert.deepStrictEqual(yield* firedBy(phone, shop), ["Free"]);
      // Each location and each device has its own cooldown.
      assert.deepStrictEqual(yield* firedBy(phone, stall), ["Cooling"]);
      assert.deepStrictEqual(yield* firedBy(yield* production.phone(), shop), ["Cooling", "Free"]);
      yield* at(60 * minute);
      assert.deepStrictEqual(yield* firedBy(phone, shop), ["Cooling", "Free"]);
      // The message that was held back began none.
      yield* at(120 * minute);
      assert.deepStrictEqual(yield* firedBy(phone, shop), ["Cooling", "Free"]);
    }),
  );

  it.effect("of several notifications of one event or request the oldest alone is sent (X29)", () =>
    Effect.gen(function* () {
      yield* at(0);
      const { campaignId, location, phone, production } = yield* oneCampaign(hourly, { headline: "Older" });
      yield* production.notification(campaignId, { headline: "Younger" });
      const occurred_at = yield* fromNow(0);
      const event = () => ({ id: randomUUID(), type: "enter", location_id: location, occurred_at });
      const report = yield* phone.report([event(), event(), event()]);
      assert.deepStrictEqual(
        report.body.data.deliveries.map(({ headline }: any) => headline),
        ["Older"],
      );
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("a message that a cooldown holds back uses none of the cap (P4.1, L4.1)", () =>
    Effect.gen(function* () {
      yield* at(0);
      const { production } = yield* givenWorkspace();
      const [shop, stall] = [
        yield* production.location({ name: "Shop" }),
        yield* production.location({ name: "Stall" }),
      ];
      const cap = { frequency_cap_count: 2, frequency_cap_period: "day" };
      const campaign = yield* production.campaign({ location_ids: [shop, stall], ...hourly, ...cap });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      const occurred_at = yield* fromNow(0);
      const event = (location_id: string) => ({ id: randomUUID(), type: "enter", location_id, occurred_at });
      const report = yield* phone.report([event(shop), event(shop), event(shop), event(stall)]);
      assert.lengthOf(report.body.data.deliveries, 2);
      yield* at(60 * minute);
      assert.lengthOf(yield* firedBy(phone, shop), 0);
    }),
  );

  it.effect("a failed message begins no cooldown, and one that is being sent does (X30)", () =>
    Effect.gen(function* () {
      yield* at(0);
      const { location, phone } = yield* oneCampaign(hourly);
      const sql = yield* SqlClient.SqlClient;
      const address = (push: unknown) => phone.ask("/devices/me", { method: "PATCH", body: { push } });
      // Without credentials the push fails.
      yield* address({ transport: "fcm", token: "t" });
      assert.lengthOf(yield* firedBy(phone, location), 1);
      yield* address(null);
      for (const status of ["queued", "handed_over"]) {
        assert.lengthOf(yield* firedBy(phone, location), 1, status);
        yield* Effect.orDie(
          sql`UPDATE delivery SET status = ${status}, settled_at = NULL WHERE status = 'delivered'`,
        );
        assert.lengthOf(yield* firedBy(phone, location), 0, status);
        yield* Effect.orDie(sql`UPDATE delivery SET status = 'failed', settled_at = created_at`);
      }
    }),
  );

  it.effect("a cooldown holds for concurrent events of one device (P4.2)", () =>
    Effect.gen(function* () {
      yield* at(0);
      const { campaignId, location, phone, production } = yield* oneCampaign(hourly);
      yield* production.notification(campaignId, { headline: "Younger" });
      const fired = yield* Effect.all(
        Array.from({ length: 16 }, () => firedBy(phone, location)),
        { concurrency: "unbounded" },
      );
      assert.strictEqual(fired.flat().length, 1);
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("an explanation names the cooldown and when it ends (P4.3, S6.1)", () =>
    Effect.gen(function* () {
      yield* at(0);
      const { production } = yield* givenWorkspace();
      const [shop, stall] = [
        yield* production.location({ name: "Shop" }),
        yield* production.location({ name: "Stall" }),
      ];
      const campaign = yield* production.campaign({ location_ids: [shop, stall], ...hourly });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      const why = Effect.map(
        production.platform(`/devices/${phone.id}/explain?campaign=${campaign}`),
        ({ body }) => [body.data[0]?.reason, body.data[0]?.until],
      );
      yield* phone.sees("enter", shop);
      assert.deepStrictEqual(yield* why, ["cooldown", "2026-11-21T13:00:00+00:00"]);
      yield* at(10 * minute);
      yield* phone.sees("enter", stall);
      assert.deepStrictEqual(yield* why, ["cooldown", "2026-11-21T13:00:00+00:00"]);
      yield* at(60 * minute);
      // It would reach the device in the shop again.
      assert.deepStrictEqual(yield* why, [null, null]);
      yield* phone.sees("exit", shop);
      assert.deepStrictEqual(yield* why, ["cooldown", "2026-11-21T13:10:00+00:00"]);
      yield* phone.sees("exit", stall);
      assert.deepStrictEqual(yield* why, ["outside", null]);
    }),
  );
});
