import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../TestWaypost.ts";
import { ok } from "../given/Given.ts";
import { copyWorld, counts, fullEventCampaign, fullGeoCampaign, fullPushCampaign } from "./CopyWorld.ts";

type Row = Readonly<Record<string, unknown>>;

/** Columns that a copy has of its own. */
const own = new Set([
  "environment",
  "id",
  "key",
  "campaign_id",
  "notification_id",
  "content_key",
  "media_id",
  "media_asset_id",
  "campaign_key",
  "notification_key",
  "revision",
  "created_at",
  "updated_at",
  "attached_at",
  // Copies are paused, and not archived.
  "paused",
  "archived",
  "published_at",
  // A copy has no deliveries of another type.
  "type_changed",
]);

/** Ids of questions, choices, files and locations are others. */
const ids = new Set(["id", "media_asset_id", "location_ids", "location_group_ids"]);
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (key, inner) => (ids.has(key) ? undefined : inner)));

const isSet = (value: unknown) => value !== null && value !== false;

const tables = [
  { table: "campaign", order: "id" },
  { table: "notification", order: "id" },
  { table: "content", order: "key" },
  { table: "campaign_notification", order: "id" },
  { table: "segment", order: "name" },
  { table: "location", order: "name" },
  { table: "media_file", order: "name" },
];

/** Columns that no example sets: a stop of an experiment, thumbnails, images without a size. */
const unset: Readonly<Record<string, ReadonlyArray<string>>> = {
  campaign: ["experiment_stopped_at", "winner_notification_id", "winner_key", "keep_holdout"],
  media_file: ["duration_seconds", "thumbnail_due_at"],
};

