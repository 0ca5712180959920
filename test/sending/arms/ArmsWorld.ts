import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { isHeldOut, unitOf, variantOf } from "../../../src/sending/arms/Arm.ts";

/** Half of the people get the variant `b`. */
export const variants = [{ key: "b", weight: 50, headline: "Hello B" }];

/** The arm of a unit: `holdout`, or a variant of the notification. */
export const armOf = (campaign: string, percent: number, notification: string, unit: string): string =>
  isHeldOut(campaign, percent, unit) ? "holdout" : (variantOf(notification, variants, unit) ?? "all");

/** Returns the first of some people, counted from 1, who has this arm; each has an id of its own. */
export const personIn = (
  arm: string,
  campaign: string,
  percent: number,
  notification: string,
  prefix = "person",
): string => {
  for (let index = 1; ; index++) {
    const name = `${prefix}-${index}`;
    if (armOf(campaign, percent, notification, unitOf("", name)) === arm) return name;
  }
};

/** The rows of the experiment of a campaign. */
export const experimentOf = Effect.fnUntraced(function* (campaign: string) {
  const sql = yield* SqlClient.SqlClient;
  const of = sql`JOIN campaign c ON c.workspace_id = e.workspace_id AND c.environment = e.environment
    AND c.key = e.campaign_key WHERE c.id = ${campaign}`;
  return yield* Effect.orDie(
    Effect.all({
      /** Each enrolment: the unit, its arm, and whether it is that of the campaign. */
      enrolments: sql<{ readonly unit: string; readonly arm: string; readonly isFirst: boolean }>`
        SELECT CASE WHEN e.unit_key < 0 THEN 'user:' || u.user_id ELSE 'device:' || d.id END AS unit,
          e.arm, e.is_first AS "isFirst"
        FROM enrolment e
        LEFT JOIN device_user u ON u.workspace_id = e.workspace_id AND u.environment = e.environment
          AND u.key = -e.unit_key
        LEFT JOIN device d ON d.workspace_id = e.workspace_id AND d.environment = e.environment
          AND d.key = e.unit_key
        ${of} ORDER BY unit, e.is_first DESC, e.arm`,
      /** The sums of its counts: those of the campaign, and those of its notifications. */
      counts: Effect.map(
        sql<{ readonly name: string; readonly enrolled: number }>`
          SELECT CASE e.notification_key WHEN 0 THEN '' ELSE '/' END || e.arm AS name,
            sum(e.enrolled)::int AS enrolled
          FROM enrolment_count e ${of} GROUP BY 1 ORDER BY 1`,
        (rows) => Object.fromEntries(rows.map(({ enrolled, name }) => [name, enrolled])),
      ),
      deliveries: sql<{ readonly unit: string; readonly variant: string | null; readonly status: string }>`
        SELECT CASE WHEN d.user_id IS NULL THEN 'device:' || d.id ELSE 'user:' || d.user_id END AS unit,
          e.variant, e.status
        FROM delivery e
        JOIN device d ON d.workspace_id = e.workspace_id AND d.environment = e.environment
          AND d.key = e.device_key
        ${of} ORDER BY unit, e.source_id`,
    }),
  );
});
