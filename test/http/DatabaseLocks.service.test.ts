import { assert, layer } from "@effect/vitest";
import { Context, Deferred, Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { inject } from "vitest";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { FaultyNetwork } from "../machines/FaultyNetwork.ts";
import { TestWaypost } from "../TestWaypost.ts";

const campaign = (name: string) => ({ name, type: "push", timezone: "UTC", starts_at: "2026-12-01" });

/** A client of the test's database, as another process has one. */
const otherProcess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { path } = yield* FaultyNetwork;
  const [{ name } = { name: "" }] = yield* sql<{ name: string }>`SELECT current_database() AS name`;
  const { username } = inject("testServer");
  const other = postgresLayer({ _tag: "socket", path, username, database: name }, { maxConnections: 1 });
  return Context.get(yield* Layer.build(Layer.fresh(other)), SqlClient.SqlClient);
});

/** Holds a lock on all campaigns and tenants until the fiber ends. */
const hold = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const held = yield* Deferred.make<void>();
    const fiber = yield* Effect.forkChild(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT FROM campaign FOR UPDATE`;
          yield* sql`SELECT FROM tenant FOR UPDATE`;
          yield* Deferred.succeed(held, undefined);
          return yield* Effect.never;
        }),
      ),
    );
    yield* Deferred.await(held);
    return fiber;
  });

layer(TestWaypost.layer.pipe(Layer.provideMerge(FaultyNetwork.layer)))("Locks of other processes", (it) => {
  it.effect(
    "a request that waits for a lock for five seconds gets 503 with Retry-After " +
      "(errors.service_unavailable, B3.3)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const { id } = (yield* sandbox("/campaigns", { body: campaign("Held") })).body.data;
        const holder = yield* hold(yield* otherProcess);
        const answers = yield* Effect.all(
          [
            sandbox(`/campaigns/${id}/pause`, { method: "POST" }),
            sandbox("/campaigns", { body: campaign("Another") }),
          ],
          { concurrency: "unbounded" },
        );
        yield* Fiber.interrupt(holder);
        for (const { body, headers, status } of answers) {
          assert.deepStrictEqual([status, body.error.code], [503, "service_unavailable"]);
          assert.strictEqual(headers.get("retry-after"), "2");
          assert.include(body.error.message, "Other requests hold what this one needs");
        }
        const paused = yield* sandbox(`/campaigns/${id}/pause`, { method: "POST" });
        assert.isTrue(paused.body.data.paused);
      }).pipe(Effect.scoped),
  );

  it.effect("the locks of a process that froze are free again without its help (L5.2, running.several)", () =>
    Effect.gen(function* () {
      const network = yield* FaultyNetwork;
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const holder = yield* hold(yield* otherProcess);
      // Nothing arrives from a frozen process, and its connections stay open.
      network.set({ isMuted: true });
      const create = sandbox("/campaigns", { body: campaign("Free") });
      const statuses: Array<number> = [];
      yield* Effect.repeat(
        Effect.tap(create, ({ status }) => Effect.sync(() => statuses.push(status))),
        { until: ({ status }) => status !== 503 },
      );
      assert.strictEqual(statuses.at(-1), 201);
      network.set({});
      yield* Fiber.interrupt(holder);
    }).pipe(Effect.scoped),
  );
});
