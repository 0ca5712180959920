import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { CountSumsSql } from "../../src/experiments/CountSumsSql.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { addUpAll, enrolledWorld, hour, isAddedUp, iso } from "./EnrolledWorld.ts";

const minute = 60_000;
const once = { rows: { all: 1 }, counts: { all: 1 } };
const none = { rows: { all: 0 }, counts: { all: 0 } };
const visitGoal = { type: "visit", within_hours: 2 };

layer(TestWaypost.layer)("Goals that are stored before the enrolment", (it) => {
  it.effect("a visit by a clock that is ahead converts if it is dated after the enrolment, once (Z16)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld(visitGoal);
      const visit = (phone: typeof world.phone, at: number, type: "enter" | "exit" = "enter") =>
        phone.sees(type, world.location, { occurred_at: iso(at) });
      const [early, leaving] = [yield* world.production.phone(), yield* world.production.phone()];
      yield* visit(world.phone, testStart + 4 * minute);
      yield* visit(early, testStart + 2 * minute);
      yield* visit(leaving, testStart + 4 * minute, "exit");
      yield* TestClock.setTime(testStart + 2 * minute);
      for (const phone of [world.phone, early, leaving])
        yield* world.enrol(phone, { at: testStart + 2 * minute });
      assert.deepStrictEqual(yield* world.converted, none);
      yield* addUpAll;
      assert.deepStrictEqual(yield* world.converted, once);
      yield* visit(world.phone, testStart + 5 * minute);
      yield* world.enrol(yield* world.production.phone(), { at: testStart + 2 * minute });
      yield* addUpAll;
      assert.deepStrictEqual(yield* world.converted, once);
    }).pipe(Effect.provide(CountSumsSql.layer)),
  );

  it.effect(
    "such a visit counts at the locations and groups of the goal, for any device of a person (Z16)",
    () =>
      Effect.gen(function* () {
        const world = yield* enrolledWorld(visitGoal);
        const { production } = world;
        const [own, grouped, another] = [
          yield* production.location({ name: "Own" }),
          yield* production.location({ name: "Grouped", group: "Shops" }),
          yield* production.location({ name: "Another" }),
        ];
        const [group] = (yield* production.platform("/location-groups")).body.data;
        const goal = { ...visitGoal, location_ids: [own], location_group_ids: [group.id] };
        const tested = yield* enrolledWorld(goal, { world });
        for (const [at, all] of [
          [own, 1],
          [grouped, 2],
          [another, 2],
        ] as const) {
          const user_id = randomUUID();
          const [one, two] = [
            yield* production.phone(randomUUID(), { user_id }),
            yield* production.phone(randomUUID(), { user_id }),
          ];
          yield* one.sees("enter", at, { occurred_at: iso(testStart + 4 * minute) });
          yield* tested.enrol(two, { at: testStart + minute });
          yield* addUpAll;
          assert.deepStrictEqual(yield* tested.converted, { rows: { all }, counts: { all } });
        }
      }).pipe(Effect.provide(CountSumsSql.layer)),
  );

  it.effect("new enrolments are checked 10,000 at a time, and all are counted (Z16)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const world = yield* enrolledWorld(visitGoal);
      yield* world.enrol(world.phone);
      yield* sql`INSERT INTO enrolment_count
          (workspace_id, environment, campaign_key, notification_key, arm, at, enrolled)
        SELECT workspace_id, environment, campaign_key, notification_key, arm, at, 1
        FROM enrolment_count, generate_series(1, 12000)
        WHERE workspace_id = ${world.production.workspaceId} AND enrolled = 1`;
      const counted = Effect.map(
        sql<{ readonly left: number; readonly all: number }>`
          SELECT (count(*) FILTER (WHERE NOT is_sum AND enrolled > 0))::int AS left, sum(enrolled)::int AS all
          FROM enrolment_count WHERE workspace_id = ${world.production.workspaceId}`,
        ([row]) => row ?? { left: 0, all: 0 },
      );
      const { addUp } = yield* CountSumsSql;
      for (let { left } = yield* counted; left > 0;) {
        yield* addUp;
        const now = yield* counted;
        assert.isAtMost(left - now.left, 10_000);
        assert.strictEqual(now.all, 12_001);
        left = now.left;
      }
    }).pipe(Effect.provide(CountSumsSql.layer)),
  );

  it.effect("the visit that enrols by a clock that is ahead does not convert (U5.1)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld(visitGoal);
      yield* world.phone.sees("enter", world.location, { occurred_at: iso(testStart + 4 * minute) });
      yield* world.enrol(world.phone, { at: testStart });
      yield* addUpAll;
      assert.deepStrictEqual(yield* world.converted, none);
    }).pipe(Effect.provide(CountSumsSql.layer)),
  );

  it.effect("a custom event by a clock that is ahead converts like a visit (Z16, V5)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld({ type: "event", within_hours: 2, event: "basket.filled" });
      const happen = (name: string, phone: typeof world.phone) =>
        phone.report([{ id: randomUUID(), type: "custom", name, occurred_at: iso(testStart + 4 * minute) }]);
      const other = yield* world.production.phone();
      yield* happen("basket.filled", world.phone);
      yield* happen("basket.emptied", other);
      for (const phone of [world.phone, other]) yield* world.enrol(phone, { at: testStart + minute });
      yield* addUpAll;
      assert.deepStrictEqual(yield* world.converted, once);
    }).pipe(Effect.provide(CountSumsSql.layer)),
  );

  it.effect("a visit whose transaction does not see the enrolment, and ends later, converts (Z16)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld(visitGoal);
      const sql = yield* SqlClient.SqlClient;
      const { addUp } = yield* CountSumsSql;
      yield* TestClock.setTime(testStart + hour);
      const [isStored, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
      const storing = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`
              INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
                occurred_at, received_at)
              SELECT d.workspace_id, d.environment, d.key, gen_random_uuid(), 'enter', l.key,
                ${iso(testStart + minute)}::text::timestamptz, ${iso(testStart + minute)}::text::timestamptz
              FROM device d JOIN location l USING (workspace_id, environment)
              WHERE d.id = ${world.phone.id} AND l.id = ${world.location}`;
            yield* Deferred.succeed(isStored, undefined);
            yield* Deferred.await(mayEnd);
          }),
        ),
      );
      yield* Deferred.await(isStored);
      yield* world.enrol(world.phone);
      yield* addUp;
      yield* addUp;
      assert.isFalse(yield* isAddedUp);
      yield* Deferred.succeed(mayEnd, undefined);
      yield* Fiber.join(storing);
      yield* addUpAll;
      assert.deepStrictEqual(yield* world.converted, once);
    }).pipe(Effect.provide(CountSumsSql.layer)),
  );
});
