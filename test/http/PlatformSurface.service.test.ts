import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

layer(TestWaypost.layer)("The surface of the platform API", (it) => {
  it.effect("only imports create locations and groups (groups.made, service.import_only)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const path of ["/locations", "/location-groups"]) {
        const answer = yield* sandbox(path, { body: { name: "Dam" } });
        assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "GET, HEAD"], path);
        assert.deepStrictEqual((yield* sandbox(path)).body.data, []);
      }
      assert.strictEqual((yield* sandbox(`/location-groups/${unknownId}`, { method: "PATCH" })).status, 405);
    }),
  );

  it.effect("the platform API has no workspaces, users or tokens (service.no_users)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const others = ["workspaces", "users", "tokens", "sdk-keys"];
      for (const path of [...others, "openapi", ""]) {
        for (const method of ["GET", "POST", "DELETE"]) {
          const { body, status } = yield* sandbox(`/${path}`, { method });
          assert.deepStrictEqual([status, body.error.code], [404, "not_found"], `${method} /${path}`);
        }
      }
    }),
  );
});
