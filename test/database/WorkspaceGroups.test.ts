import { assert, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { assumeDistributed } from "../../src/database/citus/IsDistributed.ts";
import { batchedByWorkspace } from "../../src/database/WorkspaceGroups.ts";

const client = {} as SqlClient.SqlClient;
assumeDistributed(client);

it.effect("on Citus a batch has the calls of one workspace, and none waits for another (running.citus)", () =>
  Effect.gen(function* () {
    const isReleased = yield* Deferred.make<void>();
    const batches: Array<ReadonlyArray<number>> = [];
    const call = yield* batchedByWorkspace({
      maxBatch: 64,
      keyOf: (workspaceId: number) => workspaceId,
      run: (items) =>
        Effect.as(
          Effect.tap(
            Effect.sync(() => batches.push(items)),
            () => (items[0] === 1 ? Deferred.await(isReleased) : Effect.void),
          ),
          items,
        ),
    });
    const slow = yield* Effect.forkChild(Effect.all([call(1), call(1), call(1)], { concurrency: 3 }));
    yield* Effect.yieldNow;
    assert.strictEqual(yield* call(2), 2);
    yield* Deferred.succeed(isReleased, undefined);
    assert.deepStrictEqual(yield* Fiber.join(slow), [1, 1, 1]);
    assert.isTrue(batches.every((batch) => new Set(batch).size === 1));
  }).pipe(Effect.scoped, Effect.provideService(SqlClient.SqlClient, client)),
);
