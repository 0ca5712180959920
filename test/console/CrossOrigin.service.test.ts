import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { asker, TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { sessionClient, signIn } from "./TestSession.ts";

layer(TestWaypost.layer)("requests of other sites", (it) => {
  it.effect(
    "a session's cookie works for pages of the same origin only (console.csrf, errors.cross_origin)",
    () =>
      Effect.gen(function* () {
        const { origin } = yield* TestWaypost;
        const { cookie } = yield* signIn(origin, { access_key: testOperatorKey });
        const ask = asker(origin, null);
        const refused = [
          {},
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { "sec-fetch-site": "none" },
          { origin: "null" },
          { origin: "https://evil.example" },
          { origin: `${origin}.evil.example` },
        ];
        for (const headers of refused) {
          for (const [path, method] of [
            ["/operator/v1/workspaces", "GET"],
            ["/operator/v1/workspaces", "POST"],
            ["/platform/v1/campaigns", "DELETE"],
            ["/console/session", "DELETE"],
            ["/console/session", "GET"],
          ] as const) {
            const answer = yield* ask(path, { method, headers: { cookie, ...headers } });
            assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "cross_origin"], path);
          }
        }
        // A form of another site sends text and no JSON.
        const form = yield* ask("/operator/v1/workspaces", {
          method: "POST",
          body: '{"name":"Evil"}',
          headers: { cookie, origin: "https://evil.example", "content-type": "text/plain" },
        });
        assert.strictEqual(form.status, 403);
        assert.strictEqual(
          (yield* ask("/operator/v1/workspaces", { headers: { cookie, origin } })).status,
          200,
        );
        assert.strictEqual((yield* ask("/console/session", { headers: { cookie, origin } })).status, 200);
      }),
  );

  it.effect("another site cannot sign a browser in (console.csrf)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const answer = yield* asker(origin, null)("/console/session", {
        body: { access_key: testOperatorKey },
        headers: { origin: "https://evil.example" },
      });
      assert.deepStrictEqual([answer.status, answer.headers.get("set-cookie")], [403, null]);
    }),
  );

  it.effect("a request with its own token ignores the cookie (console.csrf)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const { cookie } = yield* signIn(origin, { access_key: testOperatorKey });
      const ask = asker(`${origin}/sandbox/platform/v1`, tokens.sandbox);
      assert.strictEqual((yield* ask("/me", { headers: { cookie } })).status, 200);
      const device = yield* asker(origin, null)("/device/v1/messages", { headers: { cookie } });
      assert.strictEqual(device.status, 401);
    }),
  );

  it.effect("a one-time address signs the operator in once, for 15 minutes (console.code)", () =>
    Effect.gen(function* () {
      const { operator, origin } = yield* TestWaypost;
      const issue = Effect.map(operator("/console/addresses", { method: "POST" }), ({ body }) => body.data);
      const { expires_at: expiresAt, url } = yield* issue;
      assert.match(url, new RegExp(`^${origin}/console/sign-in#wpo_\\w{38}$`));
      assert.strictEqual(expiresAt, "2026-11-21T12:15:00+00:00");
      const [, code] = url.split("#");
      // Loading the page spends nothing: the code is in the fragment, which no request has.
      assert.strictEqual((yield* sessionClient(origin)("/console/sign-in")).status, 200);
      const first = yield* signIn(origin, { code, name: "Kim" });
      assert.deepStrictEqual([first.answer.status, first.answer.body.data.kind], [201, "operator"]);
      const replayed = yield* signIn(origin, { code });
      assert.deepStrictEqual(
        [replayed.answer.status, replayed.answer.body.error.code, replayed.cookie],
        [401, "invalid_token", ""],
      );
      const late = yield* issue;
      yield* TestClock.adjust("15 minutes");
      assert.strictEqual((yield* signIn(origin, { code: late.url.split("#")[1] })).answer.status, 401);
    }),
  );

  it.effect("only the operator issues one-time addresses (console.code)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const { ask } = yield* signIn(origin, { access_key: tokens.sandbox });
      assert.strictEqual((yield* ask("/operator/v1/console/addresses", { method: "POST" })).status, 403);
    }),
  );
});
