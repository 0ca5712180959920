import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { eventWorld, oneCampaign } from "./EventWorld.ts";

layer(TestWaypost.layer)("An enter that is reported", (it) => {
  it.effect("fires the campaign at once: the message is in the answer and in the inbox", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, phone } = yield* oneCampaign(
        {},
        { cta_label: "Open", cta_url: "shop://offers/1" },
      );
      const outcome = yield* phone.sees("enter", location);
      assert.deepStrictEqual({ ...outcome, deliveries: [] }, { accepted: 1, duplicates: 0, rejected: [], deliveries: [] });
      const [message] = outcome.deliveries;
      assert.deepStrictEqual(message, {
        id: message.id,
        campaign_id: campaignId,
        notification_id: notificationId,
        type: "message",
        headline: "Hello",
        body: "World",
        media: null,
        cta_label: "Open",
        cta_url: "shop://offers/1",
        questions: [],
        delivered_at: "2026-11-21T12:00:00+00:00",
        opened_at: null,
      });
      assert.deepStrictEqual(yield* phone.inbox(), outcome.deliveries);
    }),
  );

  it.effect("of another workspace's or environment's location is rejected like one that never was", () =>
    Effect.gen(function* () {
      const theirs = yield* oneCampaign();
      const ours = yield* eventWorld();
      const inSandbox = yield* ours.sandbox.location();
      const phone = yield* ours.production.phone();
      const never = yield* phone.sees("enter", randomUUID());
      for (const location of [theirs.location, inSandbox]) {
        assert.deepStrictEqual(yield* phone.sees("enter", location), never);
      }
      assert.strictEqual(never.accepted, 0);
      assert.lengthOf(never.rejected[0]?.reasons ?? [], 1);
    }),
  );
});
