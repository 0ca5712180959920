import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Dwells } from "../../src/events/Dwells.ts";
import { outboxSql } from "../../src/outbox/OutboxSql.ts";
import { Deliveries } from "../../src/sending/deliveries/Deliveries.ts";
import { lockDevice, lockWait, transactionsEnd } from "../database/OnCitus.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { afterPause } from "../workers/JobRuns.ts";
import { decide, dwelling, dwellWorld, withoutJobs } from "./DwellWorld.ts";

/** Another process, which ends with its run. */
const worker = Effect.provide(
  decide,
  Layer.fresh(Layer.provide(Dwells.layer, [Deliveries.layer, outboxSql])),
);

layer(withoutJobs)("Workers that decide on visits", (it) => {
  it.effect("workers at once fire each of a thousand visits once, in pages (P1.2)", () =>
    Effect.gen(function* () {
      const { campaignId, location, phone } = yield* dwellWorld();
      const sql = yield* SqlClient.SqlClient;
      yield* phone.sees("enter", location);
      yield* sql`INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
          approved, token_digest, registered_at, last_seen_at)
        SELECT d.workspace_id, d.environment, 1000 + n, gen_random_uuid(), 'crowd ' || n, 'web', 'inbox',
          true, d.token_digest, d.registered_at, d.last_seen_at
        FROM device d, generate_series(1, 1200) AS n WHERE d.id = ${phone.id}`;
      yield* sql`INSERT INTO geofence_event SELECT e.workspace_id, e.environment, d.key, e.id, e.type,
          e.location_key, e.occurred_at, e.received_at
        FROM geofence_event e JOIN device d USING (workspace_id, environment)
        JOIN device p ON p.id = ${phone.id} AND p.key = e.device_key AND p.workspace_id = e.workspace_id
        WHERE d.installation_id LIKE 'crowd %'`;
      yield* sql`INSERT INTO dwell SELECT (jsonb_populate_record(w,
          jsonb_build_object('device_key', d.key))).*
        FROM dwell w JOIN device d USING (workspace_id, environment)
        JOIN device p ON p.id = ${phone.id} AND p.key = w.device_key AND p.workspace_id = w.workspace_id
        WHERE d.installation_id LIKE 'crowd %'`;
      yield* TestClock.adjust("10 minutes");
      yield* Effect.all([worker, worker, worker], { concurrency: "unbounded" });
      const [row] = yield* sql`
        SELECT count(*)::int AS deliveries, count(DISTINCT device_key)::int AS devices FROM delivery
        WHERE campaign_key = (SELECT key FROM campaign WHERE id = ${campaignId})`;
      assert.deepStrictEqual(row, { deliveries: 1201, devices: 1201 });
      yield* TestClock.adjust("17 minutes");
      yield* decide;
      assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS rows FROM dwell`, [{ rows: 0 }]);
    }),
  );

  it.effect("a worker that dies before it commits leaves the visit to the next one (P1.4)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld();
      const sql = yield* SqlClient.SqlClient;
      yield* phone.sees("enter", location);
      yield* TestClock.adjust("10 minutes");
      // The worker has locked the row and waits for the device, which the holder's transaction has locked.
      const [held, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
      const holder = yield* Effect.forkChild(
        lockDevice(phone.id).pipe(
          Effect.andThen(Deferred.succeed(held, undefined)),
          Effect.andThen(Deferred.await(end)),
          sql.withTransaction,
        ),
      );
      yield* Deferred.await(held);
      const dying = yield* Effect.forkChild(worker);
      yield* lockWait("%WITH held AS%");
      yield* decide;
      yield* Fiber.interrupt(dying);
      yield* Deferred.succeed(end, undefined);
      yield* Fiber.join(holder);
      assert.strictEqual(yield* messages, 0);
      yield* transactionsEnd;
      yield* decide;
      assert.strictEqual(yield* messages, 1);
    }),
  );

  it.effect("a visit whose decision fails does not hold up the others (P1.2)", () =>
    Effect.gen(function* () {
      const broken = yield* dwellWorld();
      const sound = yield* dwellWorld();
      const sql = yield* SqlClient.SqlClient;
      for (const { location, phone } of [broken, sound]) yield* phone.sees("enter", location);
      // No delivery can have such a content type: the statement that inserts it fails.
      yield* sql`ALTER TABLE dwell DROP CONSTRAINT dwell_content_type_check`;
      yield* sql`UPDATE dwell w SET content_type = 'broken' FROM device d
        WHERE d.id = ${broken.phone.id} AND d.key = w.device_key AND d.workspace_id = w.workspace_id`;
      yield* TestClock.adjust("10 minutes");
      yield* decide;
      assert.deepStrictEqual([yield* broken.messages, yield* sound.messages], [0, 1]);
      yield* TestClock.adjust("15.1 minutes");
      yield* decide;
      assert.strictEqual(yield* broken.messages, 0);
    }),
  );
});

layer(TestWaypost.layer)("The job that decides on visits", (it) => {
  it.effect("a device that reports nothing gets its message within 5 seconds of the minute (P1.2)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld({}, dwelling(1));
      yield* phone.sees("enter", location);
      yield* TestClock.adjust("59 seconds");
      assert.strictEqual(yield* messages, 0);
      for (let second = 0; second < 6; second++) yield* afterPause("dwells", "1 second");
      const [message] = yield* phone.inbox();
      assert.isAtMost(Date.parse(message.delivered_at), Date.parse("2026-11-21T12:01:05Z"));
    }),
  );
});
