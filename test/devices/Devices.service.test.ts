import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { RegisteredDevices } from "../../src/devices/RegisteredDevices.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const events = { body: { events: [{}] } };

layer(TestWaypost.shared)("Devices", (it) => {
  it.effect(
    "registering gives 201 with a token; without push a device is an inbox, not approved in Sandbox " +
      "(device.register)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const made = yield* sandbox.register("phone-1", { platform: "ios", attributes: { a: null, b: 2 } });
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        const { device_token, id, ...shown } = made.body.data;
        assert.match(device_token, /^wpd_[0-9A-Za-z]{50}$/);
        assert.match(id, /^[0-9a-f-]{36}$/);
        assert.deepStrictEqual(shown, {
          installation_id: "phone-1",
          platform: "ios",
          transport: "inbox",
          address_gone: false,
          approved: false,
          attributes: { b: 2 },
          locale: null,
          timezone: null,
          app_version: null,
          user_id: null,
          subscribed: true,
          registered_at: "2026-11-21T12:00:00+00:00",
          last_seen_at: "2026-11-21T12:00:00+00:00",
        });
      }),
  );

  it.effect(
    "in Production, too, no device is approved at first; it is another than in Sandbox (T6.1, A2.2)",
    () =>
      Effect.gen(function* () {
        const { production, sandbox } = yield* givenWorkspace();
        const here = yield* sandbox.register("phone-1");
        const there = yield* production.register("phone-1");
        assert.strictEqual(there.status, 201);
        assert.isFalse(there.body.data.approved);
        assert.notStrictEqual(here.body.data.id, there.body.data.id);
      }),
  );

  it.effect(
    "a repeated registration issues a new token and ends the earlier one, until one has been used " +
      "(device.again, device.replace)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost } = yield* givenWorkspace();
        const first = yield* sandbox.register("phone-1");
        const again = yield* sandbox.register("phone-1", { platform: "ios" }, "wpd_nonsense");
        assert.strictEqual(again.status, 200);
        assert.strictEqual(again.body.data.id, first.body.data.id);
        assert.strictEqual(again.body.data.platform, "ios");
        assert.notStrictEqual(again.body.data.device_token, first.body.data.device_token);
        const old = yield* waypost.device(first.body.data.device_token)("/messages");
        assert.deepStrictEqual([old.status, old.body.error.code], [401, "invalid_token"]);
        assert.strictEqual((yield* waypost.device(again.body.data.device_token)("/messages")).status, 200);
      }),
  );

  it.effect(
    "a device whose token is in use registers again only with that token, and is shown none " +
      "(device.in_use, device.replace, errors.device_token_required)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const body = {
          platform: "android",
          attributes: { a: 1 },
          locale: "nl-NL",
          push: { transport: "fcm", token: "t" },
        };
        const phone = yield* sandbox.device("phone-1", body);
        const other = yield* sandbox.device("phone-2");
        yield* phone.ask("/messages");
        for (const token of [undefined, "", "wpd_nonsense", other.token, `${phone.token}x`]) {
          const refused = yield* sandbox.register("phone-1", { platform: "ios" }, token);
          assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "device_token_required"]);
        }
        const again = yield* sandbox.register("phone-1", { platform: "ios" }, phone.token);
        assert.strictEqual(again.status, 200);
        assert.notProperty(again.body.data, "device_token");
        const { attributes, id, locale, platform, transport } = again.body.data;
        assert.deepStrictEqual(
          { attributes, id, locale, platform, transport },
          { attributes: {}, id: phone.id, locale: null, platform: "ios", transport: "inbox" },
        );
        assert.strictEqual((yield* phone.ask("/messages")).status, 200);
      }),
  );

  it.effect("sending the token with a repeated registration uses it (device.in_use)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      const again = yield* sandbox.register("phone-1", { platform: "ios" }, phone.token);
      assert.strictEqual(again.status, 200);
      assert.notProperty(again.body.data, "device_token");
      assert.strictEqual((yield* sandbox.register("phone-1")).status, 403);
    }),
  );

  it.effect("rotating ends the old token, and a lost response locks nobody out (device.rotate)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      const rotated = yield* phone.ask("/devices/me/rotate", { method: "POST" });
      assert.strictEqual(rotated.status, 200);
      assert.deepStrictEqual(Object.keys(rotated.body.data), ["device_token"]);
      assert.strictEqual((yield* phone.ask("/messages")).status, 401);
      // Nobody has used the new token, so the SDK key alone is enough.
      const recovered = yield* sandbox.register("phone-1");
      assert.strictEqual(recovered.status, 200);
      const ask = waypost.device(recovered.body.data.device_token);
      assert.strictEqual((yield* waypost.device(rotated.body.data.device_token)("/messages")).status, 401);
      assert.strictEqual((yield* ask("/messages")).status, 200);
    }),
  );

  it.effect(
    "an unregistered device that registers again is the same device, with 201 and a new token (device.leave)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1");
        const gone = yield* phone.ask("/devices/me", { method: "DELETE" });
        assert.deepStrictEqual([gone.status, gone.body], [200, { data: { id: phone.id, deleted: true } }]);
        const after = yield* phone.ask("/events", events);
        assert.deepStrictEqual([after.status, after.body.error.code], [401, "token_revoked"]);
        const again = yield* sandbox.register("phone-1");
        assert.deepStrictEqual([again.status, again.body.data.id], [201, phone.id]);
        assert.isString(again.body.data.device_token);
        assert.strictEqual((yield* phone.ask("/messages")).status, 401);
      }),
  );

  it.effect(
    "concurrent registrations of an installation make one device with one valid token (device.again)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost } = yield* givenWorkspace();
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => sandbox.register("phone-1")),
          { concurrency: "unbounded" },
        );
        assert.deepStrictEqual(
          answers.map(({ status }) => status).sort((a, b) => a - b),
          [200, 200, 200, 200, 200, 200, 200, 201],
        );
        assert.strictEqual(new Set(answers.map(({ body }) => body.data.id)).size, 1);
        const works = yield* Effect.forEach(answers, ({ body }) =>
          waypost.device(body.data.device_token)("/messages"),
        );
        assert.strictEqual(works.filter(({ status }) => status === 200).length, 1);
      }),
  );

  it.effect(
    "a change merges attributes by name, removes those that are null, and keeps missing fields " +
      "(device.change)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1", {
          attributes: { a: 1, b: "x", c: ["y"] },
          locale: "nl",
        });
        const change = (body: unknown) => phone.ask("/devices/me", { method: "PATCH", body });
        const merged = yield* change({ attributes: { b: null, d: true, e: "  trimmed " }, app_version: "2" });
        assert.deepStrictEqual(merged.body.data.attributes, { a: 1, c: ["y"], d: true, e: "trimmed" });
        assert.deepStrictEqual([merged.body.data.locale, merged.body.data.app_version], ["nl", "2"]);
        const cleared = yield* change({ attributes: null, locale: null });
        assert.deepStrictEqual([cleared.body.data.attributes, cleared.body.data.locale], [{}, null]);
        assert.strictEqual((yield* change({})).status, 200);
      }),
  );

  it.effect("a device has at most 100 attributes and 8 KiB of them, also after many small changes", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      const names = (from: number, count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${from + at}`, 1]));
      const phone = yield* sandbox.device("phone-1", { attributes: names(0, 100) });
      const change = (attributes: unknown) =>
        phone.ask("/devices/me", { method: "PATCH", body: { attributes } });
      assert.strictEqual((yield* change(names(0, 100))).status, 200);
      for (const attributes of [
        names(100, 1),
        names(0, 101),
        { name0: "x".repeat(8192) },
        { ["x".repeat(65)]: 1 },
        { "": 1 },
        { " a": 1 },
      ]) {
        const refused = yield* change(attributes);
        assert.deepStrictEqual(
          [refused.status, Object.keys(refused.body.error.fields)],
          [422, ["attributes"]],
        );
      }
      assert.strictEqual((yield* change({ name0: null, other: 1 })).status, 200);
    }),
  );

  it.effect("attributes may have names that are special in JavaScript", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      const attributes = '{"__proto__":{"polluted":true},"constructor":1}';
      const refused = yield* phone.ask("/devices/me", {
        method: "PATCH",
        body: `{"attributes":${attributes}}`,
      });
      assert.strictEqual(refused.status, 422);
      const kept = yield* phone.ask("/devices/me", {
        method: "PATCH",
        body: '{"attributes":{"__proto__":"x","constructor":1}}',
      });
      assert.strictEqual(kept.status, 200);
      assert.deepStrictEqual(Object.keys(kept.body.data.attributes).sort(), ["__proto__", "constructor"]);
      assert.notProperty({}, "polluted");
    }),
  );

  it.effect(
    "push addresses are not shown, and one reported as gone is good again once it is registered (L6.2)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const sql = yield* SqlClient.SqlClient;
        const push = { transport: "fcm", token: "very-secret" };
        const phone = yield* sandbox.device("phone-1", { push });
        const makeGone = Effect.orDie(
          sql`UPDATE device SET address_gone_at = registered_at WHERE id = ${phone.id}`,
        );
        yield* makeGone;
        const unrelated = yield* phone.ask("/devices/me", { method: "PATCH", body: { locale: "nl" } });
        assert.isTrue(unrelated.body.data.address_gone);
        const same = yield* phone.ask("/devices/me", { method: "PATCH", body: { push } });
        assert.deepStrictEqual([same.body.data.address_gone, same.body.data.transport], [false, "fcm"]);
        yield* makeGone;
        const again = yield* sandbox.register("phone-1", { platform: "ios", push }, phone.token);
        assert.isFalse(again.body.data.address_gone);
        assert.notInclude(JSON.stringify([unrelated.body, same.body, again.body]), "very-secret");
      }),
  );

  it.effect("the operator lists and approves a device while it is registered (operator.devices)", () =>
    Effect.gen(function* () {
      const { sandbox, workspace } = yield* givenWorkspace();
      const devices = yield* RegisteredDevices;
      const tenant = { ...(yield* (yield* Workspaces).find(workspace.id)), environment: "sandbox" as const };
      const first = yield* sandbox.device("phone-1", { platform: "ios" });
      const second = yield* sandbox.device("phone-2");
      const list = (filters: Parameters<typeof devices.page>[2] = {}) =>
        Effect.map(devices.page(tenant, { before: null, limit: 10 }, filters), (rows) =>
          rows.map(({ id }) => id),
        );
      assert.deepStrictEqual(yield* list(), [second.id, first.id]);
      assert.isTrue((yield* devices.setApproved(tenant, first.id, true)).approved);
      assert.deepStrictEqual(yield* list({ approved: true }), [first.id]);
      assert.deepStrictEqual(yield* list({ approved: false, platform: "android" }), [second.id]);
      yield* first.ask("/devices/me", { method: "DELETE" });
      assert.deepStrictEqual(yield* list(), [second.id]);
      const production = { ...tenant, environment: "production" as const };
      for (const [where, id] of [
        [tenant, first.id],
        [tenant, "no-uuid"],
        [production, second.id],
      ] as const) {
        const refused = yield* Effect.flip(devices.setApproved(where, id, true));
        assert.strictEqual(refused.error.code, "not_found");
      }
    }).pipe(Effect.orDie),
  );
});
