import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { campaignRowStatuses } from "../../src/reports/Report.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { anyHistory, anyRequest, queryOf, type ReportRequest } from "../reports/AnyHistory.ts";
import { record } from "../reports/RecordedHistory.ts";
import type { ReportHistory } from "../reports/ReportHistory.ts";
import { ReportOracle } from "../reports/ReportOracle.ts";
import { ok } from "../given/Given.ts";
import { end, type Machine, machines, operatorOf, until } from "./Machines.ts";
import { writeDeliveries, writeEvents } from "../SourceRows.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Rows so much older are rebuilt in another period: a period has at most 400 days. */
const farBack = 390 * DAY;
/** The advisory lock that pauses a worker. */
const pauseLock = 4711;

/** A history, and the same once more long before. */
const twice = (past: ReportHistory): ReportHistory => ({
  ...past,
  deliveries: past.deliveries.flatMap((each) => [each, { ...each, settledAt: each.settledAt - farBack }]),
  events: past.events.flatMap((each) => [each, { ...each, occurredAt: each.occurredAt - farBack }]),
});

/** A history, and the rows of `addMore`. */
const withMore = (past: ReportHistory): ReportHistory => ({
  ...past,
  deliveries: [...past.deliveries, ...past.deliveries],
  events: [...past.events, ...past.events.map((each) => ({ ...each, occurredAt: each.occurredAt + HOUR }))],
});

/** Writes each delivery once more, and each event once more an hour later. */
const addMore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* writeDeliveries(sql`
    INSERT INTO delivery
    SELECT (jsonb_populate_record(d, jsonb_build_object('source_id', source_id + 100000))).*
    FROM delivery d`);
  yield* writeEvents(sql`
    INSERT INTO geofence_event
    SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(),
      'occurred_at', occurred_at + interval '1 hour'))).*
    FROM geofence_event e`);
}).pipe(Effect.orDie);

/** Makes inserts of rollups from before a day wait for the lock, in the middle of their transaction. */
const pauseBefore = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    CREATE OR REPLACE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(${sql.literal(String(pauseLock))}); RETURN NEW; END $$`
    .unprepared;
  yield* sql`
    CREATE OR REPLACE TRIGGER pause BEFORE INSERT ON delivery_rollup FOR EACH ROW
    WHEN (NEW.starts_on < ${sql.literal(`'${day}'`)}) EXECUTE FUNCTION wait_for_lock()`.unprepared;
}, Effect.orDie);

/** Takes the lock. Gives an effect that releases it. */
const takeLock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [isTaken, isReleased] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
  const holding = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(${pauseLock})`;
        yield* Deferred.succeed(isTaken, undefined);
        // An idle transaction would be ended.
        const keepAlive = Effect.repeat(sql`SELECT 1`, Schedule.spaced("1 second"));
        yield* Effect.raceFirst(Deferred.await(isReleased), keepAlive);
      }),
    ),
  );
  yield* Deferred.await(isTaken);
  return Effect.andThen(Deferred.succeed(isReleased, undefined), Fiber.join(holding));
});

/** Waits until a worker waits for the lock. */
const isPaused = ({ child }: Machine) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const waiting = Effect.orDie(sql`
      SELECT FROM pg_stat_activity
      WHERE application_name LIKE ${`% ${child.pid}`} AND wait_event = 'advisory'`);
    yield* until(waiting, (rows) => rows.length > 0);
  });

layer(TestDatabase.layer, { excludeTestServices: true })("Workers that roll up", (it) => {
  it.effect(
    "workers killed in a step or a rebuild lose and double nothing, and two continue at once (K6)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const [drawn] = fc.sample(anyHistory, { numRuns: 1, seed: 5 });
        const requests = fc.sample(anyRequest, { numRuns: 1000, seed: 55 })[Symbol.iterator]();
        if (drawn === undefined) return assert.fail("There is no history.");
        let past = twice(drawn);
        let timezone = "UTC";
        const { start } = yield* machines;
        const [api, first] = yield* Effect.all([start("api"), start("worker")], {
          concurrency: "unbounded",
        });
        const operator = operatorOf(api);
        const { id } = ok(yield* operator("/workspaces", { body: { name: "Counted", timezone } }));
        const [{ key } = { key: 0 }] = yield* sql<{
          readonly key: number;
        }>`SELECT id AS key FROM workspace WHERE public_id = ${id}`;
        const ids = yield* record(key, "production", past);

        const verify = Effect.fnUntraced(function* (moment: string) {
          const oracle = new ReportOracle(past, ids, timezone, yield* Clock.currentTimeMillis);
          for (let index = 0; index < 4; index++) {
            const drawn = requests.next().value as ReportRequest;
            const request = index % 2 === 0 ? drawn : { ...drawn, sent: [] };
            const { status: _, ...query } = {
              ...queryOf(request, ids, campaignRowStatuses),
              ...(index < 2 ? { start: "2025-09-10", end: "2025-11-20" } : {}),
            };
            for (const report of ["summary", "campaigns", "locations", "notifications"] as const) {
              const search = new URLSearchParams(query).toString();
              const { body } = yield* operator(`/workspaces/${id}/production/reports/${report}?${search}`);
              assert.deepStrictEqual(body.data, oracle[report](query), `${moment}: ${report}?${search}`);
            }
          }
        });
        const state = Effect.map(
          sql<{ readonly zone: string; readonly from: string; readonly deltas: number }>`
            SELECT timezone AS zone, rolled_up_from::text AS "from",
              (SELECT count(*)::int FROM delivery_delta) + (SELECT count(*)::int FROM event_delta) AS deltas
            FROM rollup_state WHERE workspace_id = ${key}`.pipe(Effect.orDie),
          ([row]) => row ?? { zone: "", from: "", deltas: -1 },
        );
        const isDone = until(
          state,
          ({ deltas, from, zone }) => zone === timezone && from === "-infinity" && deltas === 0,
        );
        yield* isDone;
        yield* verify("rolled up");

        yield* pauseBefore("infinity");
        let release = yield* takeLock;
        yield* addMore;
        past = withMore(past);
        yield* isPaused(first);
        yield* verify("in the middle of a step");
        yield* end(first, "SIGKILL");
        yield* verify("killed in the middle of a step");
        yield* release;
        const second = yield* start("worker");
        yield* isDone;
        yield* verify("another worker took the step");

        yield* pauseBefore("2025-10-01");
        release = yield* takeLock;
        timezone = "America/New_York";
        ok(yield* operator(`/workspaces/${id}`, { method: "PATCH", body: { timezone } }));
        yield* isPaused(second);
        const { from, zone } = yield* state;
        assert.deepStrictEqual([zone, from.slice(0, 7)], [timezone, "2025-10"]);
        yield* verify("in the middle of a rebuild");
        yield* end(second, "SIGKILL");
        yield* verify("killed in the middle of a rebuild");
        assert.strictEqual((yield* state).from, from);
        yield* release;
        yield* Effect.all([start("worker"), start("worker")], { concurrency: "unbounded" });
        yield* verify("two continue");
        yield* isDone;
        yield* verify("two have rebuilt");
      }),
  );
});
