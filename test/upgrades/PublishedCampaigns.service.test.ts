import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { push } from "../campaigns/CampaignWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { ownMigrations } from "./NextVersion.ts";

layer(TestWaypost.layer)("The upgrade of campaigns", (it) => {
  it.effect(
    "published_at of a campaign of before is what activity, sends, deliveries and its pause tell (CO3.3)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const world = yield* (yield* TestWaypost).tenant();
        const create = (name: string, paused: boolean) =>
          Effect.map(
            world.sandbox("/campaigns", { body: push({ name, paused }) }),
            ({ body }) => body.data.id as string,
          );
        const act = (id: string, ...actions: ReadonlyArray<string>) =>
          Effect.forEach(actions, (action) =>
            Effect.andThen(
              world.sandbox(`/campaigns/${id}/${action}`, { method: "POST" }),
              TestClock.adjust("1 minute"),
            ),
          );
        const forget = (id: string) => sql`DELETE FROM activity WHERE resource_id = ${id}`;
        const [created, minutes] = [
          "2026-11-21T12:00:00+00:00",
          (n: number) => `2026-11-21T12:0${n}:00+00:00`,
        ];
        const live = yield* create("Live", false);
        const draft = yield* create("Draft", true);
        const archived = yield* create("Archived draft", true);
        const published = yield* create("Published", true);
        const paused = yield* create("Paused", false);
        const old = yield* create("Old", false);
        const oldPaused = yield* create("Old and paused", false);
        const oldDraft = yield* create("Old draft", true);
        const sent = yield* create("Old and sent", true);
        const delivered = yield* create("Old and delivered", true);
        yield* TestClock.adjust("1 minute");
        yield* act(published, "publish", "pause", "publish");
        yield* act(archived, "archive", "unarchive");
        yield* act(paused, "pause");
        yield* act(oldPaused, "pause");
        yield* sql`DELETE FROM activity WHERE resource_id = ${oldPaused} AND action = 'create'`;
        for (const id of [old, oldDraft, sent, delivered]) yield* forget(id);
        const of = (id: string) => sql`FROM campaign c WHERE c.id = ${id}`;
        yield* sql`
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
            notification_key, due_at, status, source_id, content_key, content_type, started_at, finished_at)
          SELECT workspace_id, environment, gen_random_uuid(), id, key, gen_random_uuid(), 1, created_at,
            'skipped', 1, 1, 'message', created_at + interval '1 minute', created_at + interval '2 minutes'
          ${of(sent)}`;
        yield* sql`
          INSERT INTO delivery_delta (workspace_id, environment, quarter, campaign_key, notification_key,
            content_type, trigger_type, status, device_keys)
          SELECT workspace_id, environment, created_at, key, 1, 'message', 'on_enter', 'delivered', '{1}'
          ${of(delivered)}`;

        yield* sql`DROP TRIGGER campaign_published ON campaign`;
        yield* sql`DROP FUNCTION publish_campaign`;
        yield* sql`ALTER TABLE campaign DROP COLUMN published_at`;
        yield* sql`CREATE TABLE later_migration AS SELECT * FROM schema_migration WHERE name >= '0026'`;
        yield* sql`DELETE FROM schema_migration WHERE name >= '0025'`;
        const upTo = ownMigrations.filter(({ name }) => name < "0026");
        yield* Effect.provide(migrate, MigrationFiles.layerFiles(upTo));
        yield* sql`INSERT INTO schema_migration SELECT * FROM later_migration`;

        const shown = (id: string) =>
          Effect.map(world.sandbox(`/campaigns/${id}`), ({ body }) => body.data.published_at);
        for (const [id, expected] of [
          [live, created],
          [draft, null],
          [archived, null],
          [published, minutes(1)],
          [paused, created],
          [old, created],
          [oldPaused, created],
          [oldDraft, null],
          [sent, minutes(1)],
          [delivered, created],
        ] as const) {
          const { name } = (yield* world.sandbox(`/campaigns/${id}`)).body.data;
          assert.strictEqual(yield* shown(id), expected, name);
        }

        // A process of the previous version does not know the column.
        yield* TestClock.adjust("1 minute");
        yield* sql`
          UPDATE campaign SET paused = false, updated_at = created_at + interval '9 minutes'
          WHERE id = ${draft}`;
        assert.strictEqual(yield* shown(draft), minutes(9));
      }).pipe(Effect.orDie),
  );
});
