import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { isHeldOut, type Split, unitKeyOf, unitOf, variantOf } from "../../src/sending/arms/Arm.ts";
import type { Verdict } from "./ChaosRun.ts";

/** The fields of a campaign and of its notification that make an experiment of a run. */
export const experiment = {
  campaign: { holdout_percent: 20 },
  notification: {
    variants: [
      { key: "b", weight: 30, headline: "Hello B" },
      { key: "c", weight: 30, headline: "Hello C" },
    ],
  },
};

/** The devices of a list that a campaign does not hold out. */
export const reachedOf = <Device extends { readonly id: string }>(
  campaignId: string,
  devices: ReadonlyArray<Device>,
): ReadonlyArray<Device> =>
  devices.filter(({ id }) => !isHeldOut(campaignId, experiment.campaign.holdout_percent, unitOf(id, null)));

interface Enrolled {
  readonly campaign: number;
  readonly unit: number;
  readonly notification: number;
  readonly isFirst: boolean;
  readonly arm: string;
}

/**
 * Compares enrolments, their counts and deliveries with the arithmetic of arms: each unit that got a message
 * or was held out is enrolled once, each message is of its arm, no held-out unit got one (contract U4), and
 * each unit that reached its goal converted at the first instant of it, once (contract U5).
 */
