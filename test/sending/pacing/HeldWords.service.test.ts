import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { HeldDeliveries } from "../../../src/sending/sends/holding/HeldDeliveries.ts";
import { eventually } from "../../Eventually.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { pushed } from "../push/PushWorld.ts";
import { moveTo, sendWorld } from "../sends/SendWorld.ts";

layer(TestWaypost.layer)("Held messages of sends with a pace", (it) => {
  it.effect("a held message of a send with a pace has the words of when it was made (T7)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const quiet_hours = { from: "11:00", to: "15:00", action: "hold" };
      const campaign = yield* production.push({ quiet_hours, max_per_minute: 1_000 });
      yield* production.sent(campaign, "13:00", { translations: { nl: { headline: "Hallo" } } });
      yield* production.sent(campaign, "13:00", {
        template: "liquid",
        headline: "Hi {{ device.attributes.name }}",
      });
      const phone = yield* production.phone(randomUUID(), {
        attributes: { name: "Ada" },
        locale: "nl-NL",
        timezone: "UTC",
      });
      yield* moveTo("2026-11-21T13:00:00Z");
      const grace = { attributes: { name: "Grace" }, locale: "en" };
      yield* phone.ask("/devices/me", { method: "PATCH", body: grace });
      yield* TestClock.setTime(Date.parse("2026-11-21T15:00:00Z"));
      const { releaseDue } = yield* HeldDeliveries;
      // The worker may be at it already.
      yield* eventually(
        Effect.gen(function* () {
          yield* releaseDue;
          yield* pushed;
          return (yield* phone.inbox()).length === 2;
        }),
      );
      assert.sameMembers(
        (yield* phone.inbox()).map(({ headline }) => headline),
        ["Hallo", "Hi Ada"],
      );
    }),
  );
});
