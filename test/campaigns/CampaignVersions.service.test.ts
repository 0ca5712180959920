import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { message, notificationWorld } from "../notifications/NotificationWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { push } from "./CampaignWorld.ts";

const withVersion = (method: string, etag: string, body?: object) => ({
  method,
  headers: { "if-match": etag },
  ...(body === undefined ? {} : { body }),
});

layer(TestWaypost.layer)("Versions of campaigns", (it) => {
  it.effect(
    "every change of a campaign with another version is 412 and changes nothing " +
      "(S3, errors.version_conflict)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* notificationWorld();
        const { id } = (yield* sandbox("/campaigns", { body: push() })).body.data;
        const path = `/campaigns/${id}`;
        const read = yield* sandbox(path);
        const first = read.headers.get("etag") ?? "";
        assert.match(first, /^"[\w-]{43}"$/);
        const changed = yield* sandbox(path, withVersion("PATCH", first, push({ name: "Renamed" })));
        assert.strictEqual(changed.status, 200);
        const second = yield* sandbox(path);
        assert.strictEqual(changed.headers.get("etag"), second.headers.get("etag"));
        assert.notStrictEqual(second.headers.get("etag"), first);
        for (const [request, where] of [
          [withVersion("PATCH", first, push({ name: "Lost" })), path],
          [withVersion("PATCH", first, {}), path],
          [withVersion("DELETE", first), path],
          [withVersion("POST", first), `${path}/pause`],
          [withVersion("POST", first), `${path}/publish`],
        ] as const) {
          const refused = yield* sandbox(where, request);
          assert.deepStrictEqual([refused.status, refused.body.error.code], [412, "version_conflict"], where);
        }
        assert.deepStrictEqual((yield* sandbox(path)).body, second.body);
        for (const etag of [
          second.headers.get("etag") ?? "",
          "*",
          `"another", ${second.headers.get("etag")}`,
        ]) {
          assert.strictEqual(
            (yield* sandbox(`${path}/publish`, withVersion("POST", etag))).status,
            200,
            etag,
          );
        }
        const unknown = path.replace(id, "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60");
        assert.strictEqual((yield* sandbox(unknown, withVersion("DELETE", "*"))).status, 404);
      }),
  );

  it.effect("the version of a campaign is that of its changes, not of its status (S3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* notificationWorld();
      const { id } = (yield* sandbox("/campaigns", { body: push({ starts_at: "2026-11-22" }) })).body.data;
      const scheduled = yield* sandbox(`/campaigns/${id}`);
      yield* TestClock.adjust("1 day");
      const active = yield* sandbox(`/campaigns/${id}`);
      assert.deepStrictEqual([scheduled.body.data.status, active.body.data.status], ["scheduled", "active"]);
      assert.strictEqual(active.headers.get("etag"), scheduled.headers.get("etag"));
    }),
  );

  it.effect("a change of a notification with another version is 412 and changes nothing (S3)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const one = `${path}/${(yield* world.sandbox(path, { body: message() })).body.data.id}`;
      const first = (yield* world.sandbox(one)).headers.get("etag") ?? "";
      const changed = yield* world.sandbox(one, withVersion("PATCH", first, message({ headline: "New" })));
      assert.strictEqual(changed.status, 200);
      for (const request of [withVersion("PATCH", first, message()), withVersion("DELETE", first)]) {
        const refused = yield* world.sandbox(one, request);
        assert.deepStrictEqual([refused.status, refused.body.error.code], [412, "version_conflict"]);
      }
      assert.strictEqual((yield* world.sandbox(one)).body.data.headline, "New");
      const second = changed.headers.get("etag") ?? "";
      assert.strictEqual((yield* world.sandbox(one, withVersion("DELETE", second))).status, 200);
    }),
  );

  it.effect("of concurrent changes of one version one succeeds (S3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* notificationWorld();
      const { id } = (yield* sandbox("/campaigns", { body: push() })).body.data;
      const etag = (yield* sandbox(`/campaigns/${id}`)).headers.get("etag") ?? "";
      const statuses = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => push({ name: `Name ${index}` })),
        (body) =>
          Effect.map(sandbox(`/campaigns/${id}`, withVersion("PATCH", etag, body)), ({ status }) => status),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(
        statuses.toSorted((a, b) => a - b),
        [200, ...Array.from({ length: 7 }, () => 412)],
      );
    }),
  );
});

