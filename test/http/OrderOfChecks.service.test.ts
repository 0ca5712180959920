import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { Tokens } from "../../src/access/Tokens.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { asker, testOperatorKey, TestWaypost, testStart } from "../TestWaypost.ts";

const unknownToken = (valid: string) => valid.slice(0, -1) + (valid.endsWith("0") ? "1" : "0");

layer(TestWaypost.layer)("Order of checks", (it) => {
  it.effect(
    "a bad token is 401 whatever else is wrong with the request " +
      "(B1, B2.2, auth.9, errors.invalid_token, errors.missing_token)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { tokens } = yield* waypost.tenant();
        const nobody = waypost.platform("production", null);
        for (const [path, ask] of [
          ["/me", {}],
          ["/no/such/path", {}],
          ["/campaigns", { method: "POST", body: "{ broken", headers: { "content-type": "text/csv" } }],
          ["/campaigns?limit=900", { method: "PUT" }],
        ] as const) {
          const missing = yield* nobody(path, ask);
          assert.strictEqual(missing.status, 401, path);
          assert.strictEqual(missing.body.error.code, "missing_token");
        }
        const unknown = yield* waypost.platform(
          "production",
          unknownToken(tokens.production),
        )("/no/such/path");
        assert.strictEqual(unknown.status, 401);
        assert.strictEqual(unknown.body.error.code, "invalid_token");
        assert.isUndefined(unknown.body.error.fields);
      }),
  );

  it.effect("an empty bearer credential is missing_token (B2.1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const answer = yield* waypost.platform("sandbox", "")("/me");
      assert.strictEqual(answer.body.error.code, "missing_token");
    }),
  );

  it.effect(
    "the wrong environment is 403 with the address to use, and comes before a paused workspace " +
      "(A1.4, B1.1, auth.8, errors.wrong_environment)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const { tokens, workspace, sandbox } = yield* waypost.tenant();
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: true }));
        const wrong = yield* waypost.platform("production", tokens.sandbox)("/me");
        assert.strictEqual(wrong.status, 403);
        assert.strictEqual(wrong.body.error.code, "wrong_environment");
        assert.include(wrong.body.error.message, `${waypost.origin}/sandbox/platform/v1`);
        const paused = yield* sandbox("/no/such/path");
        assert.strictEqual(paused.status, 403);
        assert.strictEqual(paused.body.error.code, "workspace_paused");
      }),
  );

  it.effect(
    "a paused workspace is reported without counting against its rate limits " +
      "(B1.1, auth.8, errors.workspace_paused)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const { workspace, sandbox } = yield* waypost.tenant({ plan: { sandbox_requests_per_minute: 1 } });
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: true }));
        for (let i = 0; i < 3; i++) assert.strictEqual((yield* sandbox("/me")).status, 403);
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: false }));
        assert.strictEqual((yield* sandbox("/me")).status, 200);
      }),
  );

  it.effect(
    "rate limits come before routing, so unknown paths are 429 too (B1.1, errors.not_found, limits.429)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant({ plan: { sandbox_requests_per_minute: 1 } });
        const unknown = yield* sandbox("/no/such/path");
        assert.strictEqual(unknown.status, 404);
        assert.strictEqual(unknown.body.error.code, "not_found");
        assert.strictEqual((yield* sandbox("/no/such/path")).status, 429);
      }),
  );

  it.effect(
    "a method that a path does not accept is 405 with Allow, also if the API is not enabled " +
      "(B1.2, B3.1, errors.method_not_allowed)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { production } = yield* waypost.tenant({ enabled: false, abilities: ["reports:read"] });
        const answer = yield* production("/me", { method: "DELETE" });
        assert.strictEqual(answer.status, 405);
        assert.strictEqual(answer.headers.get("allow"), "GET, HEAD");
        assert.strictEqual(answer.body.error.code, "method_not_allowed");
      }),
  );

  it.effect("a path that only resembles one of an interface is unknown (B2.6)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { tokens } = yield* waypost.tenant();
      for (const base of ["//platform/v1", "/PLATFORM/v1", "/platform//v1", "/%70latform/v1"]) {
        const answer = yield* asker(waypost.origin + base, tokens.production)("/me");
        assert.strictEqual(answer.status, 404, base);
        assert.strictEqual(answer.body.error.code, "not_found");
      }
      for (const base of ["//operator/v1", "/Operator/v1", "/%6fperator/v1"]) {
        const answer = yield* asker(waypost.origin + base, testOperatorKey)("/workspaces");
        assert.strictEqual(answer.status, 404, base);
      }
      assert.strictEqual((yield* asker(`${waypost.origin}//device/v1`, null)("/messages")).status, 404);
    }),
  );

  it.effect(
    "a revoked and an expired token are refused with name and date, from that instant on " +
      "(auth.4, errors.token_expired, errors.token_revoked)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const tokens = yield* Tokens;
        const workspaces = yield* Workspaces;
        const { workspace } = yield* waypost.tenant();
        const { workspaceId } = yield* workspaces.find(workspace.id);
        const issue = (name: string, expiresAt: number | null) =>
          tokens.issueToken(
            workspaceId,
            ParsedBody.of({ name, environment: "sandbox", abilities: ["media:read"], expires_at: expiresAt }),
          );
        const revoked = yield* issue("Till two", null);
        const expiring = yield* issue("Short-lived", testStart + 60_000 + 1);
        yield* TestClock.setTime(testStart + 60_000);

        const ask = waypost.platform("sandbox", revoked.token);
        assert.strictEqual((yield* ask("/me")).status, 200);
        yield* tokens.revokeToken(workspaceId, revoked.id);
        const after = yield* ask("/me");
        assert.strictEqual(after.status, 401);
        assert.strictEqual(after.body.error.code, "token_revoked");
        assert.include(after.body.error.message, '"Till two" was revoked on 2026-11-21T12:01:00+00:00');

        const askExpiring = waypost.platform("sandbox", expiring.token);
        assert.strictEqual((yield* askExpiring("/me")).status, 200);
        yield* TestClock.setTime(testStart + 60_001);
        assert.strictEqual((yield* askExpiring("/me")).body.error.code, "token_expired");
      }),
  );

  it.effect("no answer of an API may be cached or guessed at, whatever its status (A5.5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { production, sandbox } = yield* waypost.tenant();
      const tagged = yield* sandbox("/reports/campaigns");
      const answers = [
        yield* sandbox("/me"),
        tagged,
        yield* sandbox("/reports/campaigns", {
          headers: { "if-none-match": tagged.headers.get("etag") ?? "" },
        }),
        yield* sandbox("/campaigns", { body: {} }),
        yield* sandbox("/campaigns", { body: "{", headers: { "content-type": "text/plain" } }),
        yield* sandbox("/nothing"),
        yield* sandbox("/me", { method: "DELETE" }),
        yield* waypost.platform("production", null)("/me"),
        yield* production("/media/x"),
        yield* waypost.operator("/workspaces"),
        yield* waypost.device("wpd_unknown")("/messages"),
        yield* asker(waypost.origin, null)("/metrics"),
        yield* asker(waypost.origin, null)("/nothing"),
      ];
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 304, 422, 415, 404, 405, 401, 404, 200, 401, 200, 404],
      );
      for (const { headers } of answers) {
        assert.strictEqual(headers.get("cache-control"), "no-store");
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff");
      }
    }),
  );

  it.effect("an accepted X-Request-Id is returned, and another one is replaced (A5.1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant();
      const kept = yield* sandbox("/me", { headers: { "x-request-id": "my-id.42" } });
      assert.strictEqual(kept.headers.get("x-request-id"), "my-id.42");
      const replaced = yield* sandbox("/me", { headers: { "x-request-id": 'a "b" c' } });
      assert.match(replaced.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    }),
  );
});
