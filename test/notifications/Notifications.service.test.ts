import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, sent } from "./NotificationWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

layer(TestWaypost.layer)("Notifications", (it) => {
  it.effect(
    "POST adds a message to a geo campaign and gives 201 with every field, instants in UTC " +
      "(A3, F3.1, notifications.create, notifications.get, notifications.shown)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo({ starts_at: "2026-11-22", ends_at: "2026-12-24" });
        const made = yield* world.sandbox(path, {
          body: message({
            name: "  Welcome ",
            body: "Two lines\nof text, and 🎈",
            cta_label: "Look",
            cta_url: "shop://offers/1",
            starts_at: "2026-11-23",
            ends_at: "2026-11-30",
          }),
        });
        assert.strictEqual(made.status, 201);
        assert.deepStrictEqual(made.body, {
          data: {
            id: made.body.data.id,
            campaign_id: path.split("/")[2],
            name: "Welcome",
            type: "message",
            headline: "Hello",
            body: "Two lines\nof text, and 🎈",
            media_asset_id: null,
            media: null,
            cta_label: "Look",
            cta_url: "shop://offers/1",
            questions: [],
            template: null,
            translations: null,
            push: null,
            variants: [],
            trigger_type: "on_enter",
            trigger_config: null,
            starts_at: "2026-11-22T23:00:00+00:00",
            ends_at: "2026-11-30T22:59:59+00:00",
            created_at: "2026-11-21T12:00:00+00:00",
            updated_at: "2026-11-21T12:00:00+00:00",
          },
        });
        const shown = yield* world.sandbox(`${path}/${made.body.data.id}`);
        assert.strictEqual(shown.status, 200);
        assert.deepStrictEqual(shown.body, made.body);
      }),
  );

  it.effect("an optional field is none if it is null, empty, blank or left out (F2.3)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      for (const more of [
        {},
        { cta_label: null, cta_url: null, media_asset_id: null, questions: null, trigger_config: null },
        { cta_label: "", cta_url: " ", media_asset_id: "", questions: [], trigger_config: [] },
        { trigger_config: {}, starts_at: null, ends_at: null },
        { trigger_config: { send_at: null } },
      ]) {
        const { body, status } = yield* world.sandbox(path, { body: message(more) });
        assert.strictEqual(status, 201, JSON.stringify([more, body]));
        const { cta_label, cta_url, ends_at, media_asset_id, questions, starts_at, trigger_config } =
          body.data;
        assert.deepStrictEqual(
          [cta_label, cta_url, media_asset_id, questions, trigger_config, starts_at, ends_at],
          [null, null, null, [], null, null, null],
        );
      }
    }),
  );

  it.effect(
    "the notifications of a campaign are listed together in the order of attaching, without a cursor " +
      "(D5, notifications.list)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld({ plan: { max_notifications_per_campaign: null } });
        const path = yield* world.geo();
        const other = yield* world.geo();
        assert.deepStrictEqual((yield* world.sandbox(path)).body, { data: [], meta: { next_cursor: null } });
        const late = (yield* world.sandbox(other, { body: message() })).body.data.id;
        const ids: Array<string> = [];
        for (let i = 0; i < 25; i++) {
          ids.push((yield* world.sandbox(path, { body: message({ name: `N${i}` }) })).body.data.id);
        }
        // Older than all of them, but attached to this campaign last.
        yield* world.onto(path.split("/")[2] ?? "", late);
        const list = yield* world.sandbox(`${path}?limit=5&cursor=nonsense`);
        assert.strictEqual(list.status, 200);
        assert.deepStrictEqual(
          list.body.data.map((each: { id: string }) => each.id),
          [...ids, late],
        );
        assert.deepStrictEqual(list.body.meta, { next_cursor: null });
        assert.deepStrictEqual(list.body.data[3], (yield* world.sandbox(`${path}/${ids[3]}`)).body.data);
      }),
  );

  it.effect(
    "PATCH replaces the whole notification and clears missing fields (B4.3, notifications.update)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo({ starts_at: "2026-11-22" });
        const body = message({
          cta_label: "Look",
          cta_url: "shop://offers/1",
          starts_at: "2026-11-23",
          ends_at: "2026-11-24",
        });
        const { data } = (yield* world.sandbox(path, { body })).body;
        yield* TestClock.adjust("1 minute");
        const changed = yield* world.sandbox(`${path}/${data.id}`, {
          method: "PATCH",
          body: message({
            id: unknownId,
            created_at: "1999-01-01",
            headline: "Bye",
            trigger_type: "on_exit",
          }),
        });
        assert.strictEqual(changed.status, 200);
        assert.deepStrictEqual(changed.body.data, {
          ...data,
          headline: "Bye",
          cta_label: null,
          cta_url: null,
          trigger_type: "on_exit",
          starts_at: null,
          ends_at: null,
          updated_at: "2026-11-21T12:01:00+00:00",
        });
        assert.deepStrictEqual((yield* world.sandbox(`${path}/${data.id}`)).body, changed.body);
        const partial = yield* world.sandbox(`${path}/${data.id}`, {
          method: "PATCH",
          body: { name: "Only" },
        });
        assert.deepStrictEqual(Object.keys(partial.body.error.fields), [
          "type",
          "headline",
          "body",
          "trigger_type",
        ]);
      }),
  );

  it.effect("an update changes the content on both campaigns and the trigger on one (F7.2)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const [here, there] = [yield* world.geo(), yield* world.geo()];
      const { id } = (yield* world.sandbox(here, { body: message() })).body.data;
      yield* world.onto(there.split("/")[2] ?? "", id);
      const body = message({ headline: "For both", trigger_type: "on_exit" });
      yield* world.sandbox(`${here}/${id}`, { method: "PATCH", body });
      const other = (yield* world.sandbox(`${there}/${id}`)).body.data;
      assert.deepStrictEqual([other.headline, other.trigger_type], ["For both", "on_enter"]);
      assert.strictEqual(other.campaign_id, there.split("/")[2]);
    }),
  );

  it.effect(
    "an unknown notification, and one of another campaign, environment or workspace, is 404 " +
      "(A2.1, B1.5, B2.3)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const stranger = yield* notificationWorld();
        const [path, other] = [yield* world.geo(), yield* world.geo()];
        const { id } = (yield* world.sandbox(path, { body: message() })).body.data;
        const asks = [
          [world.sandbox, `/campaigns/${unknownId}/notifications`],
          [world.sandbox, "/campaigns/nonsense/notifications"],
          [world.sandbox, `${path}/${unknownId}`],
          [world.sandbox, `${path}/nonsense`],
          [world.sandbox, `${other}/${id}`],
          [world.production, path],
          [world.production, `${path}/${id}`],
          [stranger.sandbox, path],
          [stranger.sandbox, `${path}/${id}`],
        ] as const;
        for (const [ask, at] of asks) {
          const methods = at.endsWith("/notifications") ? ["GET", "POST"] : ["GET", "PATCH", "DELETE"];
          for (const method of methods) {
            const answer = yield* ask(at, {
              method,
              // The body is wrong too: an unknown id is reported first.
              ...(method === "POST" || method === "PATCH" ? { body: { name: 1 } } : {}),
            });
            assert.strictEqual(answer.status, 404, `${method} ${at}`);
            assert.strictEqual(answer.body.error.code, "not_found");
          }
        }
        const broken = yield* world.sandbox(`${path}/${unknownId}`, { method: "PATCH", body: "{ broken" });
        assert.strictEqual(broken.status, 404);
        assert.strictEqual((yield* world.sandbox(`${path}/${id}`)).status, 200);
      }),
  );

  it.effect(
    "reading and writing need their own ability each " +
      "(C2, notifications.create, notifications.get, notifications.list)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const waypost = yield* TestWaypost;
        const path = yield* world.geo();
        const { id } = (yield* world.sandbox(path, { body: message() })).body.data;
        const as = (ability: "notifications:read" | "notifications:write") =>
          Effect.map(waypost.token(world.workspace, "sandbox", [ability]), ({ token }) =>
            waypost.platform("sandbox", token),
          );
        const [reader, writer] = [yield* as("notifications:read"), yield* as("notifications:write")];
        for (const at of [path, `${path}/${id}`]) {
          assert.strictEqual((yield* reader(at)).status, 200);
          assert.strictEqual((yield* writer(at)).body.error.code, "missing_ability");
        }
        assert.strictEqual((yield* reader(path, { body: message() })).body.error.code, "missing_ability");
        assert.strictEqual((yield* writer(path, { body: message() })).status, 201);
      }),
  );

  it.effect(
    "a notification of a push campaign can be written back as it was shown " +
      "(F3.2, notifications.shown_send_at)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.push({ starts_at: "2026-11-25" });
        const { data } = (yield* world.sandbox(path, { body: sent("09:30") })).body;
        assert.deepStrictEqual(data.trigger_config, { send_at: "2026-11-25 09:30" });
        yield* TestClock.adjust("1 minute");
        const again = yield* world.sandbox(`${path}/${data.id}`, { method: "PATCH", body: data });
        assert.strictEqual(again.status, 200);
        assert.deepStrictEqual(again.body.data, data);
      }),
  );

  it.effect("without an Idempotency-Key a repetition adds a second notification (idempotency.7)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      for (let time = 0; time < 2; time++) yield* world.sandbox(path, { body: message() });
      const names = (yield* world.sandbox(path)).body.data.map((each: { name: string }) => each.name);
      assert.deepStrictEqual(names, ["Welcome", "Welcome"]);
    }),
  );
});
