import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { assertUnseen, captured, logged } from "../CapturedLog.ts";
import { testOperatorKey, testSecretKey, TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.layer.pipe(Layer.provide(captured)))("The access log at its most verbose level", (it) => {
  it.effect("the access log has no secrets, wherever tokens are in a request (log.secrets, A5.1)", () =>
    Effect.gen(function* () {
      logged.length = 0;
      const waypost = yield* TestWaypost;
      const { production, sandbox, tokens, workspace } = yield* waypost.tenant();
      const bad = "a-token-that-was-mistyped-by-hand";
      const idempotency = "an-idempotency-key-that-is-not-logged";
      const sent = {
        "x-device-token": bad,
        cookie: `session=${bad}`,
        "x-api-key": bad,
        "idempotency-key": idempotency,
      };
      const asks = [
        sandbox,
        production,
        waypost.device(tokens.production),
        waypost.device(bad),
        waypost.operator,
      ];
      for (const ask of asks) {
        for (const path of [
          "/campaigns",
          "/devices/me",
          "/nothing",
          `/me?token=${bad}&api_key=${tokens.sandbox}`,
          `/${tokens.sandbox}`,
          `/campaigns/${tokens.production}/${testOperatorKey}`,
        ]) {
          yield* ask(path, { headers: sent });
          yield* ask(path, { headers: sent, body: { token: bad, secret: tokens.sandbox } });
          yield* ask(path, { headers: sent, method: "PUT", body: `{"token": "${bad}"` });
        }
      }
      for (const token of [tokens.sandbox, testOperatorKey, `trace:${tokens.production}`]) {
        const { headers } = yield* sandbox("/me", { headers: { "x-request-id": token } });
        assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
      }
      const issued = yield* waypost.operator(`/workspaces/${workspace.id}/tokens`, {
        body: { name: "New", environment: "sandbox", abilities: ["campaigns:read"] },
      });
      assert.strictEqual(issued.status, 201);
      assertUnseen({
        ...tokens,
        issued: issued.body.data.token,
        bad,
        idempotency,
        operatorKey: testOperatorKey,
        secretKey: testSecretKey,
      });
      assert.isAtLeast(logged.filter((line) => line.includes('"message":"request"')).length, 91);
    }),
  );
});
