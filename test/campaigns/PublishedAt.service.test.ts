import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { notificationWorld } from "../notifications/NotificationWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { push } from "./CampaignWorld.ts";

layer(TestWaypost.layer)("The publication of campaigns", (it) => {
  it.effect("published_at is the instant at which a campaign was first not paused, and stays (CO3.1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* notificationWorld();
      const create = (more: object) => sandbox("/campaigns", { body: push(more) });
      const live = (yield* create({ name: "Live" })).body.data;
      assert.strictEqual(live.published_at, live.created_at);
      const draft = (yield* create({ name: "Draft", paused: true })).body.data;
      const updated = (yield* create({ name: "Updated", paused: true })).body.data;
      assert.deepStrictEqual([draft.published_at, updated.published_at], [null, null]);
      const act = (action: string) =>
        Effect.map(
          sandbox(`/campaigns/${draft.id}/${action}`, { method: "POST" }),
          ({ body }) => body.data.published_at,
        );
      for (const action of ["pause", "archive", "unarchive"]) assert.isNull(yield* act(action), action);
      yield* TestClock.adjust("1 minute");
      const published = "2026-11-21T12:01:00+00:00";
      assert.strictEqual(yield* act("publish"), published);
      const update = (paused: boolean) =>
        sandbox(`/campaigns/${updated.id}`, { method: "PATCH", body: push({ name: "Updated", paused }) });
      assert.strictEqual((yield* update(false)).body.data.published_at, published);
      yield* TestClock.adjust("1 minute");
      for (const action of ["publish", "pause", "publish", "archive", "publish"])
        assert.strictEqual(yield* act(action), published, action);
      assert.strictEqual((yield* update(true)).body.data.published_at, published);
      for (const { id } of [draft, updated])
        assert.strictEqual((yield* sandbox(`/campaigns/${id}`)).body.data.published_at, published);
    }),
  );

  it.effect("the list shows published_at, and draft selects who has it, beside other filters (CO3.2)", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* notificationWorld();
      const create = (name: string, paused: boolean) =>
        Effect.map(sandbox("/campaigns", { body: push({ name, paused }) }), ({ body }) => body.data.id);
      const act = (id: string, action: string) => sandbox(`/campaigns/${id}/${action}`, { method: "POST" });
      yield* production("/campaigns", { body: push({ name: "Elsewhere", paused: true }) });
      yield* create("Live", false);
      yield* act(yield* create("Paused", false), "pause");
      yield* create("First draft", true);
      yield* create("Second draft", true);
      yield* act(yield* create("Archived draft", true), "archive");
      const names = (query: string) =>
        Effect.map(sandbox(`/campaigns${query}`), ({ body }) => body.data.map(({ name }: any) => name));
      const drafts = ["Second draft", "First draft"];
      assert.deepStrictEqual(yield* names(""), [...drafts, "Paused", "Live"]);
      assert.deepStrictEqual(yield* names("?draft=true"), drafts);
      assert.deepStrictEqual(yield* names("?draft=false"), ["Paused", "Live"]);
      assert.deepStrictEqual(yield* names("?draft=false&status=paused"), ["Paused"]);
      assert.deepStrictEqual(yield* names("?draft=true&archived=true"), ["Archived draft"]);
      assert.deepStrictEqual(yield* names("?draft=true&q=first"), ["First draft"]);
      const page = (yield* sandbox("/campaigns?draft=true&limit=1")).body;
      assert.isNull(page.data[0].published_at);
      const cursor = page.meta.next_cursor;
      assert.deepStrictEqual(yield* names(`?draft=true&limit=1&cursor=${cursor}`), ["First draft"]);
      for (const [query, code] of [
        ["draft=maybe", "invalid_parameter"],
        ["draft=", "invalid_parameter"],
        ["draft=1", "invalid_parameter"],
        [`draft=false&cursor=${cursor}`, "invalid_cursor"],
      ] as const) {
        const wrong = yield* sandbox(`/campaigns?${query}`);
        assert.deepStrictEqual([wrong.status, wrong.body.error.code], [422, code], query);
      }
    }),
  );

  it.effect("the activity of a publication names paused alone, a creation no instant (CO3.1, S5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* notificationWorld();
      const { id } = (yield* sandbox("/campaigns", { body: push({ paused: true }) })).body.data;
      yield* sandbox(`/campaigns/${id}/publish`, { method: "POST" });
      const entries = (yield* sandbox(`/activity?resource=${id}`)).body.data;
      assert.deepStrictEqual(entries[0].changes, { paused: { old: true, new: false } });
      assert.notProperty(entries[1].changes, "published_at");
    }),
  );
});
