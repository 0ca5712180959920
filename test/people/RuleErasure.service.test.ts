import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { webhookWorld } from "../webhooks/WebhookWorld.ts";
import { personWorld } from "./PersonWorld.ts";

layer(TestWaypost.layer)("Erasure from rules", (it) => {
  it.effect("rules of segments lose the person, and have nobody else because of it (Q3.2)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { platform, segment } = world;
      const sql = yield* SqlClient.SqlClient;
      // A send to the segment whose devices are not found yet.
      yield* sql`
        INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, first_key,
          last_key, audience)
        SELECT workspace_id, environment, nextval('delivery_source_id'), 0, 1, false, 1, 9,
          jsonb_build_object('match', 'all', 'rules', jsonb_build_array(rule))
        FROM segment WHERE id = ${segment}`;
      const found = platform(`/segments/${segment}`);
      const devices = Effect.map(found, ({ body }) => body.data.device_count);
      assert.strictEqual(yield* devices, 3);
      const isSendBatch = (each: string) => each.startsWith("send_batch");
      assert.isNotEmpty((yield* world.tablesWith(["zzuser"])).filter(isSendBatch));
      yield* world.erase;
      assert.isEmpty((yield* world.tablesWith(["zzuser"])).filter(isSendBatch));
      assert.strictEqual(yield* devices, 1);
      assert.deepStrictEqual((yield* found).body.data.rule, {
        match: "any",
        conditions: [
          { attribute: "user_id", op: "in", value: ["zuzu"] },
          { attribute: "user_id", op: "eq", value: "" },
          { attribute: "user_id", op: "eq", value: "" },
        ],
      });
      const { rule } = (yield* found).body.data;
      assert.strictEqual(
        (yield* platform(`/segments/${segment}`, { method: "PATCH", body: { rule } })).status,
        200,
      );
      yield* sql`DELETE FROM send_batch`;
    }),
  );

  it.effect("a person whose id is cut in the activity is erased from it (Q3.2)", () =>
    Effect.gen(function* () {
      const { platform, production, waypost, workspace } = yield* webhookWorld;
      const user_id = randomUUID().repeat(6);
      yield* production.phone(randomUUID(), { user_id });
      const rule = {
        match: "all",
        conditions: [{ attribute: "user_id", op: "in", value: [user_id, "zuzu"] }],
      };
      yield* platform("/segments", { body: { name: "Both", rule } });
      yield* waypost.operator(`/workspaces/${workspace.id}/production/people/${user_id}`, {
        method: "DELETE",
      });
      const [entry] = (yield* platform("/activity?resource=segment")).body.data;
      assert.deepStrictEqual(entry.changes["rule.conditions"].new, [
        { attribute: "user_id", op: "in", value: ["zuzu"] },
      ]);
    }),
  );

  it.effect("a person without a device is erased from the rules of segments (Q3.2)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      for (const { id } of [world.phone, world.tablet]) {
        yield* world.operator(`${world.people.replace("people", "devices")}/${id}`, { method: "DELETE" });
      }
      assert.isNotEmpty(yield* world.tablesWith(["zzuser"]));
      assert.deepStrictEqual(yield* world.erase, [200, { devices: 0 }]);
      const left = yield* world.tablesWith(["zzuser"]);
      assert.deepStrictEqual(
        left.filter((each) => !each.startsWith("erasure:")),
        [],
      );
    }),
  );
});
