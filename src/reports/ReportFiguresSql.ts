import type { SqlClient, Statement } from "effect/sql";
import { statusSql } from "../campaigns/CampaignStatusSql.ts";
import { instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ReportFilters } from "./ReportQuery.ts";
import type { ReportRange } from "./ReportRange.ts";

/** What a report counts, where, when, and as seen at `now` (epoch milliseconds). */
export interface ReportScope {
  readonly range: ReportRange;
  readonly filters: ReportFilters;
  readonly now: number;
}

/**
 * What counts in a report, stated once as the SQL that every report is made of (contract K1, K2, K4, K8). A predicate
 * holds over the bare columns of the table it is named after, so it stands where that table alone is read.
 */
export const reportFigures = (sql: SqlClient.SqlClient, tenant: Tenant, scope: ReportScope) => {
  const { filters, range } = scope;
  const mine = sql`workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment}`;

  const when = <A>(value: A | null, predicate: (value: A) => Statement.Fragment) =>
    value === null ? [] : [predicate(value)];

  const campaignStatus = statusSql(sql, scope.now, "campaign");

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
  const ofCampaigns = (column: "campaign_id" | "campaign_key", key: "id" | "key") =>
    campaignLevel.length === 0
      ? []
      : [
          sql`${sql(column)} IN (SELECT ${sql(key)} FROM campaign WHERE ${sql.and([mine, ...campaignLevel])})`,
        ];

  /** Campaigns that match: the filters on campaigns, and one notification that meets both of the others. */
  const campaignMatches = sql.and([
    mine,
    ...campaignLevel,
    ...(notifies.length === 0
      ? []
      : [
          sql`id IN (
            SELECT campaign_id
            FROM campaign_notification JOIN (SELECT id AS notification_id, type FROM notification WHERE ${mine})
              AS notification USING (notification_id)
            WHERE ${mine} AND ${sql.and(notifies)})`,
        ]),
  ]);

  const activation = when(filters.activation, (trigger) => sql`trigger_type = ${trigger}`);

  /** Notifications that match: on a campaign as asked with the type and trigger asked; all where nothing is asked. */
  const notificationMatches = sql.and([
    mine,
    ...when(filters.contentType, (type) => sql`type = ${type}`),
    ...(campaignLevel.length + notifies.length === 0
      ? []
      : [
          sql`id IN (
            SELECT notification_id FROM campaign_notification
            WHERE ${sql.and([mine, ...ofCampaigns("campaign_id", "id"), ...activation])})`,
        ]),
  ]);

  /**
   * Outcomes that count whenever they were known, as rows of rollups or feed. The numbers come first, as an array, so that an index finds
   * the rows of each.
   */
  const outcomeMatches = sql.and([
    mine,
    ...(campaignLevel.length === 0
      ? []
      : [
          sql`campaign_key = ANY(ARRAY(SELECT key FROM campaign WHERE ${sql.and([mine, ...campaignLevel])}))`,
        ]),
    ...when(filters.contentType, (type) => sql`content_type = ${type}`),
    ...activation,
  ]);

  /** Attempts whose outcome, delivered or failed, counts: by their campaign now, and the type and trigger they had. */
  const outcomeCounts = sql.and([
    mine,
    sql`settled_at >= ${instant(range.fromMs)} AND settled_at < ${instant(range.toMs)}`,
    ...ofCampaigns("campaign_key", "key"),
    ...when(filters.contentType, (type) => sql`content_type = ${type}`),
    ...activation,
  ]);

  /** Deliveries that count: those outcomes that the push transport accepted. */
  const deliveryCounts = sql.and([sql`status = 'delivered'`, outcomeCounts]);

  const isLocation = [
    ...when(filters.location, (id) => sql`id = ${id}::uuid`),
    ...when(
      filters.locationGroup,
      (id) =>
        sql`id IN (SELECT location_id FROM location_group_member WHERE ${mine} AND group_id = ${id}::uuid)`,
    ),
    ...(isCampaign.length === 0
      ? []
      : [
          sql`id IN (
            SELECT location_id FROM ${targeted}
            WHERE campaign_id IN (SELECT id FROM campaign WHERE ${sql.and([mine, ...isCampaign])}))`,
        ]),
  ];

  /** Locations whose events count. */
  const locationMatches = sql.and([mine, ...isLocation]);

  /** Events by their location whenever they occurred, as rows of rollups or feed. */
  const eventMatches = sql.and([
    mine,
    ...(isLocation.length === 0
      ? []
      : [sql`location_key = ANY(ARRAY(SELECT key FROM location WHERE ${locationMatches}))`]),
  ]);

  /** Geofence events at the locations that match, from the range's start on and without an end: a visit outlasts it. */
  const eventFollows = sql.and([
    mine,
    sql`occurred_at >= ${instant(range.fromMs)}`,
    ...(isLocation.length === 0
      ? []
      : [sql`location_key IN (SELECT key FROM location WHERE ${locationMatches})`]),
  ]);

  /** Geofence events that count: by their location as it is now, and by their type. */
  const eventCounts = sql.and([
    eventFollows,
    sql`occurred_at < ${instant(range.toMs)}`,
    ...when(filters.activation, (trigger) =>
      trigger === "fixed_time" ? sql`false` : sql`type = ${trigger === "on_enter" ? "enter" : "exit"}`,
    ),
  ]);

  /** A query of one row: how many devices are registered in the environment now; kept like the rollups, and counted until it is. */
  const registeredDevices = sql`
    SELECT COALESCE(
      (SELECT devices + (SELECT COALESCE(sum(change), 0) FROM device_delta WHERE ${mine})::int8 FROM rollup_state WHERE ${mine}),
      (SELECT count(*) FROM device WHERE ${mine} AND unregistered_at IS NULL)) AS devices`;

  /**
   * A part of a whole in percent: one decimal, half away from zero, 0 where the whole is 0 (contract K4). In decimal
   * arithmetic, for binary fractions miss the halves. Both are trusted text, not values.
   */
  const percent = (part: string, whole: string): Statement.Fragment =>
    sql.literal(`CASE WHEN ${whole} = 0 THEN 0 ELSE round(${part} * 100::numeric / ${whole}, 1) END::float8`);

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
    registeredDevices,
    percent,
  };
};
