import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestClock } from "effect/testing";
import { Settings } from "../../src/config/Settings.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { sessionClient, signIn } from "./TestSession.ts";

const list = "/operator/v1/console/sessions";

const codeOf = ({ body, status }: { readonly status: number; readonly body: any }) => [
  status,
  body.error?.code,
];

/** Waypost behind a proxy on this machine. */
const { trustedProxies } = Effect.runSync(Settings.fromRecord({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1" }));

layer(TestWaypost.layer)("the list of sessions", (it) => {
  it.effect("the operator sees who is signed in, since when and from where (console.sessions)", () =>
    Effect.gen(function* () {
      const { operator, origin, tenant } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant();
      const agent = { "user-agent": "x".repeat(300), "x-forwarded-for": "203.0.113.7" };
      const reader = yield* signIn(origin, { access_key: tokens.sandbox, name: "Ada" }, agent);
      yield* TestClock.adjust("1 minute");
      const own = yield* signIn(origin, { access_key: testOperatorKey }, { "user-agent": "Browser/1" });
      yield* reader.ask("/sandbox/platform/v1/me");
      const { body } = yield* own.ask(list);
      const [first, second] = body.data;
      assert.deepStrictEqual(first, {
        id: own.answer.body.data.id,
        kind: "operator",
        name: null,
        token: null,
        workspace: null,
        environment: null,
        created_at: "2026-11-21T12:01:00+00:00",
        last_used_at: "2026-11-21T12:01:00+00:00",
        expires_at: "2026-11-22T00:01:00+00:00",
        address: "127.0.0.1",
        last_address: "127.0.0.1",
        user_agent: "Browser/1",
        is_current: true,
      });
      assert.strictEqual(second.token.name, "Test token");
      assert.deepInclude(second, {
        id: reader.answer.body.data.id,
        kind: "token",
        name: "Ada",
        workspace: { id: workspace.id, name: workspace.name },
        environment: "sandbox",
        last_used_at: "2026-11-21T12:01:00+00:00",
        // The header of a peer that is no trusted proxy is not believed.
        address: "127.0.0.1",
        user_agent: "x".repeat(255),
        is_current: false,
      });
      const byKey = yield* operator("/console/sessions?limit=1");
      assert.deepStrictEqual(byKey.body.data, [{ ...first, is_current: false }]);
      const next = yield* operator(`/console/sessions?cursor=${byKey.body.meta.next_cursor}`);
      assert.strictEqual(next.body.data[0].id, second.id);
      for (const [path, method] of [
        [list, "GET"],
        [list, "DELETE"],
        [`${list}/${first.id}`, "DELETE"],
      ] as const)
        assert.deepStrictEqual(codeOf(yield* reader.ask(path, { method })), [403, "missing_ability"]);
    }),
  );

  it.effect("an ended session is refused at its next request, and no other is (console.sessions)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const own = yield* signIn(origin, { access_key: testOperatorKey });
      const other = yield* signIn(origin, { access_key: testOperatorKey });
      const { id } = other.answer.body.data;
      const end = own.ask(`${list}/${id.toUpperCase()}`, { method: "DELETE" });
      assert.deepStrictEqual((yield* end).body, { data: { id, deleted: true } });
      assert.deepStrictEqual(codeOf(yield* end), [404, "not_found"]);
      assert.deepStrictEqual(codeOf(yield* other.ask(list)), [401, "unauthenticated"]);
      assert.strictEqual((yield* own.ask(list)).status, 200);
      for (const unknown of [randomUUID(), "nobody"])
        assert.strictEqual((yield* own.ask(`${list}/${unknown}`, { method: "DELETE" })).status, 404);
    }),
  );

  it.effect("all others are ended, or all (console.sessions)", () =>
    Effect.gen(function* () {
      const { operator, origin, tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const stolen = yield* signIn(origin, { access_key: testOperatorKey });
      const own = yield* signIn(origin, { access_key: testOperatorKey });
      const reader = yield* signIn(origin, { access_key: tokens.sandbox });
      const wrong = yield* own.ask(`${list}?keep_current=yes`, { method: "DELETE" });
      assert.deepStrictEqual(codeOf(wrong), [422, "invalid_parameter"]);
      const ended = yield* own.ask(`${list}?keep_current=true`, { method: "DELETE" });
      assert.isAtLeast(ended.body.data.ended, 2);
      assert.strictEqual((yield* stolen.ask(list)).status, 401);
      assert.strictEqual((yield* reader.ask("/sandbox/platform/v1/me")).status, 401);
      assert.lengthOf((yield* own.ask(list)).body.data, 1);
      // The key has no session to keep.
      const all = yield* operator("/console/sessions?keep_current=true", { method: "DELETE" });
      assert.deepStrictEqual(all.body, { data: { ended: 1 } });
      assert.strictEqual((yield* own.ask(list)).status, 401);
      assert.deepStrictEqual((yield* operator("/console/sessions")).body.data, []);
      const again = yield* signIn(origin, { access_key: testOperatorKey });
      yield* again.ask(list, { method: "DELETE" });
      assert.strictEqual((yield* again.ask(list)).status, 401);
    }),
  );

  it.effect("a session of a token that was revoked is not listed (console.sessions)", () =>
    Effect.gen(function* () {
      const { operator, origin, token, workspace } = yield* TestWaypost;
      const made = yield* workspace();
      const issued = yield* token(made, "sandbox");
      yield* signIn(origin, { access_key: issued.token });
      const ofToken = Effect.map(operator("/console/sessions"), ({ body }) =>
        body.data.filter((each: any) => each.token?.id === issued.id),
      );
      assert.lengthOf(yield* ofToken, 1);
      yield* operator(`/workspaces/${made.id}/tokens/${issued.id}`, { method: "DELETE" });
      assert.lengthOf(yield* ofToken, 0);
    }),
  );

  it.effect("a session of the operator issues no one-time address, however it asks (console.code)", () =>
    Effect.gen(function* () {
      const { operator, origin } = yield* TestWaypost;
      const path = "/operator/v1/console/addresses";
      const { body } = yield* operator("/console/addresses", { method: "POST" });
      const byCode = yield* signIn(origin, { code: body.data.url.split("#")[1] });
      const byKey = yield* signIn(origin, { access_key: testOperatorKey, name: "operator" });
      for (const { ask, cookie } of [byCode, byKey]) {
        for (const headers of [
          {},
          { "waypost-session": "" },
          { origin },
          { "waypost-workspace": "x" },
        ] as const) {
          const refused = yield* sessionClient(origin, cookie)(path, { method: "POST", headers });
          assert.include([401, 403], refused.status, JSON.stringify(headers));
          assert.notProperty(refused.body, "data");
        }
        assert.deepStrictEqual(codeOf(yield* ask(path, { method: "POST" })), [403, "missing_ability"]);
      }
    }),
  );
});

layer(TestWaypost.layerWith({ trustedProxies }))("sessions behind a trusted proxy", (it) => {
  it.effect("the addresses are those that the proxy names, at sign-in and at last (console.sessions)", () =>
    Effect.gen(function* () {
      const { operator, origin } = yield* TestWaypost;
      const { ask } = yield* signIn(
        origin,
        { access_key: testOperatorKey },
        { "x-forwarded-for": "198.51.100.1, 203.0.113.7" },
      );
      yield* ask("/console/session", { headers: { "x-forwarded-for": "2001:db8::1" } });
      const [session] = (yield* operator("/console/sessions")).body.data;
      assert.deepInclude(session, { address: "203.0.113.7", last_address: "2001:db8::1" });
    }),
  );
});
