import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.layer)("GET /me", (it) => {
  it.effect(
    "GET /me shows the workspace, environment and abilities of a token, and needs no ability " +
      "(A1.1, B1, me.abilities, me.environment, me.workspace)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { workspace } = yield* waypost.tenant();
        const { id, token } = yield* waypost.token(workspace, "sandbox", ["reports:read"]);
        const sandbox = waypost.platform("sandbox", token);
        const me = yield* sandbox("/me");
        assert.strictEqual(me.status, 200);
        assert.deepStrictEqual(me.body, {
          data: {
            workspace: { id: workspace.id, name: workspace.name },
            environment: "sandbox",
            token: { id, name: "Test token", expires_at: null },
            abilities: ["reports:read"],
            platform_api_enabled: true,
          },
        });
      }),
  );

  it.effect("a refusal names the ability that the token lacks (C1, errors.missing_ability)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant({ abilities: ["reports:read"] });
      const { body, status } = yield* sandbox("/campaigns");
      assert.deepStrictEqual([status, body.error.code], [403, "missing_ability"]);
      assert.strictEqual(
        body.error.message,
        "This endpoint needs the ability campaigns:read, which this token does not have. " +
          "Abilities are chosen when a token is issued.",
      );
    }),
  );

  it.effect("the name of a token has at most 255 characters (operator.tokens)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { id } = yield* waypost.workspace();
      const issue = (length: number) =>
        waypost.operator(`/workspaces/${id}/tokens`, {
          body: { name: "x".repeat(length), environment: "sandbox", abilities: ["campaigns:read"] },
        });
      assert.strictEqual((yield* issue(255)).status, 201);
      assert.deepStrictEqual(Object.keys((yield* issue(256)).body.error.fields), ["name"]);
    }),
  );

  it.effect("the use of a token is dated in the background (operator.tokens)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, workspace } = yield* waypost.tenant();
      yield* sandbox("/me");
      const used = yield* Effect.repeat(waypost.operator(`/workspaces/${workspace.id}/tokens`), {
        until: ({ body }): boolean => body.data.some((token: any) => token.last_used_at !== null),
      });
      assert.strictEqual(used.status, 200);
    }),
  );

  it.effect(
    "GET /me works in Production before the full API is enabled, and shows that it is not (me.no_ability)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { production } = yield* waypost.tenant({ enabled: false });
        const me = yield* production("/me");
        assert.strictEqual(me.status, 200);
        assert.isFalse(me.body.data.platform_api_enabled);
      }),
  );
});
