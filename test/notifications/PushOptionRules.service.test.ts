import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { unsetOptions } from "../../src/notifications/push/PushOptions.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, survey } from "./NotificationWorld.ts";

const world = Effect.gen(function* () {
  const made = yield* notificationWorld();
  const path = yield* made.geo();
  const create = (push: unknown, more: object = {}) =>
    made.sandbox(path, { body: message({ push, ...more }) });
  return {
    ...made,
    path,
    create,
    problems: (push: unknown, more: object = {}) =>
      Effect.map(create(push, more), ({ body }) => Object.keys(body.error?.fields ?? {}).toSorted()),
  };
});

layer(TestWaypost.layer)("Push options", (it) => {
  it.effect("all options are stored and shown, and those that are not set are null (T2.1)", () =>
    Effect.gen(function* () {
      const { create, path, sandbox } = yield* world;
      const push = {
        sound: "coffee.caf",
        badge: 99_999,
        priority: "normal",
        ttl_seconds: 2_419_200,
        collapse_key: "ö".repeat(32),
        interruption_level: "time-sensitive",
        channel_id: "c".repeat(100),
        category: "k".repeat(64),
        actions: [
          { id: "save_1", title: " Save ", url: "shop://save" },
          { id: "later-", title: "t".repeat(40) },
        ],
        data: { " order ": " 4711 ", empty: "" },
      };
      const made = yield* create({ ...push, unknown: 1 });
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      const shown = {
        ...unsetOptions,
        ...push,
        actions: [
          { id: "save_1", title: "Save", url: "shop://save" },
          { id: "later-", title: "t".repeat(40), url: null },
        ],
      };
      assert.deepStrictEqual(made.body.data.push, shown);
      const own = `${path}/${made.body.data.id}`;
      assert.deepStrictEqual((yield* sandbox(own)).body.data.push, shown);
      const patch = (body: object) => sandbox(own, { method: "PATCH", body });
      const silent = yield* patch(message({ push: { silent: true, badge: null, actions: [] } }));
      assert.deepStrictEqual(silent.body.data.push, { ...unsetOptions, silent: true });
      // An update replaces the whole notification.
      assert.isNull((yield* patch(message())).body.data.push);
    }),
  );

  it.effect("nothing but nulls, empty lists and false is none (T2.1)", () =>
    Effect.gen(function* () {
      const { create } = yield* world;
      for (const push of [null, {}, unsetOptions, { actions: [], data: {}, silent: false }]) {
        const made = yield* create(push);
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        assert.isNull(made.body.data.push);
      }
    }),
  );

  it.effect("an option outside its limits is 422 at its field (T2.2)", () =>
    Effect.gen(function* () {
      const { problems } = yield* world;
      const action = { id: "a", title: "A" };
      for (const [push, ...fields] of [
        ["loud", "push"],
        [[], "push"],
        [{ sound: "s".repeat(65), badge: 1.5 }, "push.badge", "push.sound"],
        [{ sound: "" }, "push.sound"],
        [{ badge: -1 }, "push.badge"],
        [{ badge: 100_000 }, "push.badge"],
        [{ badge: "1" }, "push.badge"],
        [{ priority: "low" }, "push.priority"],
        [{ ttl_seconds: 2_419_201 }, "push.ttl_seconds"],
        [{ ttl_seconds: -1 }, "push.ttl_seconds"],
        [{ collapse_key: "" }, "push.collapse_key"],
        [{ collapse_key: `${"ö".repeat(32)}x` }, "push.collapse_key"],
        [{ interruption_level: "critical" }, "push.interruption_level"],
        [{ channel_id: "c".repeat(101) }, "push.channel_id"],
        [{ category: "k".repeat(65) }, "push.category"],
        [{ silent: "yes" }, "push.silent"],
        [{ actions: {} }, "push.actions"],
        [{ actions: [action, { ...action, id: "b" }, { ...action, id: "c" }] }, "push.actions"],
        [{ actions: [action, action] }, "push.actions.1.id"],
        [{ actions: [{ id: "A", title: "" }] }, "push.actions.0.id", "push.actions.0.title"],
        [{ actions: [action, { ...action, id: "" }] }, "push.actions.1.id"],
        [{ actions: [{ ...action, title: "t".repeat(41) }] }, "push.actions.0.title"],
        [{ actions: [action, { ...action, id: "b", url: "javascript:1" }] }, "push.actions.1.url"],
        [{ actions: [7] }, "push.actions.0"],
        [{ data: [] }, "push.data"],
        [{ data: { a: 1 } }, "push.data.a"],
        [{ data: { "": "x" } }, "push.data"],
        [{ data: { nul: "\0" } }, "push.data.nul"],
        [{ data: { half: "\ud800" } }, "push.data.half"],
        [{ data: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, ""])) }, "push.data"],
        [{ data: { ["k".repeat(65)]: "" } }, `push.data.${"k".repeat(65)}`],
        [{ data: { k: "ö".repeat(512) } }, "push.data"],
        ...["waypost", "from", "gcm", "google", "aps", "google.x", "gcm.notification.y"].map(
          (name) => [{ data: { [name]: "x" } }, `push.data.${name}`] as const,
        ),
      ] as const) {
        assert.deepStrictEqual(yield* problems(push), fields, JSON.stringify(push));
      }
      // Up to the limits all is well: 1,024 bytes, 20 names, and names that are only similar.
      for (const data of [
        { k: `x${"ö".repeat(511)}` },
        Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, ""])),
        { googles: "", Google: "", gcmx: "", "a.google.b": "" },
      ])
        assert.deepStrictEqual(yield* problems({ data }), []);
    }),
  );

  it.effect("a silent push has nothing to show, and a survey is not silent (T2.3)", () =>
    Effect.gen(function* () {
      const { path, problems, sandbox } = yield* world;
      const shown = {
        sound: "none",
        badge: 0,
        interruption_level: "passive",
        actions: [{ id: "a", title: "A" }],
      };
      assert.deepStrictEqual(
        yield* problems({ silent: true, data: { a: "b" }, ...shown }),
        Object.keys(shown)
          .map((field) => `push.${field}`)
          .toSorted(),
      );
      assert.deepStrictEqual(yield* problems({ silent: true, data: { a: "b" }, category: "c" }), []);
      const body = survey([{ question_text: "Well?", type: "RATING" }], { push: { silent: true } });
      const refused = yield* sandbox(path, { body });
      assert.deepStrictEqual(Object.keys(refused.body.error.fields), ["push.silent"]);
    }),
  );

  it.effect("the address of an action is a template like that of the button, and no title is (T2.4)", () =>
    Effect.gen(function* () {
      const { problems } = yield* world;
      const liquid = { template: "liquid" };
      const action = (url: string, title = "A") => ({ actions: [{ id: "a", title, url }] });
      assert.deepStrictEqual(yield* problems(action("shop://{{ device.attributes.id }}", "{{"), liquid), []);
      assert.deepStrictEqual(yield* problems(action("shop://{{ device.nothing }}"), liquid), [
        "push.actions.0.url",
      ]);
      assert.deepStrictEqual(yield* problems(action("shop://{% for x %}"), liquid), ["push.actions.0.url"]);
      assert.deepStrictEqual(yield* problems({ data: { a: "{{" } }, liquid), []);
    }),
  );
});
