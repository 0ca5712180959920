import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { instant } from "../../src/database/Rows.ts";
import { pruneOnce } from "../../src/http/IdempotencyPruning.ts";
import { IdempotencySql } from "../../src/http/IdempotencySql.ts";
import { movingTime } from "../matrices/MovingTime.ts";
import { type Answer, type Ask, TestWaypost } from "../TestWaypost.ts";

const campaign = (name: string) => ({ name, type: "push", timezone: "UTC", starts_at: "2026-12-01" });

const keyed = (key: string, body: unknown): Ask => ({ body, headers: { "idempotency-key": key } });

const names = (list: Answer) => list.body.data.map((each: { name: string }) => each.name);

/** Holds the lock of a key as another process would, until the fiber ends. */
const holding = (workspaceId: string, key: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [row] = yield* sql<{ id: number }>`SELECT id FROM workspace WHERE public_id = ${workspaceId}`;
    const lock = JSON.stringify(["idempotency", row?.id, "sandbox", "/platform/v1/campaigns", key]);
    const held = yield* Deferred.make<void>();
    const owner = yield* Effect.forkChild(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`;
          yield* Deferred.succeed(held, undefined);
          return yield* Effect.never;
        }),
      ),
    );
    yield* Deferred.await(held);
    return owner;
  });

layer(TestWaypost.layer)("Idempotency", (it) => {
  it.effect(
    "a retry gets the first response, marked as replayed, and changes nothing " +
      "(J2.2, idempotency.1, idempotency.2)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const first = yield* sandbox("/campaigns", keyed("k1", campaign("Once")));
        assert.strictEqual(first.status, 201);
        assert.isNull(first.headers.get("idempotent-replayed"));
        const again = yield* sandbox("/campaigns", keyed("k1", campaign("Another body")));
        assert.strictEqual(again.status, 201);
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true");
        assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"));
        assert.deepStrictEqual(again.body, first.body);
        assert.deepStrictEqual(names(yield* sandbox("/campaigns")), ["Once"]);
      }),
  );

  it.effect(
    "of concurrent requests with one key one runs, and all get its response (J3.2, idempotency.3)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const asking = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 20 }, () => sandbox("/campaigns", keyed("many", campaign("Only one")))),
            { concurrency: "unbounded" },
          ),
        );
        // Duplicates retry by the clock, which moves until all have a response.
        const moving = yield* Effect.forkChild(movingTime);
        const answers = yield* Fiber.join(asking);
        yield* Fiber.interrupt(moving);
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
        assert.strictEqual(new Set(answers.map(({ body }) => body.data.id)).size, 1);
        assert.strictEqual(
          answers.filter(({ headers }) => headers.get("idempotent-replayed") === null).length,
          1,
        );
      }),
  );

  it.effect("a failed request stores nothing, so its key is free (J3.1, idempotency.4)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const bad = yield* sandbox("/campaigns", keyed("fix", { ...campaign("Fixed"), timezone: "Nowhere" }));
      assert.strictEqual(bad.status, 422);
      const good = yield* sandbox("/campaigns", keyed("fix", campaign("Fixed")));
      assert.strictEqual(good.status, 201);
      assert.isNull(good.headers.get("idempotent-replayed"));
    }),
  );

  it.effect(
    "a key is bound to workspace, environment and path, without the query string (A2.2, J1.2, idempotency.5)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const one = yield* waypost.tenant();
        const two = yield* waypost.tenant();
        const first = yield* one.sandbox("/campaigns", keyed("scope", campaign("A")));
        for (const elsewhere of [one.production, two.sandbox]) {
          const answer = yield* elsewhere("/campaigns", keyed("scope", campaign("A")));
          assert.strictEqual(answer.status, 201);
          assert.isNull(answer.headers.get("idempotent-replayed"));
        }
        const query = yield* one.sandbox("/campaigns?x=1", keyed("scope", campaign("B")));
        assert.strictEqual(query.body.data.id, first.body.data.id);
        const path = yield* one.sandbox(`/campaigns/${first.body.data.id}/pause`, {
          method: "POST",
          headers: { "idempotency-key": "scope" },
        });
        assert.isTrue(path.body.data.paused);
        assert.isNull(path.headers.get("idempotent-replayed"));
      }),
  );

  it.effect(
    "after 24 hours a key runs the change again, and pruning deletes its response (idempotency.1)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const sql = yield* SqlClient.SqlClient;
        // Pruning runs every hour: not within the minute after the 24 hours.
        yield* TestClock.adjust("1 minute");
        const first = yield* sandbox("/campaigns", keyed("day", campaign("Daily")));
        yield* sandbox(`/campaigns/${first.body.data.id}`, { method: "DELETE" });
        yield* TestClock.adjust("1439 minutes");
        yield* pruneOnce.pipe(Effect.provide(IdempotencySql.layer));
        const replayed = yield* sandbox("/campaigns", keyed("day", campaign("Daily")));
        assert.strictEqual(replayed.body.data.id, first.body.data.id);
        yield* TestClock.adjust("1 minute");
        const again = yield* sandbox("/campaigns", keyed("day", campaign("Daily")));
        assert.strictEqual(again.status, 201);
        assert.notStrictEqual(again.body.data.id, first.body.data.id);
        yield* TestClock.adjust("25 hours");
        yield* pruneOnce.pipe(Effect.provide(IdempotencySql.layer));
        assert.deepStrictEqual(yield* sql`SELECT 1 FROM idempotent_response WHERE key = 'day'`, []);
      }),
  );

  it.effect("a repeated deletion gets the response of the first, also with status 200 (B1.4, J2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const { id } = (yield* sandbox("/campaigns", { body: campaign("Gone") })).body.data;
      const headers = { "idempotency-key": "gone" };
      const deletion = sandbox(`/campaigns/${id}`, { method: "DELETE", headers });
      const [first, second] = [yield* deletion, yield* deletion];
      assert.deepStrictEqual([first.status, second.status], [200, 200]);
      assert.deepStrictEqual(second.body, first.body);
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true");
    }),
  );

  it.effect("an unknown id in the path is reported before an unaccepted body, also with a key (B1.5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const key = { "idempotency-key": "1" };
      for (const [ask, refused] of [
        [{ body: "a,b", headers: { ...key, "content-type": "text/csv" } }, 415],
        [{ body: "x".repeat(1_048_577), headers: key }, 413],
        [{ body: "{", headers: key }, 422],
      ] as const) {
        const nowhere = yield* sandbox("/campaigns/nowhere", { method: "PATCH", ...ask });
        assert.deepStrictEqual([nowhere.status, nowhere.body.error.code], [404, "not_found"]);
        assert.strictEqual((yield* sandbox("/campaigns", ask)).status, refused);
      }
    }),
  );

  it.effect("replays count toward the rate limits (idempotency.6, limits.429)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant({ plan: { sandbox_writes_per_minute: 2 } });
      const statuses = [];
      for (let i = 0; i < 3; i++) {
        statuses.push((yield* sandbox("/campaigns", keyed("rate", campaign("Counted")))).status);
      }
      assert.deepStrictEqual(statuses, [201, 201, 429]);
    }),
  );

  it.effect("a key must be 1 to 255 visible ASCII characters (J1.1, errors.invalid_parameter)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const key of ["two words", "k".repeat(256), "caf\u00e9"]) {
        const answer = yield* sandbox("/campaigns", keyed(key, campaign("Keyed")));
        assert.strictEqual(answer.status, 422, key);
        assert.strictEqual(answer.body.error.code, "invalid_parameter");
        assert.property(answer.body.error.fields, "Idempotency-Key");
      }
      assert.strictEqual((yield* sandbox("/campaigns", keyed("~!", campaign("Keyed")))).status, 201);
    }),
  );

  it.effect(
    "a duplicate that waits ten seconds gets 409 with Retry-After, and the key of a dead owner is free " +
      "(J2.1, J3, errors.request_in_progress, idempotency.3)",
    () =>
      Effect.gen(function* () {
        const { sandbox, workspace } = yield* (yield* TestWaypost).tenant();
        const owner = yield* holding(workspace.id, "held");

        const waiting = yield* Effect.forkChild(sandbox("/campaigns", keyed("held", campaign("Held"))));
        const moving = yield* Effect.forkChild(movingTime);
        const answer = yield* Fiber.join(waiting);
        yield* Fiber.interrupt(moving);
        assert.strictEqual(answer.status, 409);
        assert.strictEqual(answer.body.error.code, "request_in_progress");
        assert.strictEqual(answer.headers.get("retry-after"), "2");

        yield* Fiber.interrupt(owner);
        assert.strictEqual((yield* sandbox("/campaigns", keyed("held", campaign("Held")))).status, 201);
      }),
  );

  it.effect(
    "when the first request fails, one of the waiting duplicates runs and the others get its response (J3.3)",
    () =>
      Effect.gen(function* () {
        const { sandbox, workspace } = yield* (yield* TestWaypost).tenant();
        const first = yield* holding(workspace.id, "fails");
        const waiting = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 5 }, () => sandbox("/campaigns", keyed("fails", campaign("Second try")))),
            { concurrency: "unbounded" },
          ),
        );
        const moving = yield* Effect.forkChild(movingTime);
        assert.deepStrictEqual(names(yield* sandbox("/campaigns")), []);
        yield* Fiber.interrupt(first);
        const answers = yield* Fiber.join(waiting);
        yield* Fiber.interrupt(moving);
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [201, 201, 201, 201, 201],
        );
        assert.strictEqual(new Set(answers.map(({ body }) => body.data.id)).size, 1);
        assert.lengthOf(
          answers.filter(({ headers }) => !headers.has("idempotent-replayed")),
          1,
        );
      }),
  );

  it.effect("a response that another process stores reaches all waiting duplicates (J3.2)", () =>
    Effect.gen(function* () {
      const { sandbox, workspace } = yield* (yield* TestWaypost).tenant();
      const sql = yield* SqlClient.SqlClient;
      const other = yield* holding(workspace.id, "far");
      const ask = sandbox("/campaigns", keyed("far", campaign("Far away")));
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 200 }, () => ask),
          { concurrency: "unbounded" },
        ),
      );
      const moving = yield* Effect.forkChild(movingTime);
      assert.deepStrictEqual(names(yield* sandbox("/campaigns")), []);
      yield* sql`
        INSERT INTO idempotent_response
          (workspace_id, environment, path, key, status, content_type, body, created_at)
        SELECT id, 'sandbox', '/platform/v1/campaigns', 'far', 201, 'application/json', '{"data":"far"}',
          ${instant(yield* Clock.currentTimeMillis)}
        FROM workspace WHERE public_id = ${workspace.id}`;
      yield* Fiber.interrupt(other);
      const answers = yield* Fiber.join(waiting);
      yield* Fiber.interrupt(moving);
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.deepStrictEqual(new Set(answers.map(({ body }) => body.data)), new Set(["far"]));
    }),
  );
});
