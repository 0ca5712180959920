import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { abilities } from "../../src/access/Ability.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";

const campaign = (name: string, more: object = {}) => ({
  name,
  type: "push",
  timezone: "UTC",
  starts_at: "2026-12-01",
  segmentation_ids: [],
  ...more,
});

const message = { name: "Note", type: "message", headline: "Hello", body: "World" };
const onCampaign = { ...message, trigger_type: "fixed_time", trigger_config: { send_at: "10:00" } };

const circle = (name: string, more: object = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.9, 52.37] },
  properties: { name, radius: 100, ...more },
});

type Ask = (path: string, ask?: object) => Effect.Effect<Answer>;

/** The data of a successful response. */
const ok = (answer: Effect.Effect<Answer>): Effect.Effect<any> =>
  Effect.map(answer, ({ body, status }) => {
    assert.isBelow(status, 300, JSON.stringify(body));
    return body.data;
  });

const activity = (ask: Ask, query = "") =>
  ok(ask(`/activity?limit=100${query}`)) as Effect.Effect<ReadonlyArray<any>>;

/** Action, type of resource and names of changed fields, newest first. */
const summaries = (entries: ReadonlyArray<any>) =>
  entries.map(({ action, changes, resource }) => [
    action,
    resource.type,
    Object.keys(changes).toSorted().join(" "),
  ]);

const world = Effect.flatMap(TestWaypost, (waypost) => waypost.tenant());

