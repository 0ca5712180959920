import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { eventNow, fromNow, message } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { oneCampaign } from "./EventWorld.ts";

const nothing = { accepted: 0, duplicates: 0, rejected: [], deliveries: [] };

layer(TestWaypost.shared)("Reported events", (it) => {
  it.effect(
    "an event fires at once: response and inbox have the message (L1.1, campaigns.s_new, device.events)",
    () =>
      Effect.gen(function* () {
        const { campaignId, location, notificationId, phone } = yield* oneCampaign(
          {},
          { cta_label: "Open", cta_url: "shop://offers/1" },
        );
        const outcome = yield* phone.sees("enter", location);
        const [message] = outcome.deliveries;
        assert.deepStrictEqual(outcome, { ...nothing, accepted: 1, deliveries: [message] });
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
          actions: null,
          data: null,
          delivered_at: "2026-11-21T12:00:00+00:00",
          opened_at: null,
          clicked_at: null,
          variant: null,
        });
        assert.deepStrictEqual(yield* phone.inbox(), outcome.deliveries);
      }),
  );

  it.effect("an event fires the notifications of its type once, through a group or directly (L1.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* givenWorkspace();
      const location = yield* production.location({ name: "Store", group: "Flagships" });
      const both = yield* production.campaign({
        location_ids: [location],
        location_group_names: ["Flagships"],
      });
      yield* production.notification(both, { headline: "In" });
      yield* production.notification(both, { headline: "Out", trigger_type: "on_exit" });
      const byGroup = yield* production.campaign({ location_group_names: ["Flagships"] });
      yield* production.notification(byGroup, { headline: "In by group" });
      const phone = yield* production.phone();
      const headlines = (type: "enter" | "exit") =>
        Effect.map(phone.sees(type, location), ({ deliveries }) =>
          deliveries.map(({ headline }) => headline),
        );
      assert.deepStrictEqual(yield* headlines("enter"), ["In", "In by group"]);
      assert.deepStrictEqual(yield* headlines("exit"), ["Out"]);
      assert.deepStrictEqual(yield* headlines("exit"), ["Out"]);
    }),
  );

  it.effect("an event that fires a survey returns its questions with their ids (device.messages)", () =>
    Effect.gen(function* () {
      const question = {
        question_text: "How was it?",
        type: "SINGLE_CHOICE",
        choices: [{ text: "Good" }, { text: "Bad" }],
      };
      const { location, phone } = yield* oneCampaign({}, { type: "survey", questions: [question] });
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      assert.strictEqual(message.type, "survey");
      const [asked] = message.questions;
      assert.match(asked.id, /^[0-9a-f-]{36}$/);
      assert.deepStrictEqual(
        asked.choices.map(({ text }: { text: string }) => text),
        ["Good", "Bad"],
      );
      assert.match(asked.choices[0].id, /^[0-9a-f-]{36}$/);
      assert.deepStrictEqual(yield* phone.inbox(), [message]);
    }),
  );

  it.effect("a repeated event changes nothing and sends no second message (L5.1, device.events_once)", () =>
    Effect.gen(function* () {
      const { location, phone, production } = yield* oneCampaign();
      const event = yield* eventNow(location);
      const first = yield* phone.report([event, { ...event, id: event.id.toUpperCase() }]);
      assert.deepStrictEqual(
        [first.body.data.accepted, first.body.data.duplicates, first.body.data.deliveries.length],
        [1, 1, 1],
      );
      assert.deepStrictEqual((yield* phone.report([event])).body.data, { ...nothing, duplicates: 1 });
      // Event ids are unique per device.
      const other = yield* production.phone();
      assert.strictEqual((yield* other.report([event])).body.data.accepted, 1);
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect(
    "a repeated event is a duplicate, also if its location or time is no longer valid (device.events_once)",
    () =>
      Effect.gen(function* () {
        const { location, phone, platform } = yield* oneCampaign();
        const event = yield* eventNow(location);
        yield* phone.report([event]);
        yield* platform.production(`/locations/${location}`, { method: "DELETE" });
        const again = yield* phone.report([event, { ...event, id: randomUUID() }]);
        assert.deepStrictEqual([again.body.data.duplicates, again.body.data.rejected.length], [1, 1]);
        const old = yield* phone.report([{ ...event, occurred_at: "2020-01-01T00:00:00Z" }]);
        assert.deepStrictEqual(old.body.data, { ...nothing, duplicates: 1 });
      }),
  );

  it.effect(
    "an invalid event is rejected alone, with a sentence for each problem (B4, B6, device.events)",
    () =>
      Effect.gen(function* () {
        const { location, phone } = yield* oneCampaign();
        const good = { type: "enter", location_id: location, occurred_at: yield* fromNow(0) };
        const answer = yield* phone.report([
          { ...good, id: randomUUID() },
          null,
          { id: "x", type: "fly", location_id: 3, occurred_at: "yesterday" },
          { ...good, id: randomUUID(), occurred_at: "2026-02-30T00:00:00Z" },
          { ...good, id: randomUUID(), location_id: "\0" },
          [],
          { ...good, id: randomUUID() },
        ]);
        assert.strictEqual(answer.status, 200);
        const { accepted, deliveries, rejected } = answer.body.data;
        assert.strictEqual(accepted, 2);
        assert.lengthOf(deliveries, 2);
        assert.deepStrictEqual(
          rejected.map((each: any) => [each.index, each.reasons.length]),
          [
            [1, 1],
            [2, 4],
            [3, 1],
            [4, 1],
            [5, 1],
          ],
        );
        assert.include(rejected[0].reasons[0], "Each event must be an object");
        for (const { reasons } of rejected) for (const reason of reasons) assert.match(reason, /^[A-Z].*\.$/);
      }),
  );

  it.effect("a request holds 1 to 100 events (device.events)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* oneCampaign();
      const many = yield* Effect.replicateEffect(eventNow(location, { type: "exit" }), 101);
      assert.strictEqual((yield* phone.report(many.slice(1))).body.data.accepted, 100);
      for (const events of [[], many, null, "x", {}]) {
        const refused = yield* phone.report(events);
        assert.deepStrictEqual([refused.status, Object.keys(refused.body.error.fields)], [422, ["events"]]);
      }
    }),
  );

  it.effect("an event at a location of another workspace or environment is rejected as unknown (A2.2)", () =>
    Effect.gen(function* () {
      const theirs = yield* oneCampaign();
      const ours = yield* givenWorkspace();
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

  it.effect(
    "an event in Sandbox fires for approved test devices only, and counts for all (service.sandbox_devices)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost } = yield* givenWorkspace();
        const location = yield* sandbox.location();
        yield* sandbox.notification(yield* sandbox.campaign({ location_ids: [location] }));
        const approved = yield* sandbox.phone();
        assert.lengthOf((yield* approved.sees("enter", location)).deliveries, 1);
        const stranger = yield* sandbox.device("stranger");
        const event = yield* eventNow(location);
        const seen = yield* waypost.device(stranger.token)("/events", { body: { events: [event] } });
        assert.deepStrictEqual(seen.body.data, { ...nothing, accepted: 1 });
      }),
  );

  it.effect("an event fires no delivery to a gone address until the device registers again (L6.2)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* oneCampaign();
      const sql = yield* SqlClient.SqlClient;
      yield* Effect.orDie(sql`UPDATE device SET address_gone_at = registered_at WHERE id = ${phone.id}`);
      assert.deepStrictEqual((yield* phone.sees("enter", location)).deliveries, []);
      yield* phone.ask("/devices/me", { method: "PATCH", body: { push: { transport: "inbox" } } });
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
    }),
  );

  it.effect(
    "a delivery without credentials fails at once, with a reason and no time (L6.4, device.events_pending)",
    () =>
      Effect.gen(function* () {
        const { location, production } = yield* oneCampaign();
        const sql = yield* SqlClient.SqlClient;
        const phone = yield* production.phone(randomUUID(), { push: { transport: "apns", token: "abc" } });
        const [message] = (yield* phone.sees("enter", location)).deliveries;
        assert.isNull(message.delivered_at);
        assert.deepStrictEqual(yield* phone.inbox(), []);
        const rows = yield* Effect.orDie(
          sql`SELECT d.status, d.last_error, d.settled_at = d.created_at AS at_once FROM delivery d
          JOIN device v
            ON (v.workspace_id, v.environment, v.key) = (d.workspace_id, d.environment, d.device_key)
          WHERE v.id = ${phone.id}`,
        );
        assert.deepStrictEqual(rows, [
          {
            status: "failed",
            last_error: "No credentials are set for apns in this environment.",
            at_once: true,
          },
        ]);
      }),
  );

  it.effect("an event fires nothing for a paused, deleted or empty campaign (L1.3, campaigns.s_new)", () =>
    Effect.gen(function* () {
      const { campaignId, location, phone, platform, production } = yield* oneCampaign();
      yield* production.campaign({ location_ids: [location] });
      yield* platform.production(`/campaigns/${campaignId}/pause`, { method: "POST" });
      assert.deepStrictEqual((yield* phone.sees("enter", location)).deliveries, []);
      yield* platform.production(`/campaigns/${campaignId}/publish`, { method: "POST" });
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
      yield* platform.production(`/campaigns/${campaignId}`, { method: "DELETE" });
      assert.deepStrictEqual(yield* phone.sees("enter", location), { ...nothing, accepted: 1 });
    }),
  );

  it.effect("a message stays as it was sent after changes of its notification and campaign", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, phone, platform } = yield* oneCampaign();
      const [sent] = (yield* phone.sees("enter", location)).deliveries;
      const path = `/campaigns/${campaignId}/notifications/${notificationId}`;
      const changed = yield* platform.production(path, {
        method: "PATCH",
        body: { ...message, headline: "Changed", trigger_type: "on_enter" },
      });
      assert.strictEqual(changed.status, 200);
      assert.deepStrictEqual(yield* phone.inbox(), [sent]);
      const [later] = (yield* phone.sees("enter", location)).deliveries;
      assert.strictEqual(later.headline, "Changed");
      yield* platform.production(path, { method: "DELETE" });
      assert.deepStrictEqual(yield* phone.inbox(), [later, sent]);
      yield* platform.production(`/campaigns/${campaignId}`, { method: "DELETE" });
      assert.deepStrictEqual(yield* phone.inbox(), [later, sent]);
    }),
  );
});
