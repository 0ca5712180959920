import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { jsonb } from "../../src/database/Rows.ts";
import { CountSumsSql } from "../../src/experiments/CountSumsSql.ts";
import { oneCampaign } from "../events/EventWorld.ts";
import { testStart } from "../TestWaypost.ts";

export const hour = 3_600_000;
export const iso = (ms: number) => new Date(ms).toISOString();

/** Whether all counts of enrolments are in sums. */
export const isAddedUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql`SELECT FROM enrolment_count WHERE NOT is_sum AND enrolled > 0 LIMIT 1`;
  return rows.length === 0;
}).pipe(Effect.orDie);

/** Runs the job until all counts are in sums: transactions of other tests can hold it up. */
export const addUpAll = Effect.gen(function* () {
  const { addUp } = yield* CountSumsSql;
  do yield* addUp;
  while (!(yield* isAddedUp));
});

/** A goal as it is stored. */
interface StoredGoal {
  readonly type: string;
  readonly within_hours: number;
  readonly event?: string;
  readonly location_ids?: ReadonlyArray<string>;
  readonly location_group_ids?: ReadonlyArray<string>;
}

/**
 * A campaign with a goal at one location, a phone, and units that are enrolled by rows: conversions do not
 * depend on what has enrolled them.
 */
export const enrolledWorld = (
  goal: StoredGoal,
  options: {
    readonly notification?: object;
    /** The world to set the goal in; a new one if left out. */
    readonly world?: Effect.Success<ReturnType<typeof oneCampaign>>;
  } = {},
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = options.world ?? (yield* oneCampaign({}, options.notification));
    const sql = yield* SqlClient.SqlClient;
    const { workspaceId } = world.production;
    const environment = "production";
    const [keys] = yield* sql<{ readonly campaign: number; readonly notification: number }>`
      UPDATE campaign c SET goal = ${jsonb(goal)} FROM notification n
      WHERE c.id = ${world.campaignId} AND n.id = ${world.notificationId}
      RETURNING c.key AS campaign, n.key AS notification`.pipe(Effect.orDie);
    const campaignKey = keys?.campaign ?? 0;
    const reached = goal.event === undefined ? goal.type : `event:${goal.event}`;
    /** Enrols the unit of a device at an instant. */
    const enrol = (
      device: { readonly id: string },
      { arm = "all", at = testStart, notificationKey = 0, isFirst = true } = {},
    ) =>
      Effect.gen(function* () {
        const [unit] = yield* sql<{ readonly key: number }>`
          SELECT COALESCE(-user_key, key) AS key FROM device
          WHERE workspace_id = ${workspaceId} AND id = ${device.id}`;
        yield* sql`
          INSERT INTO enrolment (workspace_id, environment, campaign_key, unit_key, notification_key,
            is_first, arm, enrolled_at, goal, goal_until)
          VALUES (${workspaceId}, ${environment}, ${campaignKey}, ${unit?.key ?? 0}, ${notificationKey},
            ${isFirst}, ${arm}, ${iso(at)}::text::timestamptz, ${reached}::text,
            ${iso(at + goal.within_hours * hour)}::text::timestamptz)`;
        yield* sql`
          INSERT INTO enrolment_count (workspace_id, environment, campaign_key, notification_key, arm, at,
            enrolled)
          VALUES (${workspaceId}, ${environment}, ${campaignKey}, ${notificationKey}, ${arm},
            ${iso(at)}::text::timestamptz, 1)`;
      }).pipe(Effect.orDie);
    /** Conversions by arm: of rows of units, and as counted. They must be the same. */
    const converted = Effect.gen(function* () {
      const rows = yield* sql<{ readonly arm: string; readonly count: number }>`
        SELECT arm, count(converted_at)::int AS count FROM enrolment
        WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND campaign_key = ${campaignKey}
        GROUP BY 1`;
      const counts = yield* sql<{ readonly arm: string; readonly count: number }>`
        SELECT arm, sum(converted)::int AS count FROM enrolment_count
        WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND campaign_key = ${campaignKey}
        GROUP BY 1`;
      const byArm = (all: typeof rows) => Object.fromEntries(all.map(({ arm, count }) => [arm, count]));
      return { rows: byArm(rows), counts: byArm(counts) };
    }).pipe(Effect.orDie);
    return { ...world, enrol, converted, notificationKey: keys?.notification ?? 0 };
  });
