import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { SqlClient } from "effect/sql";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";

const variants = [{ key: "b", weight: 30, headline: "Other words" }];

/** A campaign with a holdout, a goal and a notification with a variant, in Production. */
const experimental = (campaign: object = { holdout_percent: 20 }, notification: object = { variants }) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* givenWorkspace();
    const { production } = world;
    const location = yield* production.location();
    const goal = { type: "visit", within_hours: 72 };
    const campaignId = yield* production.campaign({ location_ids: [location], goal, ...campaign });
    const notificationId = yield* production.notification(campaignId, notification);
    const path = `/campaigns/${campaignId}/experiment`;
    const sql = yield* SqlClient.SqlClient;
    /** Counts units of an arm, of the notification if that is said. */
    const count = (arm: string, enrolled: number, converted: number, ofNotification = true) =>
      Effect.orDie(sql`
        INSERT INTO enrolment_count (workspace_id, environment, campaign_key, notification_key, arm, at,
          enrolled, converted)
        SELECT c.workspace_id, c.environment, c.key,
          CASE WHEN ${ofNotification} THEN n.key ELSE 0 END, ${arm},
          '2026-11-21T12:00:00Z', ${enrolled}::int, ${converted}::int
        FROM campaign c, notification n WHERE c.id = ${campaignId} AND n.id = ${notificationId}`);
    return {
      ...world,
      campaignId,
      notificationId,
      location,
      count,
      show: Effect.map(production.platform(path), ({ body }) => body.data),
      csv: Effect.map(production.platform(`${path}?format=csv`), ({ body }) => body as string),
      stop: (body: unknown) => production.platform(`${path}/stop`, { body }),
    };
  });

layer(TestWaypost.layer)("The experiment of a campaign", (it) => {
  it.effect("figures are those of the arms, compared and tested (U6.1, U6.2, Z6, Z7, Z10)", () =>
    Effect.gen(function* () {
      const world = yield* experimental();
      const empty = yield* world.show;
      assert.deepStrictEqual(
        { ...empty, arms: empty.arms.length, comparisons: empty.comparisons.length },
        {
          goal: { type: "visit", within_hours: 72 },
          status: "running",
          started_at: null,
          stopped_at: null,
          winner: null,
          arms: 3,
          comparisons: 2,
          sample_ratio: { p_value: null, ok: true },
        },
      );
      yield* world.count("holdout", 20, 1, false);
      yield* world.count("all", 50, 9, false);
      yield* world.count("all", 30, 3, false);
      yield* world.count("b", 24, 5);
      yield* world.count("control", 56, 7);
      const shown = yield* world.show;
      assert.strictEqual(shown.started_at, "2026-11-21T12:00:00+00:00");
      assert.deepStrictEqual(shown.sample_ratio, { p_value: 1, ok: true });
      assert.deepStrictEqual(
        shown.arms.map(({ converted, enrolled, key, notification_id, rate }: any) => [
          notification_id,
          key,
          enrolled,
          converted,
          rate,
        ]),
        [
          [null, "holdout", 20, 1, 5],
          [world.notificationId, "b", 24, 5, 20.83],
          [world.notificationId, "control", 56, 7, 12.5],
        ],
      );
      assert.deepStrictEqual(
        shown.comparisons.map(({ against, difference, key, notification_id, significant }: any) => [
          notification_id,
          key,
          against,
          difference,
          significant,
        ]),
        [
          [world.notificationId, "b", "control", 8.33, false],
          [null, "all", "holdout", 10, false],
        ],
      );
    }),
  );

  it.effect("the arms are also CSV (Z14)", () =>
    Effect.gen(function* () {
      const world = yield* experimental();
      yield* world.count("b", 10, 10);
      assert.deepStrictEqual((yield* world.csv).split("\r\n"), [
        "notification_id,key,enrolled,delivered,converted,rate,interval_low,interval_high",
        ",holdout,0,0,0,,,",
        `${world.notificationId},b,10,0,10,100,69.1503,100`,
        `${world.notificationId},control,0,0,0,,,`,
        "",
      ]);
    }),
  );

  it.effect(
    "without holdout and variants there is none to stop (Z7, U7.1, errors.experiment_not_running)",
    () =>
      Effect.gen(function* () {
        const world = yield* experimental({ holdout_percent: 0, goal: null }, {});
        assert.deepStrictEqual(yield* world.show, {
          goal: null,
          status: "none",
          started_at: null,
          stopped_at: null,
          winner: null,
          arms: [],
          comparisons: [],
          sample_ratio: null,
        });
        const { body, status } = yield* world.stop({ winner: null });
        assert.deepStrictEqual([status, body.error.code], [409, "experiment_not_running"]);
        const unknown = yield* world.production.platform(`/campaigns/${randomUUID()}/experiment`);
        assert.strictEqual(unknown.status, 404);
      }),
  );

  it.effect(
    "a stop answers the experiment, also again, and is in the activity (U7.1, errors.experiment_stopped)",
    () =>
      Effect.gen(function* () {
        const world = yield* experimental();
        yield* TestClock.setTime(testStart + 60_000);
        const winner = { notification_id: world.notificationId, key: "b" };
        const stopped = yield* world.stop({ winner });
        assert.strictEqual(stopped.status, 200);
        const { status, stopped_at } = stopped.body.data;
        assert.deepStrictEqual(
          [status, stopped_at, stopped.body.data.winner],
          ["stopped", "2026-11-21T12:01:00+00:00", winner],
        );
        yield* TestClock.setTime(testStart + 120_000);
        // An id in upper case is the same id.
        const upper = { ...winner, notification_id: winner.notification_id.toUpperCase() };
        const again = yield* world.stop({ winner: upper, keep_holdout: false });
        assert.deepStrictEqual([again.status, again.body], [200, stopped.body]);
        for (const body of [{ winner: null }, { winner, keep_holdout: true }]) {
          const other = yield* world.stop(body);
          assert.deepStrictEqual([other.status, other.body.error.code], [409, "experiment_stopped"]);
        }
        const activity = yield* world.production.platform("/activity?action=stop");
        assert.deepStrictEqual(
          activity.body.data.map(({ changes, resource }: any) => [resource.id, changes.experiment]),
          [[world.campaignId, { old: "running", new: "stopped" }]],
        );
      }),
  );

  it.effect("the winner must be said, and be a variant of the campaign (U7.2)", () =>
    Effect.gen(function* () {
      const world = yield* experimental();
      const of = (key: string, notification_id: string = world.notificationId) => ({
        winner: { notification_id, key },
      });
      for (const [body, field] of [
        [{}, "winner"],
        [{ winner: "b" }, "winner"],
        [{ winner: { key: "b" } }, "winner.notification_id"],
        [of("c"), "winner.key"],
        [of("holdout"), "winner.key"],
        [of("b", randomUUID()), "winner.notification_id"],
        [{ ...of("b"), keep_holdout: "yes" }, "keep_holdout"],
      ] as const) {
        const { body: answer, status } = yield* world.stop(body);
        assert.deepStrictEqual([status, Object.keys(answer.error.fields)], [422, [field]]);
      }
      assert.strictEqual((yield* world.stop(of("control"))).status, 200);
    }),
  );
});
