import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { push } from "../campaigns/CampaignWorld.ts";
import { sent } from "../notifications/NotificationWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { ok } from "../given/Given.ts";
import {
  circle,
  copyWorld,
  counts,
  fullGeoCampaign,
  fullPushCampaign,
  nothing,
  strayKeys,
} from "./CopyWorld.ts";

// Without the role worker, whose jobs would send too.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Requests of copies", (it) => {
  it.effect("a dry run answers what the copy would make, and makes nothing (CO4.7)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const dry = yield* world.copy(campaign, {}, "?dry_run=true");
      assert.strictEqual(dry.status, 200);
      assert.deepStrictEqual(dry.body, {
        data: null,
        made: counts({ notifications: 3, media: 1, locations: 3, location_groups: 1 }),
        matched: counts(),
      });
      assert.deepStrictEqual(yield* world.inProduction, nothing);
      assert.deepStrictEqual(yield* strayKeys, []);
      const { data: _, ...made } = (yield* world.copy(campaign)).body;
      assert.deepStrictEqual(made, { made: dry.body.made, matched: dry.body.matched });
      assert.strictEqual((yield* world.copy(campaign, {}, "?dry_run=true")).status, 422);
    }),
  );

  it.effect("an Idempotency-Key makes one copy, also of media (CO4.8)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const key = { "idempotency-key": "copy-1" };
      const both = yield* Effect.all([world.copy(campaign, {}, "", key), world.copy(campaign, {}, "", key)], {
        concurrency: "unbounded",
      });
      assert.deepStrictEqual([both[0].status, both[1].status], [201, 201]);
      assert.deepStrictEqual(both[0].body, both[1].body);
      assert.deepStrictEqual((yield* world.copy(campaign, {}, "", key)).body, both[0].body);
      const rows = yield* world.inProduction;
      assert.deepStrictEqual(
        [rows["campaign"], rows["notification"], rows["media_file"], rows["location"]],
        [1, 3, 1, 3],
      );
      assert.deepStrictEqual(yield* strayKeys, []);
    }),
  );

  it.effect("copies at once make each location once, whatever their direction (CO4.9)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const ids = yield* world.features("sandbox", circle("A"), circle("B", { group: "G" }));
      const group = yield* world.groupNamed("G");
      const campaigns = yield* Effect.forEach(["one", "two", "three"], (name) =>
        world.geoCampaign(ids, { name, location_group_ids: [group.id] }),
      );
      const back = ok(yield* world.copy(campaigns[2] ?? ""));
      const answers = yield* Effect.all(
        [
          world.copy(campaigns[0] ?? ""),
          world.copy(campaigns[1] ?? ""),
          world.operator("production", `/campaigns/${back.id}/copy`, {
            body: { environment: "sandbox", name: "four" },
          }),
          world.copy(campaigns[0] ?? "", { name: "five" }),
        ],
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [201, 201, 201, 201],
      );
      const rows = yield* world.inProduction;
      assert.deepStrictEqual([rows["location"], rows["location_group"], rows["campaign"]], [2, 1, 4]);
    }),
  );

  it.effect("a copy of a campaign that has ended, or is archived, is paused with its dates (CO4.4)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const campaign: string = yield* world.campaign(push({ starts_at: "2026-11-21" }));
      yield* world.add(campaign, sent("13:30"));
      yield* world.add(campaign, sent("23:30"));
      yield* TestClock.adjust("1 hour");
      const today = ok(yield* world.copy(campaign, { name: "Today" }));
      yield* TestClock.adjust("2 days");
      ok(yield* world.sandbox(`/campaigns/${campaign}/archive`, { method: "POST" }));
      const late = ok(yield* world.copy(campaign, { name: "Late" }));
      assert.deepStrictEqual(
        [late.status, late.paused, late.archived, late.starts_at],
        ["ended", true, false, today.starts_at],
      );
      const times = ok(yield* world.production(`/campaigns/${late.id}/notifications`)).map(
        (notification: any) => notification.trigger_config.send_at,
      );
      assert.deepStrictEqual(times, ["2026-11-21 13:30", "2026-11-21 23:30"]);
      // Only what is to come is planned.
      const due = ok(yield* world.operator("production", "/sends")).map((send: any) => [
        send.campaign_id,
        send.due_at,
      ]);
      assert.deepStrictEqual(due, [[today.id, "2026-11-21T22:30:00+00:00"]]);
    }),
  );

  it.effect(
    "a copy is in the activity and the webhooks of the target alone, as if made by hand (CO4.10)",
    () =>
      Effect.gen(function* () {
        const world = yield* copyWorld();
        for (const environment of ["sandbox", "production"] as const) {
          const body = { url: "http://127.0.0.1:9/hook", events: ["*"] };
          ok(yield* world.operator(environment, "/webhooks", { body }));
        }
        const geo = yield* fullGeoCampaign(world);
        const { campaign } = yield* fullPushCampaign(world);
        const sql = yield* SqlClient.SqlClient;
        const events = sql<{ readonly environment: string; readonly type: string }>`
        SELECT environment, type FROM webhook_event
        WHERE workspace_id = ${world.workspaceId} ORDER BY recording`;
        const before = (yield* events).length;
        const newest = ok(yield* world.sandbox("/activity?limit=1"))[0].id;
        ok(yield* world.copy(geo.campaign));
        ok(yield* world.copy(campaign));
        assert.strictEqual(ok(yield* world.sandbox("/activity?limit=1"))[0].id, newest);
        const entries = ok(yield* world.production("/activity?limit=100")).map((entry: any) =>
          [entry.actor.type, entry.action, entry.resource.type, entry.resource.name].join(" "),
        );
        assert.deepStrictEqual(entries.toReversed().slice(1), [
          "operator import location ",
          "operator create media Cup",
          "operator create campaign Opening week",
          "operator create notification First",
          "operator create notification Second",
          "operator create notification Third",
          "operator create segment Gold",
          "operator create segment Silver",
          "operator create campaign Black Friday",
          "operator create notification Morning",
          "operator create notification Evening",
        ]);
        assert.deepStrictEqual(
          (yield* events).slice(before).map(({ environment, type }) => [environment, type]),
          [
            ["production", "campaign.created"],
            ["production", "campaign.created"],
          ],
        );
      }),
  );
});
