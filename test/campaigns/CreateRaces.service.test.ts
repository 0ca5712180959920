import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { lockWait } from "../database/OnCitus.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

type World = Effect.Success<ReturnType<typeof campaignWorld>>;

/**
 * Creates a campaign while a transaction holds the environment's lock and commits a change that the create
 * could not see in its checks. Gives the response to the create.
 */
const createDuring = (
  { sandbox, workspaceId }: World,
  change: Effect.Effect<unknown, unknown>,
  ask: Parameters<World["sandbox"]>[1],
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const changed = yield* Deferred.make<void>();
    const mayCommit = yield* Deferred.make<void>();
    const holder = yield* Effect.gen(function* () {
      yield* sql`
        SELECT FROM tenant WHERE workspace_id = ${workspaceId} AND environment = 'sandbox'
        FOR NO KEY UPDATE`;
      yield* change;
      yield* Deferred.succeed(changed, undefined);
      yield* Deferred.await(mayCommit);
    }).pipe(sql.withTransaction, Effect.forkChild);
    yield* Deferred.await(changed);
    const creating = yield* Effect.forkChild(sandbox("/campaigns", ask));
    yield* lockWait("%FOR NO KEY UPDATE%");
    yield* Deferred.succeed(mayCommit, undefined);
    yield* Fiber.join(holder);
    const { body, status } = yield* Fiber.join(creating);
    return { status, code: body.error?.code, fields: body.error?.fields };
  });

layer(TestWaypost.shared)("A create whose checks are outdated when it gets the lock", (it) => {
  it.effect("a create is refused if its name is taken in the meantime, also with a key (E8.1, J3.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const sql = yield* SqlClient.SqlClient;
      const { id } = (yield* world.sandbox("/campaigns", { body: push({ name: "Other" }) })).body.data;
      for (const [name, headers] of [
        ["Taken", {}],
        ["Taken too", { "idempotency-key": "create-taken" }],
      ] as const) {
        const rename = sql`UPDATE campaign SET name = ${name} WHERE id = ${id}`;
        const refused = yield* createDuring(world, rename, { body: push({ name }), headers });
        assert.deepStrictEqual([refused.status, refused.code], [422, "validation_failed"]);
        assert.hasAllKeys(refused.fields, ["name"]);
      }
    }),
  );

  it.effect("a create is refused if one of its targets is deleted in the meantime (E5.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const sql = yield* SqlClient.SqlClient;
      const kept = yield* world.location();
      const deleted = yield* world.location();
      const refused = yield* createDuring(world, sql`DELETE FROM location WHERE id = ${deleted}`, {
        body: geo([kept, deleted]),
      });
      assert.deepStrictEqual([refused.status, refused.code], [422, "validation_failed"]);
      assert.hasAllKeys(refused.fields, ["location_ids.1"]);
      const list = (yield* world.sandbox("/campaigns")).body.data;
      assert.lengthOf(list, 0);
    }),
  );

  it.effect("a create is refused if the limit is reached in the meantime (E9.4)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
      const sql = yield* SqlClient.SqlClient;
      const { id } = (yield* world.sandbox("/campaigns", { body: push({ name: "One", paused: true }) })).body
        .data;
      const publish = sql`UPDATE campaign SET paused = false WHERE id = ${id}`;
      const refused = yield* createDuring(world, publish, { body: push({ name: "Two" }) });
      assert.deepStrictEqual([refused.status, refused.code], [403, "limit_exceeded"]);
    }),
  );

  it.effect("a create that meets no such change is made once it gets the lock (E9.4)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
      const location = yield* world.location();
      const made = yield* createDuring(world, Effect.void, { body: geo([location]) });
      assert.strictEqual(made.status, 201);
    }),
  );
});
