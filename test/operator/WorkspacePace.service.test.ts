import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.shared)("PATCH /workspaces/{workspace}", (it) => {
  it.effect("PATCH sets and removes the pace of a workspace, and keeps it where it is left out (T5.1)", () =>
    Effect.gen(function* () {
      const { operator } = yield* TestWaypost;
      const { body } = yield* operator("/workspaces", { body: { name: "Paced" } });
      const patched = (patch: object) =>
        operator(`/workspaces/${body.data.id}`, { method: "PATCH", body: patch });
      for (const pace of [1, 10_000_000, null]) {
        assert.strictEqual((yield* patched({ max_per_minute: pace })).body.data.max_per_minute, pace);
        assert.strictEqual((yield* patched({ name: "Paced" })).body.data.max_per_minute, pace);
      }
      for (const pace of [0, 10_000_001, 1.5, "60"]) {
        const refused = yield* patched({ max_per_minute: pace });
        assert.strictEqual(refused.status, 422);
        assert.hasAllKeys(refused.body.error.fields, ["max_per_minute"]);
      }
    }),
  );
});
