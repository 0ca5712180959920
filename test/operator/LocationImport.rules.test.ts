import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { collection, pointFeature } from "../locations/Features.ts";
import { whileTimeMoves } from "../matrices/MovingTime.ts";
import { TestPlatform } from "../TestPlatform.ts";
import { TestWaypost } from "../TestWaypost.ts";

const world = Effect.gen(function* () {
  const waypost = yield* TestWaypost;
  const tenant = yield* waypost.tenant();
  const path = `/workspaces/${tenant.workspace.id}/sandbox/locations/import`;
  return {
    ...tenant,
    ...waypost,
    path,
    held: Effect.map(tenant.sandbox("/locations?limit=100"), ({ body }) => body.data.length as number),
  };
});

layer(TestPlatform.layer)("The operator's import", (it) => {
  it.effect(
    "the operator's import works like the platform API's, in the environment of its path (operator.import)",
    () =>
      Effect.gen(function* () {
        const { held, operator, path, production } = yield* world;
        const body = collection(pointFeature({ group: "Noord" }), pointFeature({ radius: 1 }));
        const dry = yield* operator(`${path}?dry_run=1`, { body });
        assert.deepStrictEqual([dry.status, dry.body.data.summary.created, yield* held], [200, 1, 0]);
        const answer = yield* operator(path, {
          body: JSON.stringify(body),
          headers: { "content-type": "application/geo+json" },
        });
        assert.strictEqual(answer.status, 200);
        assert.deepStrictEqual(answer.body.data.summary, { created: 1, updated: 0, skipped: 0, failed: 1 });
        assert.match(answer.body.data.results[1].reasons[0], /radius/);
        assert.strictEqual(yield* held, 1);
        assert.lengthOf((yield* production("/locations")).body.data, 0);
      }),
  );

  it.effect(
    "a part is imported once however often it is sent, and another part is another import (operator.import)",
    () =>
      Effect.gen(function* () {
        const { held, operator, path } = yield* world;
        const part = randomUUID();
        const send = (of: string) => operator(`${path}?part=${of}`, { body: collection(pointFeature()) });
        const answers = yield* whileTimeMoves(
          Effect.forEach([1, 2, 3, 4], () => send(part), { concurrency: "unbounded" }),
        );
        yield* TestClock.adjust("23 hours");
        const last = yield* send(part.toUpperCase());
        for (const { body, status } of answers) assert.deepStrictEqual([status, body], [200, last.body]);
        assert.strictEqual(last.headers.get("idempotent-replayed"), "true");
        assert.strictEqual(yield* held, 1);
        yield* send(randomUUID());
        assert.strictEqual(yield* held, 2);
      }),
  );

  it.effect("refused parts and dry runs are not stored (operator.import)", () =>
    Effect.gen(function* () {
      const { held, operator, path } = yield* world;
      const at = `${path}?part=${randomUUID()}`;
      const refused = yield* operator(at, { body: { type: "Nothing" } });
      assert.deepStrictEqual(
        [refused.status, Object.keys(refused.body.error.fields)],
        [422, ["type", "features"]],
      );
      const body = collection(pointFeature());
      assert.strictEqual((yield* operator(`${at}&dry_run=1`, { body })).body.data.dry_run, true);
      assert.strictEqual((yield* operator(at, { body })).body.data.summary.created, 1);
      assert.strictEqual(yield* held, 1);
    }),
  );

  it.effect("problems of the path and the parameters are reported before those of the body", () =>
    Effect.gen(function* () {
      const { operator, path } = yield* world;
      const bad = yield* operator(`${path}?part=7&dry_run=maybe`, { body: collection() });
      assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
      assert.deepStrictEqual(bad.body.error.fields, {
        dry_run: ["The dry run must be 1 or 0."],
        part: ["The part must be a UUID, such as 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60."],
      });
      for (const wrong of [
        `/workspaces/${randomUUID()}/sandbox/locations/import`,
        path.replace("sandbox", "test"),
      ])
        assert.strictEqual((yield* operator(wrong, { body: "no JSON" })).status, 404);
      const big = yield* operator(`${path}?part=${randomUUID()}`, { body: "x".repeat(21 * 1_048_576) });
      assert.strictEqual(big.status, 413);
    }),
  );
});
