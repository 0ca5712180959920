import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestPlatform } from "../TestPlatform.ts";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestPlatform.layer)("GET /me", (it) => {
  it.effect(
    "GET /me shows the workspace, environment and abilities of a token, and needs no ability " +
      "(A1.1, B1, me.abilities, me.environment, me.workspace)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox, workspace } = yield* waypost.tenant({ abilities: ["reports:read"] });
        const me = yield* sandbox("/me");
        assert.strictEqual(me.status, 200);
        assert.deepStrictEqual(me.body, {
          data: {
            workspace: { id: workspace.id, name: workspace.name },
            environment: "sandbox",
            abilities: ["reports:read"],
            platform_api_enabled: true,
          },
        });
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
