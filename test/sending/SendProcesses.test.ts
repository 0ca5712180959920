import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { inject } from "vitest";
import { instant } from "../../src/database/Rows.ts";
import { dateAt, addDays } from "../../src/time/LocalTime.ts";
import { CliProcess } from "../cli/CliProcess.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { circle } from "../matrices/Ground.ts";
import { type Answer, asker } from "../TestWaypost.ts";
import { partedNetwork } from "./PartedNetwork.ts";

/** Numbered thinly over ten batches: one for each process at a time. */
const devices = 1_000;
const lastNo = 100_000;
const secrets = {
  WAYPOST_OPERATOR_KEY: "operator-key-of-three-processes",
  WAYPOST_SECRET_KEY: "secret-key-of-three-processes",
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

const statusOf = (url: string) => Effect.promise(() => fetch(url).then(({ status }) => status));

/** A workspace with its tokens, over one process. */
const workspaceOver = Effect.fnUntraced(function* (origin: string) {
  const operator = asker(`${origin}/operator/v1`, secrets.WAYPOST_OPERATOR_KEY);
  const { id } = data(yield* operator("/workspaces", { body: { name: "Shared" } }));
  yield* operator(`/workspaces/${id}`, { method: "PATCH", body: { platform_api_enabled: true } });
  const abilities = ["campaigns:write", "notifications:write", "locations:write", "locations:read"];
  const token = data(
    yield* operator(`/workspaces/${id}/tokens`, {
      body: { name: "Test", environment: "production", abilities },
    }),
  );
  const { sdk_key } = data(
    yield* operator(`/workspaces/${id}/production/sdk-keys`, { body: { name: "App" } }),
  );
  const platform = asker(`${origin}/platform/v1`, token.token);
  const note = { name: "Note", type: "message", headline: "Hello", body: "World" };
  return {
    operator,
    platform,
    token,
    sdkKey: sdk_key as string,
    place: (longitude: number) =>
      Effect.map(
        platform("/locations/import", {
          body: {
            type: "FeatureCollection",
            features: [{ ...circle(), geometry: { type: "Point", coordinates: [longitude, 52] } }],
          },
        }),
        (answer) => data(answer).results[0].id as string,
      ),
    campaign: Effect.fnUntraced(function* (fields: object, trigger: object) {
      const campaign = data(
        yield* platform("/campaigns", { body: { name: randomUUID(), timezone: "UTC", ...fields } }),
      );
      data(yield* platform(`/campaigns/${campaign.id}/notifications`, { body: { ...note, ...trigger } }));
    }),
    sends: Effect.map(operator(`/workspaces/${id}/production/sends`), data),
    revoke: Effect.map(operator(`/workspaces/${id}/tokens/${token.id}`, { method: "DELETE" }), data),
  };
});

const crowd = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    INSERT INTO device (workspace_id, environment, no, id, installation_id, platform, transport, token_digest, registered_at,
      last_seen_at)
    SELECT t.workspace_id, t.environment, n * ${lastNo / devices}::int, gen_random_uuid(), 'crowd-' || n, 'web', 'inbox', decode(repeat('00', 32), 'hex'),
      '2026-01-01Z', '2026-01-01Z'
    FROM tenant t, generate_series(1, ${devices}::int) AS n WHERE t.environment = 'production'`;
  yield* sql`UPDATE tenant SET last_device_no = ${lastNo} WHERE environment = 'production'`;
});

layer(TestDatabase.layer, { excludeTestServices: true })("Several processes on one PostgreSQL", (it) => {
  it.effect(
    "know at once what another changed, and share a send: one is killed, one cut off, the last finishes it, each device once (L5)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const [database] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`;
        const { socketPath, username } = inject("testServer");
        const network = yield* partedNetwork(socketPath);
        const host = encodeURIComponent(dirname(socketPath));
        const direct = `postgresql://${username}@localhost/${database?.name}?host=${host}`;
        const through = `postgresql://${username}@127.0.0.1:${network.port}/${database?.name}`;
        const [survivor, far, killed] = yield* Effect.all(
          [
            serve({ DATABASE_URL: direct }),
            serve({ DATABASE_URL: through }),
            serve({ DATABASE_URL: direct, WAYPOST_ROLES: "worker" }),
          ],
          { concurrency: "unbounded" },
        );

        // What one process answered to a change holds for the next request of every other.
        const workspace = yield* workspaceOver(survivor.origin);
        const today = dateAt("UTC" as never, yield* Clock.currentTimeMillis);
        const first = yield* workspace.place(4);
        yield* workspace.campaign(
          { type: "geo", starts_at: today, location_ids: [first] },
          { trigger_type: "on_enter" },
        );
        const phone = data(
          yield* asker(`${far.origin}/device/v1`, workspace.sdkKey)("/devices/phone", {
            method: "PUT",
            body: { platform: "ios" },
          }),
        );
        const device = asker(`${far.origin}/device/v1`, phone.device_token);
        const at = Effect.fnUntraced(function* (longitude: number) {
          const recorded_at = new Date(yield* Clock.currentTimeMillis).toISOString();
          const positions = [{ latitude: 52, longitude, recorded_at }];
          const { transitions } = data(yield* device("/positions", { body: { positions } }));
          return transitions.map((one: any) => [one.type, one.location_id]);
        });
        assert.deepStrictEqual(yield* at(4), [["enter", first]]);
        const second = yield* workspace.place(5);
        assert.deepStrictEqual(yield* at(5), [
          ["exit", first],
          ["enter", second],
        ]);
        const inbox = asker(`${survivor.origin}/device/v1`, phone.device_token)("/messages");
        assert.lengthOf(data(yield* inbox), 1);
        yield* workspace.campaign(
          { type: "push", starts_at: addDays(today, 1) },
          { trigger_type: "fixed_time", trigger_config: { send_at: "12:00" } },
        );
        const elsewhere = asker(`${far.origin}/platform/v1`, workspace.token.token);
        data(yield* elsewhere("/locations"));
        yield* workspace.revoke;
        yield* until(elsewhere("/locations"), ({ status }) => status === 401, 60);

        // As long as nobody can write a delivery, all three have batches in hand, and none is done.
        yield* sql`DELETE FROM device WHERE installation_id = 'phone'`;
        yield* crowd;
        const locked = yield* Deferred.make<void>();
        const striking = yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* sql`LOCK TABLE delivery IN SHARE MODE`;
            yield* Deferred.succeed(locked, undefined);
            const leased = Effect.orDie(sql`SELECT FROM send_batch WHERE leased_until IS NOT NULL`);
            yield* until(leased, (rows) => rows.length === 3, 60);
            network.part();
            yield* Effect.promise(() => killed.ends("SIGKILL"));
          }).pipe(sql.withTransaction),
        );
        yield* Deferred.await(locked);
        yield* sql`UPDATE send SET due_at = ${instant(yield* Clock.currentTimeMillis)}`;
        yield* Fiber.join(striking);

        yield* until(statusOf(`${far.origin}/health/ready`), (status) => status === 503, 60);
        assert.strictEqual(yield* statusOf(`${far.origin}/health/live`), 200);
        const waiting = yield* Effect.forkChild(
          asker(`${far.origin}/operator/v1`, secrets.WAYPOST_OPERATOR_KEY)("/workspaces"),
        );
        const [done] = yield* until(workspace.sends, ([send]) => send.status !== "running", 60);
        assert.deepInclude(done, { status: "done", targeted: devices, delivered: devices, failed: 0 });

        network.join();
        yield* until(statusOf(`${far.origin}/health/ready`), (status) => status === 200, 60);
        // Who was cut off comes back by itself, and nobody who asked it meanwhile is left without an answer.
        assert.include([200, 503], (yield* Fiber.join(waiting)).status);
        assert.strictEqual((yield* elsewhere("/locations")).status, 401);
        const [counts] = yield* sql<{ readonly rows: number; readonly reached: number }>`
          SELECT count(*)::int AS rows, count(DISTINCT device_no)::int AS reached FROM delivery WHERE trigger_type = 'fixed_time'`;
        assert.deepStrictEqual(counts, { rows: devices, reached: devices });
        for (const each of [survivor, far])
          assert.strictEqual((yield* Effect.promise(() => each.ends("SIGTERM"))).code, 0);
      }).pipe(Effect.scoped),
  );
});
