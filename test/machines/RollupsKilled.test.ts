import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { campaignRowStatuses } from "../../src/reports/Report.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { asked, history, sparse } from "../reports/AnyHistory.ts";
import { record } from "../reports/RecordedHistory.ts";
import type { ReportHistory } from "../reports/ReportHistory.ts";
import { ReportOracle } from "../reports/ReportOracle.ts";
import { end, type Machine, machines, ok, operatorOf, until } from "./Machines.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** What a step of making rollups anew spans at most ends within what happened so long before. */
const farBack = 390 * DAY;
const authenticator = 4711;

/** The past, and once more as it was long before. */
const twice = (past: ReportHistory): ReportHistory => ({
  ...past,
  deliveries: past.deliveries.flatMap((each) => [each, { ...each, settledAt: each.settledAt - farBack }]),
  events: past.events.flatMap((each) => [each, { ...each, occurredAt: each.occurredAt - farBack }]),
});

/** The past, and what `addMore` writes. */
const andMore = (past: ReportHistory): ReportHistory => ({
  ...past,
  deliveries: [...past.deliveries, ...past.deliveries],
  events: [...past.events, ...past.events.map((each) => ({ ...each, occurredAt: each.occurredAt + HOUR }))],
});

/** Each delivery once more, and each event an hour later once more. */
const addMore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    INSERT INTO delivery SELECT (jsonb_populate_record(d, jsonb_build_object('source_id', source_id + 100000))).* FROM delivery d`;
  yield* sql`
    INSERT INTO geofence_event
    SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'occurred_at', occurred_at + interval '1 hour'))).*
    FROM geofence_event e`;
}).pipe(Effect.orDie);

/** Lets rows of rollups from before a day wait at a door, in the middle of the transaction that writes them. */
const doorBefore = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    CREATE OR REPLACE FUNCTION wait_at_door() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(${sql.literal(String(authenticator))}); RETURN NEW; END $$`
    .unprepared;
  yield* sql`
    CREATE OR REPLACE TRIGGER authenticator BEFORE INSERT ON delivery_rollup FOR EACH ROW
    WHEN (NEW.starts_on < ${sql.literal(`'${day}'`)}) EXECUTE FUNCTION wait_at_door()`.unprepared;
}, Effect.orDie);

/** Shuts the door until the effect that it gives has run. */
const shut = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [isShut, isOpen] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
  const holding = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(${authenticator})`;
        yield* Deferred.succeed(isShut, undefined);
        // A transaction that says nothing would be ended.
        const stay = Effect.repeat(sql`SELECT 1`, Schedule.spaced("1 second"));
        yield* Effect.raceFirst(Deferred.await(isOpen), stay);
      }),
    ),
  );
  yield* Deferred.await(isShut);
  return Effect.andThen(Deferred.succeed(isOpen, undefined), Fiber.join(holding));
});

const waitsAtDoor = ({ child }: Machine) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const waiting = Effect.orDie(sql`
      SELECT FROM pg_stat_activity WHERE application_name LIKE ${`% ${child.pid}`} AND wait_event = 'advisory'`);
    yield* until(waiting, (rows) => rows.length > 0);
  });

layer(TestDatabase.layer, { excludeTestServices: true })("Workers that roll up", (it) => {
  it.effect(
    "lose and double nothing when they are killed in the middle of a step and of making all anew, and two go on at once " +
      "(K6)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const [drawn] = fc.sample(history, { numRuns: 1, seed: 5 });
        const requests = fc.sample(sparse, { numRuns: 1000, seed: 55 })[Symbol.iterator]();
        if (drawn === undefined) return assert.fail("There is a history.");
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
          for (let ask = 0; ask < 4; ask++) {
            const one = requests.next().value as typeof sparse extends fc.Arbitrary<infer A> ? A : never;
            const whole = {
              ...asked(ask % 2 === 0 ? one : { ...one, kept: [] }, ids, campaignRowStatuses),
              ...(ask < 2 ? { start: "2025-09-10", end: "2025-11-20" } : {}),
            };
            const { status: _, ...query } = whole;
            for (const report of ["summary", "campaigns", "locations", "notifications"] as const) {
              const search = new URLSearchParams(query).toString();
              const { body } = yield* operator(`/workspaces/${id}/production/reports/${report}?${search}`);
              assert.deepStrictEqual(body.data, oracle[report](query), `${moment}: ${report}?${search}`);
            }
          }
        });
        const state = Effect.map(
          sql<{ readonly zone: string; readonly from: string; readonly fed: number }>`
            SELECT timezone AS zone, rolled_up_from::text AS "from",
              (SELECT count(*)::int FROM delivery_delta) + (SELECT count(*)::int FROM event_delta) AS fed
            FROM rollup_state WHERE workspace_id = ${key}`.pipe(Effect.orDie),
          ([row]) => row ?? { zone: "", from: "", fed: -1 },
        );
        const isDone = until(
          state,
          ({ fed, from, zone }) => zone === timezone && from === "-infinity" && fed === 0,
        );
        yield* isDone;
        yield* verify("rolled up");

        yield* doorBefore("infinity");
        let open = yield* shut;
        yield* addMore;
        past = andMore(past);
        yield* waitsAtDoor(first);
        yield* verify("in the middle of a step");
        yield* end(first, "SIGKILL");
        yield* verify("killed in the middle of a step");
        yield* open;
        const second = yield* start("worker");
        yield* isDone;
        yield* verify("another took the step");

        yield* doorBefore("2025-10-01");
        open = yield* shut;
        timezone = "America/New_York";
        ok(yield* operator(`/workspaces/${id}`, { method: "PATCH", body: { timezone } }));
        yield* waitsAtDoor(second);
        const { from, zone } = yield* state;
        assert.deepStrictEqual([zone, from.slice(0, 7)], [timezone, "2025-10"]);
        yield* verify("in the middle of making all anew");
        yield* end(second, "SIGKILL");
        yield* verify("killed in the middle of making all anew");
        assert.strictEqual((yield* state).from, from);
        yield* open;
        yield* Effect.all([start("worker"), start("worker")], { concurrency: "unbounded" });
        yield* verify("two go on");
        yield* isDone;
        yield* verify("two have made all anew");
      }),
  );
});
