/** The SQL conditions of rows that count in a report (contract K1, K2, K4, K8). */
import type { SqlClient, Statement } from "effect/sql";
import { statusSql } from "../campaigns/CampaignStatusSql.ts";
import { instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ReportFilters } from "./ReportQuery.ts";
import type { ReportRange } from "./ReportRange.ts";
import { inTenant } from "../database/TenantColumns.ts";

/** The scope of a report, as of `now` (epoch milliseconds). */
export interface ReportScope {
  readonly range: ReportRange;
  readonly filters: ReportFilters;
  readonly now: number;
}

/** A condition on a filter's value; none where the filter is not set. */
const when = <A>(value: A | null, condition: (value: A) => Statement.Fragment) =>
  value === null ? [] : [condition(value)];

/** A query of one row, `devices`: registered devices now. Kept up to date like the rollups. Bound: 1 row. */
export const registeredDevices = (sql: SqlClient.SqlClient, tenant: Tenant): Statement.Fragment => {
  const mine = inTenant(tenant);
  const pending = sql`(SELECT COALESCE(sum(change), 0) FROM device_delta WHERE ${mine})::int8`;
  return sql`
    SELECT COALESCE(
      (SELECT devices + ${pending} FROM rollup_state WHERE ${mine}),
      (SELECT count(*) FROM device WHERE ${mine} AND unregistered_at IS NULL)) AS devices`;
};

/**
 * A part of a whole in percent: one decimal, half away from zero, 0 where the whole is 0 (contract K4).
 * Decimal arithmetic, because binary fractions miss the halves. Both are trusted text, not values.
 */
export const percent = (sql: SqlClient.SqlClient, part: string, whole: string): Statement.Fragment =>
  sql.literal(`CASE WHEN ${whole} = 0 THEN 0 ELSE round(${part} * 100::numeric / ${whole}, 1) END::float8`);

/** The conditions of a report. Each holds over the bare columns of the tables it is named after. */
export const reportConditions = (sql: SqlClient.SqlClient, tenant: Tenant, scope: ReportScope) => {
  const { filters, range } = scope;
  const mine = inTenant(tenant);
  const campaignStatus = statusSql(sql, scope.now, "campaign");
  /** A condition that some filters make; none where none of them is set. */
  const ifAny = (
    conditions: ReadonlyArray<Statement.Fragment>,
    condition: (all: Statement.Fragment) => Statement.Fragment,
  ) => (conditions.length === 0 ? [] : [condition(sql.and([mine, ...conditions]))]);

  /** Every pair of a campaign and a location that it targets now, directly or through a group, once. */
  const targeted = sql`(
    SELECT campaign_id, location_id FROM campaign_location WHERE ${mine}
    UNION
    SELECT campaign_id, location_id
    FROM campaign_location_group JOIN location_group_member USING (workspace_id, environment, group_id)
    WHERE ${mine}) AS targeted`;

  const isCampaign = [
    ...when(filters.campaign, (id) => sql`id = ${id}::uuid`),
    ...when(filters.campaignStatus, (status) => sql`${campaignStatus} = ${status}`),
  ];
  const targets = [
    ...when(
      filters.location,
      (id) => sql`id IN (SELECT campaign_id FROM ${targeted} WHERE location_id = ${id}::uuid)`,
    ),
    ...when(
      filters.locationGroup,
      (id) =>
        sql`id IN (SELECT campaign_id FROM campaign_location_group WHERE ${mine} AND group_id = ${id}::uuid)`,
    ),
  ];
  const notifies = [
    ...when(filters.contentType, (type) => sql`notification.type = ${type}`),
    ...when(filters.activation, (trigger) => sql`trigger_type = ${trigger}`),
  ];
  const campaignLevel = [...isCampaign, ...targets];
  const activation = when(filters.activation, (trigger) => sql`trigger_type = ${trigger}`);

  /** Campaigns that match: the filters on campaigns, and one notification that meets both of the others. */
  const campaignMatches = sql.and([
    mine,
    ...campaignLevel,
    ...ifAny(
      notifies,
      (all) => sql`id IN (
        SELECT campaign_id
        FROM campaign_notification
        JOIN (SELECT id AS notification_id, type FROM notification WHERE ${mine}) AS notification
          USING (notification_id)
        WHERE ${all})`,
    ),
  ]);

  /** Notifications that match: on a matching campaign with type and trigger; all without filters. */
  const notificationMatches = sql.and([
    mine,
    ...when(filters.contentType, (type) => sql`type = ${type}`),
    ...(campaignLevel.length + notifies.length === 0
      ? []
      : [
          sql`id IN (
            SELECT notification_id FROM campaign_notification
            WHERE ${sql.and([
              mine,
              ...ifAny(campaignLevel, (all) => sql`campaign_id IN (SELECT id FROM campaign WHERE ${all})`),
              ...activation,
            ])})`,
        ]),
  ]);

  /**
   * Deliveries and failed sends that match at any time, over source rows, deltas and rollups: by their
   * campaign as it is now, and by the type and trigger they had. The keys come first, as an array, so that an
   * index finds each.
   */
  const outcomeMatches = sql.and([
    mine,
    ...ifAny(campaignLevel, (all) => sql`campaign_key = ANY(ARRAY(SELECT key FROM campaign WHERE ${all}))`),
    ...when(filters.contentType, (type) => sql`content_type = ${type}`),
    ...activation,
  ]);

  /** Deliveries and failed sends of the range. */
  const outcomeCounts = sql.and([
    outcomeMatches,
    sql`settled_at >= ${instant(range.fromMs)} AND settled_at < ${instant(range.toMs)}`,
  ]);

  /** Deliveries of the range: the push transport accepted them. */
  const deliveryCounts = sql.and([sql`status = 'delivered'`, outcomeCounts]);

  const isLocation = [
    ...when(filters.location, (id) => sql`id = ${id}::uuid`),
    ...when(
      filters.locationGroup,
      (id) =>
        sql`id IN (SELECT location_id FROM location_group_member WHERE ${mine} AND group_id = ${id}::uuid)`,
    ),
    ...ifAny(
      isCampaign,
      (all) => sql`id IN (
        SELECT location_id FROM ${targeted} WHERE campaign_id IN (SELECT id FROM campaign WHERE ${all}))`,
    ),
  ];

  /** Locations whose events count. */
  const locationMatches = sql.and([mine, ...isLocation]);

  /** Events at matching locations at any time, over source rows, deltas and rollups. */
  const eventMatches = sql.and([
    mine,
    ...ifAny(isLocation, (all) => sql`location_key = ANY(ARRAY(SELECT key FROM location WHERE ${all}))`),
  ]);

  /** Events at matching locations from the range's start on: a visit may outlast the range. */
  const eventFollows = sql.and([eventMatches, sql`occurred_at >= ${instant(range.fromMs)}`]);

  /** Events of the range: by their location as it is now, and by their type. */
  const eventCounts = sql.and([
    eventFollows,
    sql`occurred_at < ${instant(range.toMs)}`,
    ...when(filters.activation, (trigger) =>
      trigger === "fixed_time" || trigger === "on_event"
        ? sql`false`
        : sql`type = ${trigger === "on_exit" ? "exit" : "enter"}`,
    ),
  ]);

  return {
    mine,
    campaignStatus,
    targeted,
    campaignMatches,
    notificationMatches,
    outcomeMatches,
    outcomeCounts,
    deliveryCounts,
    locationMatches,
    eventMatches,
    eventFollows,
    eventCounts,
  };
};
