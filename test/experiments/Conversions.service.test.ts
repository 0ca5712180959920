import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { lockWait } from "../database/OnCitus.ts";
import { question } from "../events/AnswerWorld.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { enrolledWorld, hour, iso } from "./EnrolledWorld.ts";

const minute = 60_000;
const once = { rows: { all: 1 }, counts: { all: 1 } };
const none = { rows: { all: 0 }, counts: { all: 0 } };

/** A campaign with a goal, and a message that its enrolled phone has got. */
const withMessage = (type: string, notification: object = {}) =>
  Effect.gen(function* () {
    const world = yield* enrolledWorld({ type, within_hours: 2 }, { notification });
    const [message] = (yield* world.phone.sees("enter", world.location)).deliveries;
    yield* world.enrol(world.phone);
    const mark = (what: "opened" | "clicked", at: number) =>
      world.phone.ask(`/messages/${message.id}/${what}`, { method: "POST", body: { occurred_at: iso(at) } });
    return { ...world, message, mark };
  });

layer(TestWaypost.layer)("Conversions of units", (it) => {
  it.effect(
    "an open converts once, at the instant of the open, from the enrolment to its end (U5.1, U5.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* withMessage("opened");
        yield* TestClock.setTime(testStart + 30 * hour);
        yield* world.mark("opened", testStart + 2 * hour);
        yield* world.mark("opened", testStart + hour);
        yield* world.mark("clicked", testStart + hour);
        assert.deepStrictEqual(yield* world.converted, once);

        const late = yield* withMessage("opened");
        yield* TestClock.setTime(testStart + 30 * hour);
        yield* late.mark("opened", testStart + 2 * hour + 1);
        assert.deepStrictEqual(yield* late.converted, none);

        // A device whose clock is behind: the open counts as that of the delivery (X1a).
        const behind = yield* withMessage("opened");
        yield* behind.mark("opened", testStart - minute);
        assert.deepStrictEqual(yield* behind.converted, once);
      }),
  );

  it.effect("a click converts where clicking is the goal, and is an open, too (U5.1)", () =>
    Effect.gen(function* () {
      const clicking = yield* withMessage("clicked");
      yield* clicking.mark("opened", testStart + minute);
      assert.deepStrictEqual(yield* clicking.converted, none);
      yield* clicking.mark("clicked", testStart + minute);
      assert.deepStrictEqual(yield* clicking.converted, once);
      const opening = yield* withMessage("opened");
      yield* opening.mark("clicked", testStart + minute);
      assert.deepStrictEqual(yield* opening.converted, once);
    }),
  );

  it.effect("the first answer to a survey converts (U5.1, U5.2)", () =>
    Effect.gen(function* () {
      const world = yield* withMessage("answered", { type: "survey", questions: [question("RATING")] });
      const answer = (value: number) =>
        world.phone.ask(`/messages/${world.message.id}/answers`, {
          body: { answers: [{ question_id: world.message.questions[0].id, value }] },
        });
      yield* TestClock.setTime(testStart + minute);
      assert.strictEqual((yield* answer(3)).status, 200);
      yield* answer(4);
      assert.deepStrictEqual(yield* world.converted, once);
    }),
  );

  it.effect(
    "a visit converts if it occurred after the enrolment, however late it is reported (U5.1, U5.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* enrolledWorld({ type: "visit", within_hours: 2 });
        yield* world.enrol(world.phone);
        yield* TestClock.setTime(testStart + 30 * hour);
        const visit = (at: number, type: "enter" | "exit" = "enter") =>
          world.phone.sees(type, world.location, { occurred_at: iso(at) });
        yield* visit(testStart);
        yield* visit(testStart - minute);
        yield* visit(testStart + 2 * hour + 1);
        yield* visit(testStart + hour, "exit");
        assert.deepStrictEqual(yield* world.converted, none);
        yield* visit(testStart + 2 * hour);
        yield* visit(testStart + hour);
        assert.deepStrictEqual(yield* world.converted, once);
      }),
  );

  it.effect("a visit counts at the locations and groups of the goal (U5.1)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld({ type: "visit", within_hours: 2 });
      const { production } = world;
      const [own, grouped, another] = [
        yield* production.location({ name: "Own" }),
        yield* production.location({ name: "Grouped", group: "Shops" }),
        yield* production.location({ name: "Another" }),
      ];
      const groups = (yield* production.platform("/location-groups")).body.data;
      let all = 0;
      for (const [goal, at, converts] of [
        [{ location_ids: [own] }, own, true],
        [{ location_ids: [own] }, another, false],
        [{ location_group_ids: [groups[0].id] }, grouped, true],
        [{ location_group_ids: [groups[0].id], location_ids: [own] }, own, true],
        [{ location_group_ids: [groups[0].id] }, another, false],
        [{}, another, true],
      ] as const) {
        const tested = yield* enrolledWorld({ type: "visit", within_hours: 2, ...goal }, { world });
        const phone = yield* production.phone();
        yield* tested.enrol(phone);
        yield* TestClock.setTime(testStart + minute);
        yield* phone.sees("enter", at);
        if (converts) all++;
        assert.deepStrictEqual(yield* tested.converted, { rows: { all }, counts: { all } });
      }
    }),
  );

  it.effect("any device of a person converts the person, once (U5.1)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld({ type: "visit", within_hours: 2 });
      const [first, second, stranger] = [
        yield* world.production.phone(randomUUID(), { user_id: "ada" }),
        yield* world.production.phone(randomUUID(), { user_id: "ada" }),
        yield* world.production.phone(),
      ];
      yield* world.enrol(first);
      yield* TestClock.setTime(testStart + minute);
      yield* stranger.sees("enter", world.location);
      assert.deepStrictEqual(yield* world.converted, none);
      yield* Effect.all(
        [first, second].flatMap((phone) => [1, 2, 3].map(() => phone.sees("enter", world.location))),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(yield* world.converted, once);
    }),
  );

  it.effect("a unit converts in each arm by that arm's own enrolment, and in all by its first (Z6)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld({ type: "visit", within_hours: 2 });
      const { notificationKey } = world;
      yield* world.enrol(world.phone, { notificationKey, arm: "b" });
      yield* world.enrol(world.phone, {
        notificationKey: notificationKey + 1_000_000,
        arm: "control",
        isFirst: false,
        at: testStart + hour,
      });
      yield* TestClock.setTime(testStart + 3 * hour);
      const visit = (at: number) => world.phone.sees("enter", world.location, { occurred_at: iso(at) });
      yield* visit(testStart + minute);
      assert.deepStrictEqual(yield* world.converted, {
        rows: { b: 1, control: 0 },
        counts: { all: 1, b: 1, control: 0 },
      });
      yield* visit(testStart + hour + minute);
      assert.deepStrictEqual(yield* world.converted, {
        rows: { b: 1, control: 1 },
        counts: { all: 1, b: 1, control: 1 },
      });
    }),
  );

  it.effect("an earlier visit that waits for the transaction of a later one counts instead (U5.1)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld({ type: "visit", within_hours: 2 });
      const { workspaceId } = world.production;
      const sql = yield* SqlClient.SqlClient;
      yield* world.enrol(world.phone);
      yield* TestClock.setTime(testStart + hour);
      const [isConverted, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
      const later = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`
              WITH converted AS (
                UPDATE enrolment SET converted_at = ${iso(testStart + hour)}::text::timestamptz
                WHERE workspace_id = ${workspaceId} AND unit_key = (
                  SELECT key FROM device WHERE workspace_id = ${workspaceId} AND id = ${world.phone.id}
                )
                RETURNING *
              )
              INSERT INTO enrolment_count (workspace_id, environment, campaign_key, notification_key, arm, at,
                converted)
              SELECT workspace_id, environment, campaign_key, notification_key, arm, converted_at, 1
              FROM converted`;
            yield* Deferred.succeed(isConverted, undefined);
            yield* Deferred.await(mayEnd);
          }),
        ),
      );
      yield* Deferred.await(isConverted);
      const occurred_at = iso(testStart + minute);
      const earlier = yield* Effect.forkChild(world.phone.sees("enter", world.location, { occurred_at }));
      yield* lockWait("%WITH reached AS%");
      yield* Deferred.succeed(mayEnd, undefined);
      yield* Fiber.join(later);
      yield* Fiber.join(earlier);
      assert.deepStrictEqual(yield* world.converted, once);
      const [row] = yield* sql<{ readonly at: Date }>`
        SELECT converted_at AS at FROM enrolment
        WHERE workspace_id = ${workspaceId} AND unit_key = (
          SELECT key FROM device WHERE workspace_id = ${workspaceId} AND id = ${world.phone.id})`;
      assert.strictEqual(row?.at.toISOString(), occurred_at);
    }),
  );

  it.effect(
    "an event is stored in the transaction that converts its unit, and never without (U5.1, I1)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        for (const goal of [{ type: "visit" }, { type: "event", event: "basket.filled" }]) {
          const world = yield* enrolledWorld({ ...goal, within_hours: 2 });
          const { workspaceId } = world.production;
          yield* world.enrol(world.phone);
          yield* TestClock.setTime(testStart + minute);
          const [isLocked, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
          const other = yield* Effect.forkChild(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`SELECT FROM enrolment WHERE workspace_id = ${workspaceId} FOR UPDATE`;
                yield* Deferred.succeed(isLocked, undefined);
                yield* Deferred.await(mayEnd);
              }),
            ),
          );
          yield* Deferred.await(isLocked);
          const happened = { occurred_at: iso(testStart + minute) };
          const event = { id: randomUUID(), type: "custom", name: "basket.filled", ...happened };
          const report =
            goal.type === "visit"
              ? Effect.asVoid(world.phone.sees("enter", world.location, happened))
              : Effect.asVoid(world.phone.report([event]));
          const reported = yield* Effect.forkChild(report);
          yield* lockWait("%WITH reached AS%");
          const stored = yield* sql`
          SELECT id FROM geofence_event WHERE workspace_id = ${workspaceId}
          UNION ALL SELECT id FROM custom_event WHERE workspace_id = ${workspaceId}`;
          yield* Deferred.succeed(mayEnd, undefined);
          yield* Fiber.join(other);
          yield* Fiber.join(reported);
          assert.deepStrictEqual(stored, []);
          assert.deepStrictEqual(yield* world.converted, once);
        }
      }),
  );
});