layer(TestWaypost.layer)("Archived campaigns", (it) => {
  it.effect("an archived campaign is paused and only in the list of archived ones (S8)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* notificationWorld();
      const { id } = (yield* sandbox("/campaigns", { body: push() })).body.data;
      const other = (yield* sandbox("/campaigns", { body: push({ name: "Other" }) })).body.data.id;
      const act = (action: string) => sandbox(`/campaigns/${id}/${action}`, { method: "POST" });
      const listed = (query = "") =>
        Effect.map(sandbox(`/campaigns${query}`), ({ body }) =>
          body.data.map((campaign: { readonly id: string }) => campaign.id),
        );
      for (const _ of ["once", "again"]) {
        const { data } = (yield* act("archive")).body;
        assert.deepStrictEqual([data.archived, data.status], [true, "paused"]);
      }
      assert.deepStrictEqual(yield* listed(), [other]);
      assert.deepStrictEqual(yield* listed("?archived=false"), [other]);
      assert.deepStrictEqual(yield* listed("?archived=true"), [id]);
      assert.strictEqual((yield* sandbox(`/campaigns/${id}`)).status, 200);
      const { data } = (yield* act("unarchive")).body;
      assert.deepStrictEqual([data.archived, data.status], [false, "paused"]);
      assert.deepStrictEqual(yield* listed(), [other, id]);
      yield* act("archive");
      const published = (yield* act("publish")).body.data;
      assert.deepStrictEqual([published.archived, published.status], [false, "scheduled"]);
      const wrong = yield* sandbox("/campaigns?archived=maybe");
      assert.deepStrictEqual([wrong.status, wrong.body.error.code], [422, "invalid_parameter"]);
    }),
  );
});

layer(TestWaypost.layer)("Drafts of campaigns", (it) => {
  it.effect(
    "a campaign can be created paused, and an update without paused keeps it so (S2, campaigns.f_paused)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* notificationWorld({ plan: { max_campaigns: 1 } });
        const create = (more: object) => sandbox("/campaigns", { body: push(more) });
        const draft = yield* create({ paused: true });
        assert.deepStrictEqual([draft.status, draft.body.data.status], [201, "paused"]);
        const path = `/campaigns/${draft.body.data.id}`;
        const update = (more: object) => sandbox(path, { method: "PATCH", body: push(more) });
        assert.isTrue((yield* update({ name: "Renamed" })).body.data.paused);
        // In Sandbox paused campaigns do not count (E9).
        assert.strictEqual((yield* create({ name: "Live" })).status, 201);
        const over = yield* update({ paused: false });
        assert.deepStrictEqual([over.status, Object.keys(over.body.error.fields)], [403, ["max_campaigns"]]);
        assert.isTrue((yield* sandbox(path)).body.data.paused);
        const wrong = yield* update({ paused: "no" });
        assert.deepStrictEqual([wrong.status, Object.keys(wrong.body.error.fields)], [422, ["paused"]]);
      }),
  );

  it.effect("an update pauses and publishes as the two endpoints do (S2)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const { id } = (yield* world.sandbox("/campaigns", { body: push() })).body.data;
      const update = (paused: boolean) =>
        world.sandbox(`/campaigns/${id}`, { method: "PATCH", body: push({ paused }) });
      assert.strictEqual((yield* update(true)).body.data.status, "paused");
      assert.strictEqual((yield* update(false)).body.data.status, "scheduled");
    }),
  );
});
