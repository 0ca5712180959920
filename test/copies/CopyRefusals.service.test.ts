import { assert, layer } from "@effect/vitest";
import { Effect, Option } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { sweepOnce } from "../../src/media/MediaSweeping.ts";
import { MediaStore } from "../../src/media/store/MediaStore.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { PlanPatch } from "../../src/workspaces/Plan.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { message } from "../notifications/NotificationWorld.ts";
import { testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { ok } from "../given/Given.ts";
import { circle, copyWorld, fullGeoCampaign, fullPushCampaign, nothing, strayKeys } from "./CopyWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

const setPlan = (id: string, plan: PlanPatch) =>
  Effect.flatMap(Workspaces, (workspaces) => workspaces.update(id, ParsedBody.of({ plan })));

const isStored = (key: string) =>
  Effect.scoped(Effect.flatMap(MediaStore, (store) => Effect.map(store.read(key), Option.isSome)));

// Without the role worker, whose jobs would sweep and send too.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Copies that are refused", (it) => {
  it.effect("a limit of the plan is its 403, all limits together, and nothing is made (CO4.5)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const limits = { max_notifications_per_campaign: 2, max_notifications: 2, max_locations: 2 };
      yield* setPlan(world.workspace.id, { ...limits, max_media_bytes: 3, max_campaigns: 0 });
      const { body, status } = yield* world.copy(campaign);
      assert.deepStrictEqual([status, body.error.code], [403, "limit_exceeded"]);
      assert.sameMembers(Object.keys(body.error.fields), [
        "max_campaigns",
        "max_notifications",
        "max_notifications_per_campaign",
        "max_locations",
        "max_media_bytes",
      ]);
      for (const limit of Object.keys(body.error.fields)) {
        yield* setPlan(world.workspace.id, { ...unlimited, [limit]: limit === "max_media_bytes" ? 3 : 0 });
        const alone = yield* world.copy(campaign);
        assert.deepStrictEqual(Object.keys(alone.body.error?.fields ?? {}), [limit]);
      }
      assert.deepStrictEqual(yield* world.inProduction, nothing);
      assert.deepStrictEqual(yield* strayKeys, []);
      yield* setPlan(world.workspace.id, { ...unlimited, max_notifications: 3, max_locations: 3 });
      assert.strictEqual((yield* world.copy(campaign)).status, 201);
    }),
  );

  it.effect("content that the plan forbids is 422 at each notification, and nothing is made (CO4.5)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      yield* setPlan(world.workspace.id, { surveys: false, media_kinds: ["video"] });
      const { body, status } = yield* world.copy(campaign);
      assert.deepStrictEqual([status, body.error.code], [422, "validation_failed"]);
      assert.deepStrictEqual(body.error.fields, {
        "notifications.0.media_asset_id": [
          "The plan does not include image files: take “First” off the campaign first.",
        ],
        "notifications.1.media_asset_id": [
          "The plan does not include image files: take “Second” off the campaign first.",
        ],
        "notifications.2.type": ["The plan does not include surveys: take “Third” off the campaign first."],
      });
      assert.deepStrictEqual(yield* world.inProduction, nothing);
      assert.deepStrictEqual(yield* strayKeys, []);
    }),
  );

  it.effect("after the trial there is no copy (CO4.5)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullPushCampaign(world);
      const workspaces = yield* Workspaces;
      yield* workspaces.update(world.workspace.id, ParsedBody.of({ trial_ended: true }));
      const { body, status } = yield* world.copy(campaign);
      assert.deepStrictEqual([status, body.error.code], [403, "trial_ended"]);
    }),
  );

  it.effect("a token cannot copy to the other environment; the operator names both (CO4.6)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { origin } = yield* TestWaypost;
      const { campaign } = yield* fullPushCampaign(world);
      const path = `/campaigns/${campaign}/copy`;
      const { body, status } = yield* world.sandbox(path, { body: { environment: "production" } });
      assert.deepStrictEqual([status, body.error.code], [403, "wrong_environment"]);
      assert.include(body.error.message, "operator");
      assert.deepStrictEqual(yield* world.inProduction, nothing);
      const other = yield* copyWorld();
      const foreign = yield* other.copy(campaign);
      assert.deepStrictEqual([foreign.status, foreign.body.error.code], [404, "not_found"]);
      const unnamed = yield* Effect.promise(() =>
        fetch(`${origin}/sandbox/platform/v1${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${testOperatorKey}` },
        }),
      );
      assert.strictEqual(unnamed.status, 422);
    }),
  );

  it.effect("problems of the body come after the path, and name their field (CO4.6)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullPushCampaign(world);
      for (const body of [{ environment: "moon" }, { environment: null }, { environment: "Production" }]) {
        const answer = yield* world.copy(campaign, body);
        assert.deepStrictEqual(
          [answer.status, Object.keys(answer.body.error.fields)],
          [422, ["environment"]],
        );
      }
      const long = yield* world.copy(campaign, { name: "n".repeat(256) });
      assert.deepStrictEqual([long.status, Object.keys(long.body.error.fields)], [422, ["name"]]);
      const wrong = yield* world.copy(campaign, {}, "?dry_run=maybe");
      assert.deepStrictEqual([wrong.status, wrong.body.error.code], [422, "invalid_parameter"]);
      const unknown = yield* world.copy(unknownId, { environment: "moon" });
      assert.strictEqual(unknown.status, 404);
      assert.deepStrictEqual(yield* world.inProduction, nothing);
    }),
  );

  it.effect("a name that is taken there is 422 at the name (CO4.4)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullPushCampaign(world);
      const first = ok(yield* world.copy(campaign));
      assert.strictEqual(first.name, "Black Friday");
      for (const body of [{}, { name: null }, { name: "Black Friday" }, { name: " Black Friday " }]) {
        const answer = yield* world.copy(campaign, body);
        assert.deepStrictEqual([answer.status, Object.keys(answer.body.error.fields)], [422, ["name"]]);
      }
      assert.strictEqual(ok(yield* world.copy(campaign, { name: "White Friday" })).name, "White Friday");
    }),
  );

  it.effect("a media file whose bytes are lost is 422 at its notification, and nothing is made (CO4.2)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const [location = ""] = yield* world.features("sandbox", circle("Shop"));
      const campaign = yield* world.geoCampaign([location]);
      const kept = yield* world.file({ content: "image of a cup" });
      const lost = yield* world.file({ content: "image of a plate", name: "Plate" });
      yield* world.add(campaign, message({ name: "Kept", media_asset_id: kept.id }));
      yield* world.add(campaign, message({ name: "Lost", media_asset_id: lost.id }));
      const store = yield* MediaStore;
      yield* store.remove(lost.url.split("/").at(-1));
      const { body, status } = yield* world.copy(campaign);
      assert.deepStrictEqual(
        [status, Object.keys(body.error.fields)],
        [422, ["notifications.1.media_asset_id"]],
      );
      assert.include(body.error.message, "Plate");
      assert.deepStrictEqual(yield* world.inProduction, nothing);
      // The bytes that were copied before are swept.
      const keys = yield* strayKeys;
      assert.strictEqual(keys.length, 1);
      assert.isTrue(yield* isStored(keys[0]?.key ?? ""));
      yield* TestClock.adjust("16 minutes");
      yield* sweepOnce;
      assert.isFalse(yield* isStored(keys[0]?.key ?? ""));
    }),
  );

  it.effect("a copy that fails at its last object leaves nothing, and its bytes are swept (CO4.2)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const sql = yield* SqlClient.SqlClient;
      yield* sql`ALTER TABLE campaign_notification ADD CONSTRAINT broken CHECK (trigger_type <> 'on_exit')
        NOT VALID`;
      const failed = yield* world.copy(campaign);
      yield* sql`ALTER TABLE campaign_notification DROP CONSTRAINT broken`;
      assert.strictEqual(failed.status, 500);
      assert.deepStrictEqual(yield* world.inProduction, nothing);
      const keys = yield* strayKeys;
      assert.strictEqual(keys.length, 1);
      yield* TestClock.adjust("16 minutes");
      yield* sweepOnce;
      assert.isFalse(yield* isStored(keys[0]?.key ?? ""));
      assert.strictEqual((yield* world.copy(campaign)).status, 201);
    }),
  );
});

const unlimited = {
  max_campaigns: null,
  max_notifications: null,
  max_notifications_per_campaign: null,
  max_locations: null,
  max_media_bytes: null,
};
