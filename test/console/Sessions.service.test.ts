import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { sessionClient, signIn } from "./TestSession.ts";

const statusAndCode = ({ body, status }: { readonly status: number; readonly body: any }) => [
  status,
  body.error?.code,
];

layer(TestWaypost.layer)("sessions of the console", (it) => {
  it.effect("the operator key opens a session for all workspaces (console.signin)", () =>
    Effect.gen(function* () {
      const { origin, workspace } = yield* TestWaypost;
      const { id, name } = yield* workspace();
      const { answer, ask } = yield* signIn(origin, { access_key: ` ${testOperatorKey} `, name: "Kim" });
      assert.strictEqual(answer.status, 201);
      assert.match(
        answer.headers.get("set-cookie") ?? "",
        /^waypost_session_\d+=wpc_\w{38}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      const { data } = answer.body;
      assert.deepStrictEqual([data.kind, data.name, data.workspace], ["operator", "Kim", null]);
      assert.deepStrictEqual((yield* ask("/console/session")).body.data, data);
      const listed = yield* ask("/operator/v1/workspaces");
      assert.include(
        listed.body.data.map((each: { readonly id: string }) => each.id),
        id,
      );
      const me = yield* ask("/sandbox/platform/v1/me", { headers: { "waypost-workspace": id } });
      assert.deepStrictEqual([me.status, me.body.data.workspace.name], [200, name]);
      assert.isNull(me.headers.get("x-ratelimit-limit"));
      const unnamed = yield* ask("/platform/v1/me");
      assert.deepStrictEqual(statusAndCode(unnamed), [422, "invalid_parameter"]);
      const other = yield* ask("/platform/v1/me", { headers: { "waypost-workspace": "none" } });
      assert.deepStrictEqual(statusAndCode(other), [422, "invalid_parameter"]);
      const made = yield* ask("/sandbox/platform/v1/campaigns", {
        headers: { "waypost-workspace": id },
        body: { name: "Autumn", type: "PUSH", start_date: "2026-12-01", timezone: "UTC" },
      });
      assert.notInclude([401, 403, 500], made.status);
    }),
  );

  it.effect("a token opens a session of its workspace, environment and abilities (console.signin)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant({ abilities: ["reports:read"] });
      const { answer, ask } = yield* signIn(origin, { access_key: tokens.sandbox });
      const { abilities, environment, kind, workspace: shown } = answer.body.data;
      assert.deepStrictEqual([kind, environment, abilities], ["token", "sandbox", ["reports:read"]]);
      assert.strictEqual(shown.id, workspace.id);
      assert.strictEqual((yield* ask("/sandbox/platform/v1/me")).status, 200);
      assert.deepStrictEqual(statusAndCode(yield* ask("/platform/v1/me")), [403, "wrong_environment"]);
      const refused = yield* ask("/operator/v1/workspaces");
      assert.deepStrictEqual(statusAndCode(refused), [403, "missing_ability"]);
      const lacking = yield* ask("/sandbox/platform/v1/campaigns");
      assert.deepStrictEqual(statusAndCode(lacking), [403, "missing_ability"]);
    }),
  );

  it.effect("the activity log names the person of a session, else the token (console.signin, S5)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant();
      const headers = { "waypost-workspace": workspace.id };
      const rule = { match: "all", conditions: [{ attribute: "city", op: "exists", value: true }] };
      const person = yield* signIn(origin, { access_key: testOperatorKey, name: "Kim" });
      const nameless = yield* signIn(origin, { access_key: tokens.sandbox });
      for (const { ask } of [person, nameless]) {
        const made = yield* ask("/sandbox/platform/v1/segments", {
          headers,
          body: { name: `Segment ${ask === person.ask}`, rule },
        });
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      }
      const { body } = yield* person.ask("/sandbox/platform/v1/activity", { headers });
      assert.deepStrictEqual(
        body.data.map((entry: { readonly actor: object }) => entry.actor),
        [
          { type: "session", id: nameless.answer.body.data.id, name: "Test token" },
          { type: "session", id: person.answer.body.data.id, name: "Kim" },
        ],
      );
    }),
  );

  it.effect("unknown keys are refused at the field and throttled (console.signin, I2)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const empty = yield* signIn(origin, { name: "x".repeat(81) });
      assert.strictEqual(empty.answer.status, 422);
      assert.hasAllKeys(empty.answer.body.error.fields, ["access_key", "name"]);
      for (let attempt = 1; attempt <= 20; attempt++) {
        const { answer } = yield* signIn(origin, { access_key: `wrong ${attempt}` });
        assert.deepStrictEqual(answer.body.error, {
          code: "invalid_token",
          message: "This key is not known.",
        });
        assert.isNull(answer.headers.get("set-cookie"));
      }
      const { answer } = yield* signIn(origin, { access_key: "wrong" });
      assert.deepStrictEqual(statusAndCode(answer), [429, "too_many_failed_attempts"]);
      assert.isNotNull(answer.headers.get("retry-after"));
      assert.strictEqual((yield* signIn(origin, { access_key: testOperatorKey })).answer.status, 201);
      yield* TestClock.adjust("2 minutes");
    }),
  );

  it.effect("a session ends with its token, and a revoked token opens none (console.session)", () =>
    Effect.gen(function* () {
      const { operator, origin, token, workspace } = yield* TestWaypost;
      const own = yield* workspace();
      const issued = yield* token(own, "sandbox");
      const { ask } = yield* signIn(origin, { access_key: issued.token });
      assert.strictEqual((yield* ask("/sandbox/platform/v1/me")).status, 200);
      yield* operator(`/workspaces/${own.id}/tokens/${issued.id}`, { method: "DELETE" });
      assert.deepStrictEqual(statusAndCode(yield* ask("/sandbox/platform/v1/me")), [401, "token_revoked"]);
      assert.isNull((yield* ask("/console/session")).body.data);
      const again = yield* signIn(origin, { access_key: issued.token });
      assert.deepStrictEqual(statusAndCode(again.answer), [401, "token_revoked"]);
    }),
  );

  it.effect("a session ends after 12 hours (console.session)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { ask } = yield* signIn(origin, { access_key: testOperatorKey });
      yield* TestClock.adjust("719 minutes");
      assert.strictEqual((yield* ask("/operator/v1/workspaces")).status, 200);
      yield* TestClock.adjust("1 minute");
      assert.deepStrictEqual(statusAndCode(yield* ask("/operator/v1/workspaces")), [401, "unauthenticated"]);
      assert.isNull((yield* ask("/console/session")).body.data);
    }),
  );

  it.effect("a cookie that was copied before signing out is worthless after it (console.session)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { ask, cookie } = yield* signIn(origin, { access_key: testOperatorKey });
      const left = yield* ask("/console/session", { method: "DELETE" });
      assert.strictEqual(left.status, 200);
      assert.match(left.headers.get("set-cookie") ?? "", /^waypost_session_\d+=; Max-Age=0;/);
      assert.strictEqual(left.headers.get("clear-site-data"), '"cache"');
      const stolen = yield* sessionClient(origin, cookie)("/operator/v1/workspaces");
      assert.deepStrictEqual(statusAndCode(stolen), [401, "unauthenticated"]);
    }),
  );

  it.effect(
    "signing in ends the session that the browser had, and never keeps its cookie (console.session)",
    () =>
      Effect.gen(function* () {
        const { origin, tenant } = yield* TestWaypost;
        const { tokens } = yield* tenant();
        // An attacker plants the cookie of a session of their own.
        const planted = yield* signIn(origin, { access_key: tokens.sandbox });
        const own = yield* signIn(origin, { access_key: testOperatorKey }, { cookie: planted.cookie });
        assert.notStrictEqual(own.cookie, planted.cookie);
        const reused = yield* planted.ask("/sandbox/platform/v1/me");
        assert.deepStrictEqual(statusAndCode(reused), [401, "unauthenticated"]);
        assert.strictEqual((yield* own.ask("/operator/v1/workspaces")).status, 200);
        // A made-up cookie does not become a session.
        const made = yield* signIn(
          origin,
          { access_key: testOperatorKey },
          { cookie: `${own.cookie.split("=")[0]}=wpc_mine` },
        );
        assert.notInclude(made.cookie, "wpc_mine");
      }),
  );

  it.effect("a tab of the previous session does not act for the next one (console.session)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const first = yield* signIn(origin, { access_key: tokens.sandbox });
      const second = yield* signIn(origin, { access_key: tokens.sandbox }, { cookie: first.cookie });
      const asTab = (id: string) =>
        second.ask("/sandbox/platform/v1/me", { headers: { "waypost-session": id } });
      assert.strictEqual((yield* asTab(second.answer.body.data.id)).status, 200);
      const stale = yield* asTab(first.answer.body.data.id);
      assert.deepStrictEqual(statusAndCode(stale), [401, "unauthenticated"]);
    }),
  );

  it.effect("a session's requests do not count towards those of its workspace (console.rate, I1)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { sandbox, tokens } = yield* tenant({ plan: { sandbox_requests_per_minute: 1 } });
      const { ask } = yield* signIn(origin, { access_key: tokens.sandbox });
      for (let request = 0; request < 5; request++)
        assert.strictEqual((yield* ask("/sandbox/platform/v1/me")).status, 200);
      assert.strictEqual((yield* sandbox("/me")).status, 200);
      assert.strictEqual((yield* sandbox("/me")).status, 429);
      assert.strictEqual((yield* ask("/sandbox/platform/v1/me")).status, 200);
    }),
  );

  it.effect("a session has 600 requests a minute (console.rate)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { ask } = yield* signIn(origin, { access_key: testOperatorKey });
      const show = ask("/console/session");
      yield* Effect.all(
        Array.from({ length: 600 }, () => show),
        { concurrency: 10, discard: true },
      );
      const refused = yield* show;
      assert.deepStrictEqual(statusAndCode(refused), [429, "rate_limited"]);
      assert.strictEqual(refused.headers.get("retry-after"), "60");
      yield* TestClock.adjust("1 minute");
      assert.strictEqual((yield* show).status, 200);
    }),
  );
});
