import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { apnsCredentials, fcmCredentials, webPushCredentials } from "../sending/push/PushKeys.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";

const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };

/** The data of a successful response. */
const ok = (answer: Effect.Effect<Answer>): Effect.Effect<any> =>
  Effect.map(answer, ({ body, status }) => {
    assert.isBelow(status, 300, JSON.stringify(body));
    return body.data;
  });

const world = Effect.gen(function* () {
  const waypost = yield* TestWaypost;
  const { id } = yield* ok(waypost.operator("/workspaces", { body: { name: "Acme" } }));
  const operator = (path: string, ask?: object) => ok(waypost.operator(`/workspaces/${id}${path}`, ask));
  return {
    waypost,
    id: id as string,
    operator,
    list: (environment: string, query = ""): Effect.Effect<ReadonlyArray<any>> =>
      operator(`/${environment}/activity?limit=100${query}`),
  };
});

const actions = (entries: ReadonlyArray<any>) => entries.map(({ action }) => action).toReversed();

layer(TestWaypost.shared)("Activity of the operator", (it) => {
  it.effect("a change of a workspace is in the lists of both environments (S5)", () =>
    Effect.gen(function* () {
      const { id, list, operator } = yield* world;
      const body = { platform_api_enabled: true, plan: { max_campaigns: 7 } };
      for (let times = 0; times < 2; times++) yield* operator("", { method: "PATCH", body });
      for (const environment of ["sandbox", "production"]) {
        const entries = yield* list(environment);
        assert.deepStrictEqual(actions(entries), ["create", "update"]);
        const [{ actor, changes, resource }] = entries;
        assert.deepStrictEqual(actor, { type: "operator", id: null, name: "operator" });
        assert.deepStrictEqual(resource, { type: "workspace", id, name: "Acme" });
        assert.deepStrictEqual(changes.platform_api_enabled, { old: false, new: true });
        assert.strictEqual(changes["plan.max_campaigns"].new, 7);
        assert.lengthOf(Object.keys(changes), 2);
      }
    }),
  );

  it.effect("issued and revoked credentials are recorded in their environment without secrets (S5)", () =>
    Effect.gen(function* () {
      const { list, operator } = yield* world;
      const token = yield* operator("/tokens", {
        body: { name: "Shop", environment: "production", abilities: ["campaigns:read"] },
      });
      const key = yield* operator("/production/sdk-keys", { body: { name: "App" } });
      for (let times = 0; times < 2; times++) {
        yield* operator(`/tokens/${token.id}`, { method: "DELETE" });
        yield* operator(`/production/sdk-keys/${key.id}`, { method: "DELETE" });
      }
      for (const [type, { id, name }] of [
        ["token", token],
        ["sdk_key", key],
      ]) {
        const entries = yield* list("production", `&resource=${type}`);
        assert.deepStrictEqual(actions(entries), ["create", "revoke"]);
        assert.deepStrictEqual(entries[0].resource, { type, id, name });
        assert.deepStrictEqual(Object.keys(entries[0].changes), ["revoked_at"]);
        assert.deepStrictEqual(yield* list("sandbox", `&resource=${type}`), []);
      }
      const text = JSON.stringify(yield* list("production"));
      for (const secret of [token.token, key.sdk_key]) assert.notInclude(text, secret);
      assert.include(text, "campaigns:read");
    }),
  );

  it.effect("changed credentials of push services name their fields and no value (S5)", () =>
    Effect.gen(function* () {
      const { list, operator } = yield* world;
      const sent = { fcm: fcmCredentials(), apns: apnsCredentials(), webpush: webPushCredentials };
      for (const [transport, body] of Object.entries(sent)) {
        const path = `/sandbox/transports/${transport}`;
        for (let times = 0; times < 2; times++) yield* operator(path, { method: "PUT", body });
        yield* operator(path, { method: "DELETE" });
        const entries = yield* list("sandbox", `&resource=${transport}`);
        assert.deepStrictEqual(actions(entries), ["create", "delete"], transport);
        for (const { changes, resource } of entries) {
          assert.deepStrictEqual(resource, { type: "transport", id: transport, name: transport });
          assert.isNotEmpty(Object.keys(changes));
          for (const change of Object.values(changes)) assert.deepEqual(change, { old: null, new: null });
        }
      }
    }),
  );

  it.effect("changes of segments and approvals of devices write one entry each (S5)", () =>
    Effect.gen(function* () {
      const { list, operator, waypost } = yield* world;
      const segment = yield* operator("/sandbox/segments", { body: { name: "Gold", rule } });
      const path = `/sandbox/segments/${segment.id}`;
      for (let times = 0; times < 2; times++) {
        yield* operator(path, { method: "PATCH", body: { name: "Silver" } });
      }
      yield* operator(path, { method: "DELETE" });
      const ofSegment = yield* list("sandbox", `&resource=${segment.id}`);
      assert.deepStrictEqual(actions(ofSegment), ["create", "update", "delete"]);
      assert.deepStrictEqual(ofSegment[1].changes, { name: { old: "Gold", new: "Silver" } });

      const { sdk_key } = yield* operator("/sandbox/sdk-keys", { body: { name: "App" } });
      const body = { platform: "ios" };
      const device = yield* ok(waypost.device(sdk_key)("/devices/phone", { method: "PUT", body }));
      for (const approved of [true, true, false]) {
        yield* operator(`/sandbox/devices/${device.id}`, { method: "PATCH", body: { approved } });
      }
      const ofDevice = yield* list("sandbox", "&resource=device");
      assert.deepStrictEqual(
        ofDevice.map(({ changes, resource }) => [resource.id, resource.name, changes]),
        [true, false].map((old) => [device.id, "phone", { approved: { old, new: !old } }]),
      );
    }),
  );

  it.effect("changes of webhooks are recorded by both interfaces, without secrets (S5)", () =>
    Effect.gen(function* () {
      const { id, list, operator, waypost } = yield* world;
      yield* operator("", { method: "PATCH", body: { platform_api_enabled: true } });
      const { token } = yield* operator("/tokens", {
        body: { name: "Shop", environment: "sandbox", abilities: ["webhooks:read", "webhooks:write"] },
      });
      const platform = waypost.platform("sandbox", token);
      const url = "http://127.0.0.1:9/hook?token=hidden";
      const events = ["message.opened"];
      const made = yield* ok(platform("/webhooks", { body: { url, events, description: "CRM" } }));
      yield* operator(`/sandbox/webhooks/${made.id}`, { method: "PATCH", body: { url, events: ["*"] } });
      yield* operator(`/sandbox/webhooks/${made.id}`, { method: "PATCH", body: { status: "disabled" } });
      yield* operator(`/sandbox/webhooks/${made.id}`, { method: "PATCH", body: { status: "disabled" } });
      const renewed = yield* ok(platform(`/webhooks/${made.id}/secret`, { method: "POST" }));
      yield* ok(platform(`/webhooks/${made.id}`, { method: "DELETE" }));
      const entries = (yield* list("sandbox", "&resource=webhook")).toReversed();
      assert.deepStrictEqual(
        entries.map(({ action, actor, changes }) => [
          action,
          actor.type,
          Object.keys(changes).toSorted().join(" "),
        ]),
        [
          ["create", "token", "batch description events status url"],
          ["update", "operator", "description events"],
          ["update", "operator", "status"],
          ["update", "token", "secret"],
          ["delete", "token", "batch events status url"],
        ],
      );
      assert.deepStrictEqual(entries[0].resource, { type: "webhook", id: made.id, name: "CRM" });
      assert.deepStrictEqual(entries[3].changes.secret, { old: null, new: null });
      const text = JSON.stringify(yield* ok(waypost.operator(`/workspaces/${id}/sandbox/activity`)));
      for (const secret of ["hidden", made.secret, renewed.secret]) assert.notInclude(text, secret);
    }),
  );
});
