import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { dirname } from "node:path";
import { inject } from "vitest";
import { instant } from "../../src/database/Rows.ts";
import { dateAt, addDays } from "../../src/time/LocalTime.ts";
import { CliProcess } from "../cli/CliProcess.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { type Answer, asker } from "../TestWaypost.ts";

/** Numbered thinly over ten batches: one for each process at a time. */
const devices = 1_000;
const lastNo = 100_000;
const secrets = {
  WAYPOST_OPERATOR_KEY: "operator-key-of-two-processes",
  WAYPOST_SECRET_KEY: "secret-key-of-two-processes",
};

const data = (answer: Answer): any => {
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body));
  return answer.body.data;
};

/** Looks every 50 ms, for at most so many seconds. */
const until = <A>(look: Effect.Effect<A>, holds: (found: A) => boolean, seconds: number) =>
  Effect.flatMap(look, (found) =>
    holds(found) ? Effect.succeed(found) : Effect.fail(new Error(`It is ${JSON.stringify(found)}`)),
  ).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: seconds * 20 }), Effect.orDie);

const serve = (more: Readonly<Record<string, string>>) =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.promise(() => CliProcess.make()),
      (cli) => Effect.promise(cli.dispose),
    ),
    (cli) => Effect.promise(() => cli.serve({ ...secrets, ...more })),
  );

/** A push campaign of tomorrow with one message, and many devices; gives how to ask for its send. */
const prepare = Effect.fnUntraced(function* (origin: string) {
  const sql = yield* SqlClient.SqlClient;
  const operator = asker(`${origin}/operator/v1`, secrets.WAYPOST_OPERATOR_KEY);
  const { id } = data(yield* operator("/workspaces", { body: { name: "Shared" } }));
  yield* operator(`/workspaces/${id}`, { method: "PATCH", body: { platform_api_enabled: true } });
  const abilities = ["campaigns:write", "notifications:write"];
  const { token } = data(
    yield* operator(`/workspaces/${id}/tokens`, {
      body: { name: "Test", environment: "production", abilities },
    }),
  );
  const platform = asker(`${origin}/platform/v1`, token);
  const tomorrow = addDays(dateAt("UTC" as never, yield* Clock.currentTimeMillis), 1);
  const campaign = data(
    yield* platform("/campaigns", {
      body: { name: "Push", type: "push", timezone: "UTC", starts_at: tomorrow },
    }),
  );
  data(
    yield* platform(`/campaigns/${campaign.id}/notifications`, {
      body: {
        name: "Note",
        type: "message",
        headline: "Hello",
        body: "World",
        trigger_type: "fixed_time",
        trigger_config: { send_at: "12:00" },
      },
    }),
  );
  yield* sql`
    INSERT INTO device (workspace_id, environment, no, id, installation_id, platform, transport, token_digest, registered_at,
      last_seen_at)
    SELECT t.workspace_id, t.environment, n * ${lastNo / devices}::int, gen_random_uuid(), 'crowd-' || n, 'web', 'inbox', decode(repeat('00', 32), 'hex'),
      '2026-01-01Z', '2026-01-01Z'
    FROM tenant t, generate_series(1, ${devices}::int) AS n WHERE t.environment = 'production'`;
  yield* sql`UPDATE tenant SET last_device_no = ${lastNo} WHERE environment = 'production'`;
  return Effect.map(operator(`/workspaces/${id}/production/sends`), (answer) => data(answer)[0]);
});

layer(TestDatabase.layer, { excludeTestServices: true })("Two processes on one PostgreSQL", (it) => {
  it.effect(
    "share a send; when one is killed, the other finishes it within 30 seconds, each device once (L5)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const [database] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`;
        const { socketPath, username } = inject("testServer");
        const host = encodeURIComponent(dirname(socketPath));
        const DATABASE_URL = `postgresql://${username}@localhost/${database?.name}?host=${host}`;
        const killed = yield* serve({ DATABASE_URL });
        const survivor = yield* serve({ DATABASE_URL });
        const send = yield* prepare(survivor.origin);

        // As long as nobody can write a delivery, both have batches in hand, and none is done.
        const locked = yield* Deferred.make<void>();
        const killing = yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* sql`LOCK TABLE delivery IN SHARE MODE`;
            yield* Deferred.succeed(locked, undefined);
            const leased = Effect.orDie(sql`SELECT FROM send_batch WHERE leased_until IS NOT NULL`);
            yield* until(leased, (rows) => rows.length === 2, 20);
            yield* Effect.promise(() => killed.ends("SIGKILL"));
          }).pipe(sql.withTransaction),
        );
        yield* Deferred.await(locked);
        yield* sql`UPDATE send SET due_at = ${instant(yield* Clock.currentTimeMillis)}`;
        yield* Fiber.join(killing);

        const done = yield* until(send, ({ status }) => status !== "running", 30);
        assert.deepInclude(done, { status: "done", targeted: devices, delivered: devices, failed: 0 });
        const [counts] = yield* sql<{ readonly rows: number; readonly reached: number }>`
          SELECT count(*)::int AS rows, count(DISTINCT device_no)::int AS reached FROM delivery`;
        assert.deepStrictEqual(counts, { rows: devices, reached: devices });
        assert.strictEqual((yield* Effect.promise(() => survivor.ends("SIGTERM"))).code, 0);
      }).pipe(Effect.scoped),
    90_000,
  );
});