layer(TestWaypost.layer)("POST /campaigns/{campaign}/copy", (it) => {
  it.effect("every stored column of what a campaign refers to is copied (CO4.1)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const sql = yield* SqlClient.SqlClient;
      const geo = yield* fullGeoCampaign(world);
      const push = yield* fullPushCampaign(world);
      const event = yield* fullEventCampaign(world);
      for (const id of [geo.campaign, push.campaign, event.campaign])
        assert.strictEqual((yield* world.copy(id)).status, 201);
      const read = (table: string, order: string, environment: string) => sql<{ readonly row: Row }>`
        SELECT to_jsonb(t) AS row FROM ${sql(table)} t
        WHERE workspace_id = ${world.workspaceId} AND environment = ${environment} ORDER BY ${sql(order)}`;
      for (const { order, table } of tables) {
        const [from, to] = [
          yield* read(table, order, "sandbox"),
          yield* read(table, order, "production"),
        ].map((rows) =>
          rows.map(({ row }) =>
            Object.fromEntries(
              Object.entries(row)
                .filter(([column]) => !own.has(column) && !column.startsWith("thumbnail"))
                .map(([column, value]) => [column, withoutIds(value)]),
            ),
          ),
        ) as unknown as [ReadonlyArray<Row>, ReadonlyArray<Row>];
        assert.deepStrictEqual(to, from, table);
        // An example without a column would not notice that a copy forgets it.
        const never = Object.keys(from[0] ?? {}).filter((column) => !from.some((row) => isSet(row[column])));
        assert.deepStrictEqual(
          never.filter((column) => !(unset[table] ?? []).includes(column)),
          [],
          `${table}: give the example a value for these columns`,
        );
      }
    }),
  );

  it.effect("a copy is paused, has the same name and dates, and says what it made and matched (CO4.1)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const source = ok(yield* world.sandbox(`/campaigns/${campaign}`));
      const { body, status } = yield* world.copy(campaign);
      assert.strictEqual(status, 201);
      const { data, made, matched } = body;
      assert.deepStrictEqual(made, counts({ notifications: 3, media: 1, locations: 3, location_groups: 1 }));
      assert.deepStrictEqual(matched, counts());
      assert.notStrictEqual(data.id, campaign);
      const { id: _, created_at, goal, paused, published_at, status: state, ...more } = data;
      const { targeting, updated_at, ...same } = more;
      assert.deepStrictEqual(goal, {
        ...source.goal,
        location_ids: [targeting.location_ids[1]],
        location_group_ids: targeting.location_group_ids,
      });
      for (const [field, value] of Object.entries(same)) assert.deepStrictEqual(value, source[field], field);
      assert.deepStrictEqual([paused, state, created_at, published_at], [true, "paused", updated_at, null]);
      assert.strictEqual(targeting.location_ids.length, 2);
      assert.deepStrictEqual(ok(yield* world.production(`/campaigns/${data.id}`)), data);
      const names = yield* Effect.forEach(targeting.location_ids, (id) =>
        Effect.map(world.production(`/locations/${String(id)}`), (answer) => ok(answer).name),
      );
      assert.deepStrictEqual(names, ["Park", "Dam"]);
      assert.strictEqual((yield* world.groupNamed("Piers", "production")).location_count, 1);
      const notifications = ok(yield* world.production(`/campaigns/${data.id}/notifications`));
      assert.deepStrictEqual(
        notifications.map(({ name }: { readonly name: string }) => name),
        ["First", "Second", "Third"],
      );
      assert.strictEqual(notifications[0].media_asset_id, notifications[1].media_asset_id);
    }),
  );

  it.effect("the bytes of a media file are served at the address of its copy (CO4.2)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign, file } = yield* fullGeoCampaign(world);
      const copy = ok(yield* world.copy(campaign));
      const [first] = ok(yield* world.production(`/campaigns/${copy.id}/notifications`));
      assert.notStrictEqual(first.media.url, file.url);
      const text = (url: string) => Effect.promise(() => fetch(url).then((response) => response.text()));
      assert.strictEqual(yield* text(first.media.url), "image of a cup");
      // The files are two: deleting one keeps the other.
      ok(yield* world.sandbox(`/campaigns/${campaign}`, { method: "DELETE" }));
      ok(yield* world.sandbox(`/media/${file.id}`, { method: "DELETE" }));
      assert.strictEqual(yield* text(first.media.url), "image of a cup");
    }),
  );

  it.effect("a copy in the same environment uses everything that is there, as “Copy of …” (CO4.4)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign, file } = yield* fullGeoCampaign(world);
      const source = ok(yield* world.sandbox(`/campaigns/${campaign}`));
      const same = { environment: "sandbox" };
      const { data, made, matched } = (yield* world.copy(campaign, same)).body;
      assert.strictEqual(data.name, "Copy of Opening week");
      assert.deepStrictEqual(made, counts({ notifications: 3 }));
      assert.deepStrictEqual(matched, counts({ media: 1, locations: 2, location_groups: 1 }));
      assert.deepStrictEqual(data.targeting, source.targeting);
      assert.strictEqual(ok(yield* world.sandbox(`/media/${file.id}`)).notifications.length, 4);
      assert.strictEqual(ok(yield* world.copy(campaign, same)).name, "Copy of Opening week (2)");
      // A token can act in its own environment.
      const own = yield* world.sandbox(`/campaigns/${campaign}/copy`, { body: same });
      assert.strictEqual(ok(own).name, "Copy of Opening week (3)");
      // Campaigns that have ended keep their names.
      const sql = yield* SqlClient.SqlClient;
      yield* sql`INSERT INTO campaign
          (workspace_id, environment, id, name, type, timezone, starts_at, ends_at, created_at, updated_at)
        SELECT workspace_id, environment, gen_random_uuid(), 'Copy of Opening week (' || n || ')', type,
          timezone, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', created_at, updated_at
        FROM campaign, generate_series(4, 205) AS n WHERE id = ${campaign}`;
      assert.strictEqual(ok(yield* world.copy(campaign, same)).name, "Copy of Opening week (206)");
      const long = yield* world.geoCampaign(source.targeting.location_ids, { name: "n".repeat(255) });
      assert.strictEqual(ok(yield* world.copy(long, same)).name.length, 240);
    }),
  );

  it.effect("a copy of Production in Sandbox is made as well (CO4.1)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullPushCampaign(world);
      const live = ok(yield* world.copy(campaign, { name: "Live" }));
      const back = yield* world.operator("production", `/campaigns/${live.id}/copy`, {
        body: { environment: "sandbox" },
      });
      assert.strictEqual(back.status, 201);
      assert.deepStrictEqual(back.body.matched, counts({ segments: 2 }));
      assert.strictEqual(ok(yield* world.sandbox(`/campaigns/${back.body.data.id}`)).name, "Live");
    }),
  );
});