export const experimentVerdict = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const campaigns = new Map(
    (yield* sql<{ readonly key: number; readonly id: string; readonly percent: number }>`
      SELECT key, id, holdout_percent::float8 AS percent FROM campaign`).map((row) => [row.key, row]),
  );
  const notifications = new Map(
    (yield* sql<{ readonly key: number; readonly id: string; readonly variants: Split }>`
      SELECT n.key, n.id, COALESCE(k.variants, '[]') AS variants FROM notification n
      JOIN content k ON k.workspace_id = n.workspace_id AND k.environment = n.environment
        AND k.key = n.content_key`).map((row) => [row.key, row]),
  );
  const devices = yield* sql<{
    readonly key: number;
    readonly id: string;
    readonly userId: string | null;
    readonly userKey: number | null;
  }>`SELECT key, id, user_id AS "userId", user_key AS "userKey" FROM device`;
  const unitOfDevice = new Map(devices.map(({ key, userKey }) => [key, unitKeyOf(key, userKey)]));
  const units = new Map(
    devices.map(({ id, key, userId, userKey }) => [unitKeyOf(key, userKey), unitOf(id, userId)]),
  );
  const enrolled = yield* sql<Enrolled>`
    SELECT campaign_key AS campaign, unit_key AS unit, notification_key AS notification,
      is_first AS "isFirst", arm
    FROM enrolment`;
  const delivered = yield* sql<{
    readonly campaign: number;
    readonly device: number;
    readonly notification: number;
    readonly variant: string | null;
  }>`SELECT campaign_key AS campaign, device_key AS device, notification_key AS notification, variant
    FROM delivery`;
  const deliveries = delivered.map((row) => ({ ...row, unit: unitOfDevice.get(row.device) ?? 0 }));
  const counts = yield* sql<{ readonly notification: number; readonly arm: string; readonly sum: number }>`
    SELECT notification_key AS notification, arm, sum(enrolled)::int AS sum
    FROM enrolment_count GROUP BY 1, 2`;
  const interactions = sql`FROM unit u JOIN delivery d USING (workspace_id, environment, device_key)
          WHERE u.workspace_id = e.workspace_id AND u.environment = e.environment
            AND u.unit_key = e.unit_key AND d.campaign_key = e.campaign_key`;
  const [converted] = yield* sql<{
    readonly converted: number;
    readonly wrong: number;
    readonly counted: number;
  }>`
    WITH unit AS MATERIALIZED (
      SELECT workspace_id, environment, key AS device_key, COALESCE(-user_key, key) AS unit_key FROM device
    ), expected AS MATERIALIZED (
      SELECT e.*, CASE e.goal
        WHEN 'visit' THEN (
          SELECT min(v.occurred_at)
          FROM unit u JOIN geofence_event v USING (workspace_id, environment, device_key)
          WHERE u.workspace_id = e.workspace_id AND u.environment = e.environment
            AND u.unit_key = e.unit_key AND v.type = 'enter' AND v.occurred_at > e.enrolled_at
            AND v.occurred_at <= e.goal_until AND v.received_at <> e.enrolled_at)
        WHEN 'opened' THEN (SELECT min(d.opened_at) ${interactions}
            AND d.opened_at >= e.enrolled_at AND d.opened_at <= e.goal_until)
        WHEN 'clicked' THEN (SELECT min(d.clicked_at) ${interactions}
            AND d.clicked_at >= e.enrolled_at AND d.clicked_at <= e.goal_until)
        ELSE (
          SELECT min(v.occurred_at) FROM custom_event v
          WHERE v.workspace_id = e.workspace_id AND v.environment = e.environment AND v.unit = e.unit_key
            AND 'event:' || v.name = e.goal AND v.occurred_at > e.enrolled_at
            AND v.occurred_at <= e.goal_until AND v.received_at <> e.enrolled_at)
        END AS reached_at
      FROM enrolment e
    ), arms AS (
      SELECT campaign_key, notification_key, arm, converted_at FROM expected
      UNION ALL
      SELECT campaign_key, 0, 'all', converted_at FROM expected WHERE is_first AND notification_key <> 0
    ), counted AS (
      SELECT campaign_key, notification_key, arm, sum(converted) AS converted
      FROM enrolment_count GROUP BY 1, 2, 3
    )
    SELECT count(reached_at)::int AS converted,
      (count(*) FILTER (WHERE reached_at IS DISTINCT FROM converted_at))::int AS wrong,
      (SELECT COALESCE(sum(abs(a.converted - COALESCE(c.converted, 0))), 0)::int FROM (
        SELECT campaign_key, notification_key, arm, count(converted_at) AS converted FROM arms
        GROUP BY 1, 2, 3) AS a
        LEFT JOIN counted c USING (campaign_key, notification_key, arm)) AS counted
    FROM expected`;
  const { converted: conversions = 0, counted: miscounted = 0, wrong = 0 } = converted ?? {};
  const counted = (isWanted: (row: (typeof counts)[number]) => boolean) =>
    counts.filter(isWanted).reduce((total, { sum }) => total + sum, 0);

  const isOut = (campaign: number, unit: number): boolean => {
    const { id = "", percent = 0 } = campaigns.get(campaign) ?? {};
    return isHeldOut(id, percent, units.get(unit) ?? "");
  };
  const variantFor = (notification: number, unit: number): string | null => {
    const { id = "", variants = [] } = notifications.get(notification) ?? {};
    return variantOf(id, variants, units.get(unit) ?? "");
  };
  const nameOf = (campaign: number, unit: number) => `${campaign}/${unit}`;
  const firsts = enrolled.filter(({ isFirst }) => isFirst);
  const once = new Set(firsts.map(({ campaign, unit }) => nameOf(campaign, unit)));
  const heldOut = firsts.filter(({ campaign, unit }) => isOut(campaign, unit));
  const faults = {
    "units enrolled more than once": firsts.length - once.size,
    "messages of units that are not enrolled": deliveries.filter(
      ({ campaign, unit }) => !once.has(nameOf(campaign, unit)),
    ).length,
    "messages of the held out": deliveries.filter(({ campaign, unit }) => isOut(campaign, unit)).length,
    "messages of another arm": deliveries.filter(
      ({ notification, unit, variant }) => variant !== variantFor(notification, unit),
    ).length,
    "enrolments in another arm": enrolled.filter(({ arm, campaign, notification, unit }) =>
      isOut(campaign, unit)
        ? notification !== 0 || arm !== "holdout"
        : notification === 0 || arm !== variantFor(notification, unit),
    ).length,
    "the held out counted wrong": Math.abs(counted(({ arm }) => arm === "holdout") - heldOut.length),
    "units counted wrong": Math.abs(counted(({ notification }) => notification === 0) - firsts.length),
    "variants counted wrong": Math.abs(
      counted(({ notification }) => notification !== 0) -
        enrolled.filter(({ notification }) => notification !== 0).length,
    ),
    "units converted wrong, by what they did": wrong,
    "conversions counted wrong": miscounted,
    "nobody held out, or nobody enrolled": heldOut.length > 0 && firsts.length > heldOut.length ? 0 : 1,
  };
  const figures = {
    enrolled: firsts.length,
    "held out": heldOut.length,
    conversions,
  };
  return { figures, faults } satisfies Verdict;
});
