import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { moveTo, sendWorld } from "./SendWorld.ts";

layer(TestWaypost.layer)("A fixed send", (it) => {
  it.effect("fires at its minute, to the devices registered at that moment, once each (L2, L5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const campaign = yield* production.push({ timezone: "Europe/Amsterdam", starts_at: "2026-11-22" });
      const notification = yield* production.sent(campaign, "09:30");
      const [planned] = yield* production.sends();
      assert.deepStrictEqual(planned, {
        id: planned.id,
        campaign_id: campaign,
        notification_id: notification,
        due_at: "2026-11-22T08:30:00+00:00",
        status: "scheduled",
        targeted: 0,
        delivered: 0,
        failed: 0,
        started_at: null,
        finished_at: null,
      });
      const early = yield* production.phone();
      const leaver = yield* production.phone();
      yield* leaver.ask("/devices/me", { method: "DELETE" });
      yield* moveTo("2026-11-22T08:29:59.999Z");
      assert.deepStrictEqual(yield* early.inbox(), []);
      yield* moveTo("2026-11-22T08:30:00Z");
      const late = yield* production.phone();
      yield* moveTo("2026-11-22T08:31:00Z");
      assert.deepStrictEqual(yield* production.sends(), [
        {
          ...planned,
          status: "done",
          targeted: 1,
          delivered: 1,
          started_at: "2026-11-22T08:30:00+00:00",
          finished_at: "2026-11-22T08:30:00+00:00",
        },
      ]);
      const inbox = yield* early.inbox();
      assert.lengthOf(inbox, 1);
      assert.deepInclude(inbox[0], {
        campaign_id: campaign,
        notification_id: notification,
        headline: "Hello",
      });
      assert.deepStrictEqual(yield* late.inbox(), []);
    }),
  );
});