layer(TestWaypost.layer)("Activity", (it) => {
  it.effect("every change of a campaign writes one entry with its actor and the changed fields (S5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* world;
      const { id } = yield* ok(sandbox("/campaigns", { body: campaign("Autumn") }));
      const path = `/campaigns/${id}`;
      const body = campaign("Autumn sale", { frequency_cap_count: 2, frequency_cap_period: "day" });
      yield* ok(sandbox(path, { method: "PATCH", body }));
      for (const action of ["pause", "publish", "archive", "unarchive"]) {
        yield* ok(sandbox(`${path}/${action}`, { method: "POST" }));
      }
      yield* ok(sandbox(path, { method: "DELETE" }));
      const entries = (yield* activity(sandbox)).toReversed();
      assert.deepStrictEqual(summaries(entries).slice(1, -1), [
        ["update", "campaign", "frequency_cap_count frequency_cap_period name"],
        ["pause", "campaign", "paused"],
        ["publish", "campaign", "paused"],
        ["archive", "campaign", "archived paused"],
        ["unarchive", "campaign", "archived"],
      ]);
      const [created, updated] = entries;
      assert.deepInclude(created, { action: "create", at: "2026-11-21T12:00:00+00:00" });
      assert.deepStrictEqual(created.resource, { type: "campaign", id, name: "Autumn" });
      assert.deepStrictEqual(created.changes.name, { old: null, new: "Autumn" });
      assert.deepStrictEqual(updated.changes.name, { old: "Autumn", new: "Autumn sale" });
      assert.strictEqual(entries.at(-1).action, "delete");
      assert.deepStrictEqual(entries.at(-1).changes.name, { old: "Autumn sale", new: null });
      for (const { actor } of entries) {
        assert.deepInclude(actor, { type: "token", name: "Test token" });
        assert.match(actor.id, /^[0-9a-f-]{36}$/);
      }
    }),
  );

  it.effect("every change of notifications writes one entry (S5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, workspace } = yield* world;
      const { id: one } = yield* ok(sandbox("/campaigns", { body: campaign("One") }));
      const { id: two } = yield* ok(sandbox("/campaigns", { body: campaign("Two") }));
      const { id } = yield* ok(sandbox(`/campaigns/${one}/notifications`, { body: onCampaign }));
      const path = `/campaigns/${one}/notifications/${id}`;
      const body = { ...onCampaign, headline: "Hi", trigger_config: { send_at: "11:00" } };
      yield* ok(sandbox(path, { method: "PATCH", body }));
      const operator = (rest: string, ask: object) =>
        ok(waypost.operator(`/workspaces/${workspace.id}/sandbox${rest}`, ask));
      const { trigger_config, trigger_type } = onCampaign;
      yield* operator(`/campaigns/${two}/notifications/${id}/attach`, {
        body: { trigger_type, trigger_config },
      });
      yield* ok(sandbox(path, { method: "DELETE" }));
      yield* operator(`/campaigns/${two}/notifications/${id}/detach`, { method: "POST" });
      yield* operator(`/notifications/${id}`, { method: "PATCH", body: { ...message, name: "New" } });
      yield* operator(`/notifications/${id}`, { method: "DELETE" });
      const trigger = "campaign_id trigger_config.send_at trigger_type";
      const content = "body headline name questions type variants";
      const entries = (yield* activity(sandbox, `&resource=${id}`)).toReversed();
      assert.deepStrictEqual(summaries(entries), [
        [
          "create",
          "notification",
          "body campaign_id headline name questions trigger_config.send_at trigger_type type variants",
        ],
        ["update", "notification", "headline trigger_config.send_at"],
        ["attach", "notification", trigger],
        ["detach", "notification", trigger],
        ["detach", "notification", trigger],
        ["update", "notification", "headline name"],
        ["delete", "notification", content],
      ]);
      assert.deepStrictEqual(
        entries.map(({ actor }) => actor.type),
        ["token", "token", "operator", "token", "operator", "operator", "operator"],
      );
      assert.deepStrictEqual(entries[2].actor, { type: "operator", id: null, name: "operator" });
    }),
  );

  it.effect(
    "an import writes one entry with its counts, and a location's change and deletion one each (S5)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* world;
        const features = [circle("Dam", { external_id: "a" }), circle("Spui"), circle("Bad", { radius: 1 })];
        const body = { type: "FeatureCollection", features };
        yield* ok(sandbox("/locations/import?dry_run=1", { body }));
        yield* ok(
          sandbox("/locations/import", { body: { ...body, features: [circle("Bad", { radius: 1 })] } }),
        );
        const { results } = yield* ok(sandbox("/locations/import", { body }));
        const path = `/locations/${results[0].id}`;
        yield* ok(sandbox(path, { method: "PATCH", body: { name: "Dam Square" } }));
        yield* ok(sandbox(path, { method: "DELETE" }));
        const [deleted, updated, imported, ...others] = yield* activity(sandbox, "&resource=location");
        assert.lengthOf(others, 0);
        assert.deepStrictEqual(imported.resource, { type: "location", id: null, name: null });
        assert.deepStrictEqual(imported.changes, {
          created: { old: null, new: 2 },
          updated: { old: null, new: 0 },
          skipped: { old: null, new: 0 },
          failed: { old: null, new: 1 },
        });
        assert.deepStrictEqual(updated.changes, { name: { old: "Dam", new: "Dam Square" } });
        assert.deepInclude(deleted, { action: "delete" });
        assert.notProperty(deleted.changes, "geometry");
      }),
  );

  it.effect("a file's entries do not have its addresses (S5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* world;
      const form = new FormData();
      form.set("file", new Blob(["image/png"]), "pixel.png");
      const { id } = yield* ok(sandbox("/media", { body: form }));
      yield* ok(sandbox(`/media/${id}`, { method: "DELETE" }));
      const entries = yield* activity(sandbox);
      assert.deepStrictEqual(
        entries.map(({ action, resource }) => [action, resource]),
        ["delete", "create"].map((action) => [action, { type: "media", id, name: "pixel.png" }]),
      );
      assert.notInclude(JSON.stringify(entries), "/media/");
    }),
  );

  it.effect(
    "a replayed, refused or failed request writes nothing, nor does one that changes nothing (S5)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* world;
        const create = sandbox("/campaigns", {
          body: campaign("Once"),
          headers: { "idempotency-key": "once" },
        });
        const { id } = yield* ok(create);
        assert.strictEqual((yield* create).headers.get("idempotent-replayed"), "true");
        assert.strictEqual((yield* sandbox("/campaigns", { body: campaign("Once") })).status, 422);
        yield* ok(sandbox(`/campaigns/${id}`, { method: "PATCH", body: campaign("Once") }));
        yield* ok(sandbox(`/campaigns/${id}/publish`, { method: "POST" }));
        yield* ok(sandbox(`/campaigns/${id}/unarchive`, { method: "POST" }));
        assert.strictEqual((yield* sandbox("/campaigns/x", { method: "DELETE" })).status, 404);
        const entries = yield* activity(sandbox);
        assert.deepStrictEqual(
          entries.map(({ action }) => action),
          ["create"],
        );
      }),
  );

  it.effect("GET /activity is paged by cursor and filtered by actor, resource and action (S5)", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* world;
      for (const name of ["One", "Two", "Three"]) yield* ok(sandbox("/campaigns", { body: campaign(name) }));
      const names: Array<string> = [];
      let cursor = "";
      do {
        const { body } = yield* sandbox(`/activity?limit=2&resource=campaign${cursor}`);
        names.push(...body.data.map(({ resource }: any) => resource.name));
        cursor = body.meta.next_cursor === null ? "" : `&cursor=${body.meta.next_cursor}`;
      } while (cursor !== "");
      assert.deepStrictEqual(names, ["Three", "Two", "One"]);
      const [{ actor, resource }] = yield* activity(sandbox);
      for (const [query, count] of [
        [`actor=${actor.id}`, 3],
        ["actor=token", 3],
        ["actor=session", 0],
        [`resource=${resource.id}`, 1],
        ["action=create", 3],
        ["action=delete", 0],
      ] as const) {
        assert.lengthOf(yield* activity(sandbox, `&${query}`), count, query);
      }
      assert.lengthOf(yield* activity(production), 0);
      for (const wrong of ["actor=me", "resource=thing", "action=made"]) {
        const { body, status } = yield* sandbox(`/activity?${wrong}`);
        assert.strictEqual(status, 422);
        assert.match(body.error.fields[wrong.split("=")[0] ?? ""][0], /must be/);
      }
    }),
  );

  it.effect("activity needs activity:read, which no other ability implies, and the full API (S5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const others = abilities.filter((ability) => ability !== "activity:read");
      const without = yield* waypost.tenant({ abilities: others });
      const refused = yield* without.sandbox("/activity");
      assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "missing_ability"]);
      const { production, sandbox } = yield* waypost.tenant({ abilities: ["activity:read"], enabled: false });
      assert.deepStrictEqual(yield* activity(sandbox), []);
      const early = yield* production("/activity");
      assert.deepStrictEqual([early.status, early.body.error.code], [403, "platform_api_not_enabled"]);
    }),
  );
});
