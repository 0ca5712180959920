import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { type Answer, asker, testOperatorKey, TestWaypost } from "../TestWaypost.ts";

const codeOf = ({ body, status }: Answer) => [status, body.error?.code];

layer(TestWaypost.layer)("The operator key", (it) => {
  it.effect(
    "without the key all paths are 401, and guesses are throttled like tokens (B2, I2.2, operator.key)",
    () =>
      Effect.gen(function* () {
        const { operator, origin } = yield* TestWaypost;
        const base = `${origin}/operator/v1`;
        for (const path of ["/workspaces", "/nowhere", ""]) {
          assert.deepStrictEqual(codeOf(yield* asker(base, null)(path)), [401, "missing_token"]);
          assert.deepStrictEqual(codeOf(yield* asker(base, `${testOperatorKey}x`)(path)), [
            401,
            "invalid_token",
          ]);
        }
        const guess = asker(base, "a-guess-of-the-operator-key");
        for (let i = 4; i <= 20; i++)
          assert.deepStrictEqual(codeOf(yield* guess("/")), [401, "invalid_token"]);
        const refused = yield* guess("/");
        assert.deepStrictEqual(codeOf(refused), [429, "too_many_failed_attempts"]);
        assert.strictEqual(refused.headers.get("retry-after"), "60");
        assert.strictEqual((yield* operator("/workspaces")).status, 200);
        yield* TestClock.adjust("61 seconds");
        assert.deepStrictEqual(codeOf(yield* guess("/")), [401, "invalid_token"]);
      }),
  );

  it.effect("no token of a workspace works on the operator interface (operator.key, service.no_users)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const answer = yield* asker(`${origin}/operator/v1`, tokens.production)("/workspaces");
      assert.deepStrictEqual(codeOf(answer), [401, "invalid_token"]);
    }),
  );
});
