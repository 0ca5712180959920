import { Effect } from "effect";
import { arrayOf, asNumber, instant, onlyRow, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { run } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId, CampaignKey, NotificationKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { ExperimentStop, ExperimentWinner } from "./ShownExperiment.ts";
import type { SplitNotification } from "./ExperimentFigures.ts";

/** The stored state of an experiment, besides its counts. */
export interface ExperimentState {
  readonly key: CampaignKey;
  readonly stopped_at: string | null;
  readonly winner: ExperimentWinner | null;
  readonly keep_holdout: boolean;
}

/** A notification with variants. */
export interface SplitNotificationRow extends SplitNotification {
  readonly notificationKey: NotificationKey;
}

/** The counts of an arm: `notificationKey` 0 for `holdout` and `all`. */
export interface ArmCountsRow {
  readonly notificationKey: number;
  readonly arm: string;
  readonly enrolled: number;
  readonly delivered: number;
  readonly converted: number;
  /** The first enrolment. */
  readonly startedAt: string | null;
}

/** The counts of an arm on a day. */
export interface ArmDayRow extends Omit<ArmCountsRow, "delivered" | "startedAt"> {
  readonly day: number;
}

/** Statements on experiments. Bound: 20 notifications (plan) of 10 arms; by day 400 times as many. */
export class CampaignExperimentsSql extends SqlService<CampaignExperimentsSql>(
  "waypost/experiments/CampaignExperimentsSql",
)((sql) => ({
  /** The state of a campaign that exists. A lock keeps others from enrolling until the transaction ends. */
  state: (tenant: TenantKey, id: CampaignId, isLocked: boolean) =>
    onlyRow(sql<ExperimentState>`
        SELECT key, ${utc("experiment_stopped_at")} AS stopped_at,
          COALESCE(keep_holdout, false) AS keep_holdout,
          CASE WHEN winner_key IS NOT NULL THEN
            jsonb_build_object('notification_id', winner_notification_id, 'key', winner_key) END AS winner
        FROM campaign WHERE ${inTenant(tenant)} AND id = ${id} ${isLocked ? sql`FOR UPDATE` : sql``}`),

  /** The notifications of a campaign that have variants, in the order of their attachment (contract D5). */
  notifications: (tenant: TenantKey, id: CampaignId) =>
    Effect.orDie(sql<SplitNotificationRow>`
        SELECT n.id, n.key AS "notificationKey", (
          SELECT jsonb_agg(jsonb_build_object('key', v.value -> 'key', 'weight', v.value -> 'weight')
            ORDER BY v.ord)
          FROM jsonb_array_elements(c.variants) WITH ORDINALITY AS v (value, ord)) AS variants
        FROM campaign_notification a
        JOIN notification n ON ${sameTenant("n", "a")} AND n.id = a.notification_id
        JOIN content c ON ${sameTenant("c", "n")} AND c.key = n.content_key
        WHERE ${tenantIs("a", tenant)} AND a.campaign_id = ${id} AND jsonb_array_length(c.variants) > 0
        ORDER BY a.attached_at, a.id`),

  /** The counts of the arms, of one snapshot: delivered messages of the campaign are those of `all`. */
  counts: (tenant: TenantKey, key: CampaignKey) =>
    Effect.orDie(sql<ArmCountsRow>`
        WITH delivered AS MATERIALIZED (
          SELECT v.notification_key, v.variant, sum(v.delivered) AS delivered FROM variant_count v
          WHERE ${tenantIs("v", tenant)} AND v.campaign_key = ${key} GROUP BY 1, 2
        )
        SELECT notification_key AS "notificationKey", arm, ${asNumber("sum(enrolled)")} AS enrolled,
          ${asNumber("sum(delivered)")} AS delivered, ${asNumber("sum(converted)")} AS converted,
          ${utc("min(at) FILTER (WHERE enrolled > 0)")} AS "startedAt"
        FROM (
          SELECT e.notification_key, e.arm, e.enrolled, 0 AS delivered, e.converted, e.at
          FROM enrolment_count e WHERE ${tenantIs("e", tenant)} AND e.campaign_key = ${key}
          UNION ALL SELECT notification_key, variant, 0, delivered, 0, NULL FROM delivered
            WHERE variant <> ''
          UNION ALL SELECT 0, 'all', 0, delivered, 0, NULL FROM delivered
        ) AS counted
        GROUP BY 1, 2`),

  /** The counts of the arms by day (from 1), whose starts are given: only days with any. */
  days: (tenant: TenantKey, key: CampaignKey, starts: ReadonlyArray<number>) =>
    Effect.orDie(sql<ArmDayRow>`
        SELECT notification_key AS "notificationKey", arm,
          GREATEST(1, width_bucket(at, ${arrayOf("timestamptz", starts)})) AS day,
          ${asNumber("sum(enrolled)")} AS enrolled, ${asNumber("sum(converted)")} AS converted
        FROM enrolment_count WHERE ${inTenant(tenant)} AND campaign_key = ${key}
        GROUP BY 1, 2, 3 HAVING sum(enrolled) <> 0 OR sum(converted) <> 0`),

  stop: (tenant: TenantKey, id: CampaignId, { keep_holdout, winner }: ExperimentStop, now: number) =>
    run(sql`
        UPDATE campaign SET experiment_stopped_at = ${instant(now)}, keep_holdout = ${keep_holdout ?? false},
          winner_notification_id = ${winner?.notification_id ?? null}::uuid,
          winner_key = ${winner?.key ?? null}
        WHERE ${inTenant(tenant)} AND id = ${id}`),
})) {}
