import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { abilities } from "../../src/access/Ability.ts";
import { defaultPlan } from "../../src/workspaces/Plan.ts";
import { type Answer, testStart, TestWaypost } from "../TestWaypost.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const codeOf = ({ body, status }: Answer) => [status, body.error?.code];
const fieldsOf = ({ body }: Answer) => Object.keys(body.error?.fields ?? {}).toSorted();

/** All items of a list, read in pages of two. */
const everything = (ask: TestWaypost["Service"]["operator"], path: string) =>
  Effect.gen(function* () {
    const items: Array<{ id: string }> = [];
    for (let pages = 0, cursor = ""; pages < 100; pages++) {
      const page = yield* ask(`${path}${path.includes("?") ? "&" : "?"}limit=2${cursor}`);
      assert.strictEqual(page.status, 200);
      items.push(...page.body.data);
      if (page.body.meta.next_cursor === null) return items;
      cursor = `&cursor=${encodeURIComponent(page.body.meta.next_cursor)}`;
    }
    return items;
  });
layer(TestWaypost.layer)("The operator interface", (it) => {
  it.effect(
    "a new workspace has UTC, no full API in Production and the default plan " +
      "(I1.2, operator.status, operator.workspace, operator.workspace_fields)",
    () =>
      Effect.gen(function* () {
        const { operator } = yield* TestWaypost;
        yield* TestClock.setTime(testStart);
        const { body, status } = yield* operator("/workspaces", { body: { name: "  Acme  " } });
        assert.strictEqual(status, 201);
        assert.deepStrictEqual(body.data, {
          id: body.data.id,
          name: "Acme",
          timezone: "UTC",
          platform_api_enabled: false,
          deletion_scheduled_at: null,
          trial_ended: false,
          user_hash_required: false,
          default_frequency_cap: null,
          quiet_hours: null,
          max_per_minute: null,
          plan: defaultPlan,
          created_at: "2026-11-21T12:00:00+00:00",
          updated_at: "2026-11-21T12:00:00+00:00",
        });
        const custom = yield* operator("/workspaces", {
          body: { name: "Blue", timezone: "Europe/Amsterdam", plan: { max_campaigns: 3, surveys: false } },
        });
        assert.strictEqual(custom.body.data.timezone, "Europe/Amsterdam");
        assert.deepStrictEqual(custom.body.data.plan, { ...defaultPlan, max_campaigns: 3, surveys: false });
        const read = yield* operator(`/workspaces/${custom.body.data.id}`);
        assert.deepStrictEqual(read.body, custom.body);
      }),
  );

  it.effect(
    "a change keeps missing fields, merges the plan by key, and null removes the cap " +
      "(operator.status, operator.workspace_update)",
    () =>
      Effect.gen(function* () {
        const { operator } = yield* TestWaypost;
        yield* TestClock.setTime(testStart);
        const { body } = yield* operator("/workspaces", { body: { name: "A", plan: { max_campaigns: 3 } } });
        const path = `/workspaces/${body.data.id}`;
        yield* TestClock.adjust("1 minute");
        const changed = yield* operator(path, {
          method: "PATCH",
          body: {
            platform_api_enabled: true,
            trial_ended: true,
            default_frequency_cap: { count: 2, period: "week" },
            deletion_scheduled: true,
            plan: { max_locations: null },
          },
        });
        assert.strictEqual(changed.status, 200);
        assert.deepStrictEqual(changed.body.data, {
          ...body.data,
          platform_api_enabled: true,
          trial_ended: true,
          default_frequency_cap: { count: 2, period: "week" },
          deletion_scheduled_at: "2026-11-21T12:01:00+00:00",
          plan: { ...defaultPlan, max_campaigns: 3, max_locations: null },
          updated_at: "2026-11-21T12:01:00+00:00",
        });
        const back = yield* operator(path, {
          method: "PATCH",
          body: { default_frequency_cap: null, deletion_scheduled: false, name: "Acme 2" },
        });
        assert.strictEqual(back.body.data.default_frequency_cap, null);
        assert.strictEqual(back.body.data.deletion_scheduled_at, null);
        assert.strictEqual(back.body.data.name, "Acme 2");
        assert.isTrue(back.body.data.trial_ended);
      }),
  );

  it.effect("all problems of a body are reported together, by dotted name (B4, operator.envelope)", () =>
    Effect.gen(function* () {
      const { operator, workspace } = yield* TestWaypost;
      const bad = yield* operator("/workspaces", {
        body: { name: " ", timezone: "Europe/Nowhere", plan: { max_campaigns: -1, surveys: "yes" } },
      });
      assert.deepStrictEqual(codeOf(bad), [422, "validation_failed"]);
      assert.deepStrictEqual(fieldsOf(bad), ["name", "plan.max_campaigns", "plan.surveys", "timezone"]);
      const { id } = yield* workspace();
      const token = yield* operator(`/workspaces/${id}/tokens`, {
        body: { environment: "staging", abilities: ["campaigns:read", "everything"], expires_at: "soon" },
      });
      assert.deepStrictEqual(fieldsOf(token), ["abilities.1", "environment", "expires_at", "name"]);
      const cap = yield* operator(`/workspaces/${id}`, {
        method: "PATCH",
        body: { default_frequency_cap: { count: 0 }, trial_ended: "no" },
      });
      assert.deepStrictEqual(fieldsOf(cap), [
        "default_frequency_cap.count",
        "default_frequency_cap.period",
        "trial_ended",
      ]);
    }),
  );

  it.effect(
    "lists page through everything once, newest first, and their cursors fit no other list " +
      "(D1.2, D2, operator.envelope)",
    () =>
      Effect.gen(function* () {
        const { operator, workspace } = yield* TestWaypost;
        const { id } = yield* workspace();
        const other = yield* workspace();
        const issued: Array<string> = [];
        for (const name of ["a", "b", "c", "d", "e"]) {
          const made = yield* operator(`/workspaces/${id}/production/sdk-keys`, { body: { name } });
          issued.unshift(made.body.data.id);
        }
        const listed = yield* everything(operator, `/workspaces/${id}/production/sdk-keys`);
        const ids = listed.map((key) => key.id);
        assert.deepStrictEqual(ids, issued);
        const { meta } = (yield* operator(`/workspaces/${id}/production/sdk-keys?limit=1`)).body;
        const cursor = `?cursor=${meta.next_cursor}`;
        for (const tenant of [`${id}/sandbox`, `${other.id}/production`]) {
          const foreign = yield* operator(`/workspaces/${tenant}/sdk-keys${cursor}`);
          assert.deepStrictEqual(codeOf(foreign), [422, "invalid_cursor"]);
        }
        const workspaces = yield* everything(operator, "/workspaces");
        assert.isTrue(workspaces.some((each) => each.id === id));
        assert.strictEqual(new Set(workspaces.map((each) => each.id)).size, workspaces.length);
        assert.deepStrictEqual(codeOf(yield* operator("/workspaces?limit=0")), [422, "invalid_parameter"]);
      }),
  );

  it.effect(
    "a token is shown once, works in its environment, and ends when it is revoked " +
      "(A4, auth.1, operator.tokens, operator.tokens_revoke)",
    () =>
      Effect.gen(function* () {
        const { operator, platform, workspace } = yield* TestWaypost;
        const { id } = yield* workspace();
        const made = yield* operator(`/workspaces/${id}/tokens`, {
          body: { name: "Sync", environment: "sandbox", abilities, expires_at: "2027-01-01" },
        });
        assert.strictEqual(made.status, 201);
        const { token, ...shown } = made.body.data;
        assert.match(token, /^wps_/);
        assert.deepStrictEqual(shown, {
          id: shown.id,
          name: "Sync",
          environment: "sandbox",
          abilities,
          expires_at: "2027-01-01T00:00:00+00:00",
          revoked_at: null,
          last_used_at: null,
          created_at: shown.created_at,
        });
        const listed = yield* operator(`/workspaces/${id}/tokens`);
        assert.deepStrictEqual(listed.body, { data: [shown], meta: { next_cursor: null } });
        assert.strictEqual((yield* platform("sandbox", token)("/me")).status, 200);
        const revoked = yield* operator(`/workspaces/${id}/tokens/${shown.id}`, { method: "DELETE" });
        assert.deepStrictEqual(
          [revoked.status, revoked.body],
          [200, { data: { id: shown.id, deleted: true } }],
        );
        assert.deepStrictEqual(codeOf(yield* platform("sandbox", token)("/me")), [401, "token_revoked"]);
        const after = yield* operator(`/workspaces/${id}/tokens`);
        assert.isNotNull(after.body.data[0].revoked_at);
      }),
  );

  it.effect("an SDK key is shown once, and registers devices until it is revoked (operator.sdk_keys)", () =>
    Effect.gen(function* () {
      const { device, operator, workspace } = yield* TestWaypost;
      const { id } = yield* workspace();
      const made = yield* operator(`/workspaces/${id}/sandbox/sdk-keys`, { body: { name: "iOS app" } });
      assert.strictEqual(made.status, 201);
      const { sdk_key: key, ...shown } = made.body.data;
      assert.match(key, /^wpk_/);
      const listed = yield* operator(`/workspaces/${id}/sandbox/sdk-keys`);
      assert.deepStrictEqual(listed.body.data, [shown]);
      const register = device(key)("/devices/one", { method: "PUT", body: { platform: "ios" } });
      assert.strictEqual((yield* register).status, 201);
      const revoked = yield* operator(`/workspaces/${id}/sandbox/sdk-keys/${shown.id}`, { method: "DELETE" });
      assert.deepStrictEqual(revoked.body, { data: { id: shown.id, deleted: true } });
      assert.deepStrictEqual(codeOf(yield* register), [401, "token_revoked"]);
    }),
  );

  it.effect(
    "devices are listed by approval and platform, and approved one by one " +
      "(operator.approve, operator.devices)",
    () =>
      Effect.gen(function* () {
        const { device, operator, workspace } = yield* TestWaypost;
        const { id } = yield* workspace();
        const { sdk_key: key } = (yield* operator(`/workspaces/${id}/sandbox/sdk-keys`, {
          body: { name: "App" },
        })).body.data;
        const ids: Array<string> = [];
        for (const [name, platform] of Object.entries({ one: "ios", two: "android", three: "ios" })) {
          const made = yield* device(key)(`/devices/${name}`, { method: "PUT", body: { platform } });
          ids.push(made.body.data.id);
        }
        const [one = "", two = "", three = ""] = ids;
        const path = `/workspaces/${id}/sandbox/devices`;
        const approved = yield* operator(`${path}/${three}`, { method: "PATCH", body: { approved: true } });
        assert.deepStrictEqual([approved.status, approved.body.data.approved], [200, true]);
        const list = (query: string) =>
          Effect.map(everything(operator, path + query), (all) => all.map((d) => d.id));
        assert.deepStrictEqual(yield* list(""), [three, two, one]);
        assert.deepStrictEqual(yield* list("?approved=true"), [three]);
        assert.deepStrictEqual(yield* list("?approved=false"), [two, one]);
        assert.deepStrictEqual(yield* list("?platform=ios"), [three, one]);
        assert.deepStrictEqual(yield* list("?platform=ios&approved=false"), [one]);
        const bad = yield* operator(`${path}?approved=maybe&platform=toaster&limit=x`);
        assert.deepStrictEqual(codeOf(bad), [422, "invalid_parameter"]);
        assert.deepStrictEqual(fieldsOf(bad), ["approved", "limit", "platform"]);
        const none = yield* operator(`${path}/${three}`, { method: "PATCH", body: {} });
        assert.deepStrictEqual([none.status, fieldsOf(none)], [422, ["approved"]]);
        const elsewhere = yield* operator(`/workspaces/${id}/production/devices/${three}`, {
          method: "PATCH",
          body: { approved: true },
        });
        assert.deepStrictEqual(codeOf(elsewhere), [404, "not_found"]);
      }),
  );

  it.effect(
    "an unknown id is 404 before problems of the body, and a wrong method is 405 " +
      "(B1, B2, operator.envelope, operator.foreign)",
    () =>
      Effect.gen(function* () {
        const { operator, workspace } = yield* TestWaypost;
        const { id } = yield* workspace();
        const asks: ReadonlyArray<readonly [string, string]> = [
          ["GET", `/workspaces/${nobody}`],
          ["PATCH", `/workspaces/${nobody}`],
          ["PATCH", "/workspaces/acme"],
          ["POST", `/workspaces/${nobody}/tokens`],
          ["GET", `/workspaces/${nobody}/tokens`],
          ["DELETE", `/workspaces/${id}/tokens/${nobody}`],
          ["DELETE", `/workspaces/${id}/tokens/mine`],
          ["POST", `/workspaces/${id}/staging/sdk-keys`],
          ["GET", `/workspaces/${id}/staging/sdk-keys`],
          ["POST", `/workspaces/${nobody}/sandbox/sdk-keys`],
          ["DELETE", `/workspaces/${id}/sandbox/sdk-keys/${nobody}`],
          ["GET", `/workspaces/${id}/staging/devices`],
          ["PATCH", `/workspaces/${id}/sandbox/devices/${nobody}`],
          ["PATCH", `/workspaces/${id}/sandbox/devices/mine`],
          ["GET", "/workspace"],
        ];
        for (const [method, path] of asks) {
          const body = method === "POST" || method === "PATCH" ? { body: "not json" } : {};
          const answer = yield* operator(path, { method, ...body });
          assert.deepStrictEqual([path, ...codeOf(answer)], [path, 404, "not_found"]);
        }
        const put = yield* operator("/workspaces", { method: "PUT", body: {} });
        assert.deepStrictEqual(codeOf(put), [405, "method_not_allowed"]);
        assert.strictEqual(put.headers.get("allow"), "GET, HEAD, POST");
        const xml = yield* operator("/workspaces", {
          body: "<name/>",
          headers: { "content-type": "application/xml" },
        });
        assert.deepStrictEqual(codeOf(xml), [415, "unsupported_media_type"]);
      }),
  );

  it.effect("a token can be revoked only through its own workspace (operator.tokens_revoke)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const mine = yield* waypost.workspace();
      const theirs = yield* waypost.workspace();
      const { id, token } = yield* waypost.token(theirs, "sandbox");
      const path = `/workspaces/${mine.id}/tokens/${id}`;
      assert.strictEqual((yield* waypost.operator(path, { method: "DELETE" })).status, 404);
      assert.strictEqual((yield* waypost.platform("sandbox", token)("/me")).status, 200);
    }),
  );
});
