import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { collection, pointFeature } from "../locations/Features.ts";
import { whileTimeMoves } from "../matrices/MovingTime.ts";
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

layer(TestWaypost.layer)("The operator's import", (it) => {
  it.effect("the operator imports locations into the environment of the address (W2, operator.import)", () =>
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
        const send = (key: string) =>
          operator(path, { body: collection(pointFeature()), headers: { "idempotency-key": key } });
        const answers = yield* whileTimeMoves(
          Effect.forEach([1, 2, 3, 4], () => send(part), { concurrency: "unbounded" }),
        );
        yield* TestClock.adjust("23 hours");
        const last = yield* send(part);
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
      const headers = { "idempotency-key": randomUUID() };
      const refused = yield* operator(path, { body: { type: "Nothing" }, headers });
      assert.deepStrictEqual(
        [refused.status, Object.keys(refused.body.error.fields)],
        [422, ["type", "features"]],
      );
      const body = collection(pointFeature());
      const dry = yield* operator(`${path}?dry_run=1`, { body });
      assert.strictEqual(dry.body.data.dry_run, true);
      assert.strictEqual((yield* operator(path, { body, headers })).body.data.summary.created, 1);
      assert.strictEqual(yield* held, 1);
    }),
  );
});
