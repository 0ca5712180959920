import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { makeCredential } from "../../src/access/Credential.ts";
import { Tokens } from "../../src/access/Tokens.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { type Answer, TestWaypost, testStart } from "../TestWaypost.ts";

const withFields = ["validation_failed", "invalid_parameter", "limit_exceeded"];
const push = (name: string) => ({ name, type: "push", timezone: "UTC", starts_at: "2026-12-01" });

layer(TestWaypost.layer)("The shape of errors", (it) => {
  it.effect(
    "every error code has its status and a sentence, and only three codes have fields " +
      "(errors.fields, errors.method_not_allowed, errors.shape, errors.workspace_paused)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const tokens = yield* Tokens;
        const {
          production,
          sandbox,
          tokens: secrets,
          workspace,
        } = yield* waypost.tenant({
          plan: { max_campaigns: 0 },
        });
        const { workspaceId } = yield* Effect.orDie(workspaces.find(workspace.id));
        const issue = (name: string, expires_at: number | null) =>
          Effect.orDie(
            tokens.issueToken(
              workspaceId,
              ParsedBody.of({ name, environment: "sandbox", abilities: ["media:read"], expires_at }),
            ),
          );
        const revoked = yield* issue("Revoked", null);
        yield* Effect.orDie(tokens.revokeToken(workspaceId, revoked.id));
        const expired = yield* issue("Expired", testStart + 1000);
        yield* TestClock.adjust("1 second");
        const lacking = yield* issue("Lacking", null);
        const as = (token: string | null) => waypost.platform("sandbox", token);
        const early = yield* waypost.tenant({ enabled: false });
        const over = yield* waypost.tenant();
        yield* Effect.orDie(workspaces.update(over.workspace.id, ParsedBody.of({ trial_ended: true })));
        const gone = yield* waypost.tenant();
        yield* Effect.orDie(
          workspaces.update(gone.workspace.id, ParsedBody.of({ deletion_scheduled: true })),
        );
        const busy = yield* waypost.tenant({ plan: { sandbox_requests_per_minute: 0 } });
        const unknown = as(makeCredential("wps_"));

        const asked: ReadonlyArray<readonly [number, string, Effect.Effect<Answer>]> = [
          [401, "missing_token", as(null)("/me")],
          [401, "invalid_token", unknown("/me")],
          [401, "token_revoked", as(revoked.token)("/me")],
          [401, "token_expired", as(expired.token)("/me")],
          [403, "wrong_environment", waypost.platform("production", secrets.sandbox)("/me")],
          [403, "workspace_paused", gone.sandbox("/me")],
          [403, "platform_api_not_enabled", early.production("/campaigns")],
          [403, "missing_ability", as(lacking.token)("/campaigns")],
          [403, "limit_exceeded", sandbox("/campaigns", { body: push("One") })],
          [403, "trial_ended", over.sandbox("/campaigns", { body: push("One") })],
          [404, "not_found", sandbox("/campaigns/x")],
          [404, "not_found", production("/nowhere")],
          [405, "method_not_allowed", sandbox("/me", { method: "DELETE" })],
          [413, "payload_too_large", sandbox("/campaigns", { body: "x".repeat(1_048_577) })],
          [
            415,
            "unsupported_media_type",
            sandbox("/campaigns", { body: "x", headers: { "content-type": "a/b" } }),
          ],
          [422, "validation_failed", sandbox("/campaigns", { body: {} })],
          [422, "validation_failed", sandbox("/reports/summary?start=x")],
          [422, "invalid_parameter", sandbox("/campaigns?limit=0")],
          [422, "invalid_cursor", sandbox("/campaigns?cursor=x")],
          [429, "rate_limited", busy.sandbox("/me")],
          ...Array.from({ length: 19 }, () => [401, "invalid_token", unknown("/me")] as const),
          [429, "too_many_failed_attempts", unknown("/me")],
        ];
        for (const [status, code, asking] of asked) {
          const { body, headers, ...answer } = yield* asking;
          assert.deepStrictEqual([answer.status, body.error?.code], [status, code]);
          assert.deepStrictEqual(Object.keys(body), ["error"], code);
          assert.match(body.error.message, /^[A-Z].*[.)]$/, code);
          assert.hasAllKeys(body.error, [
            "code",
            "message",
            ...(withFields.includes(code) ? ["fields"] : []),
          ]);
          for (const messages of Object.values<any>(body.error.fields ?? {})) {
            for (const message of messages) assert.match(message, /^[A-Z].*\.$/, code);
          }
          assert.match(headers.get("content-type") ?? "", /^application\/json/, code);
          assert.strictEqual(headers.has("retry-after"), status === 429, code);
        }
      }),
  );
});
