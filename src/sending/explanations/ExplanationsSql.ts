import { Effect } from "effect";
import type { SqlClient, Statement } from "effect/sql";
import type { CampaignType } from "../../campaigns/Campaign.ts";
import { statusSql } from "../../campaigns/CampaignStatusSql.ts";
import { epochMillis, instant, moment, onlyRow, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { DeviceObstacle } from "../../devices/Obstacle.ts";
import { deviceObstacleSql } from "../../devices/ObstacleSql.ts";
import type { Audience, SegmentRule } from "../../devices/SegmentRule.ts";
import { audienceSql } from "../../devices/SegmentRuleSql.ts";
import { experimentSql } from "../../notifications/variants/VariantSql.ts";
import type { Experiment } from "../arms/Experiment.ts";
import type { SendStatus } from "../sends/Send.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { CampaignQuietHours } from "../../workspaces/QuietHours.ts";
import type { FrequencyCap, Tenant } from "../../workspaces/Workspace.ts";
import type { LocalState } from "../sends/local/LocalParts.ts";
import type { CapWindow } from "../deliveries/FrequencyCap.ts";
import { workspaceStatements } from "../../database/WorkspaceGroups.ts";
import { cooledSql, usedCapSql } from "../deliveries/ReceiverSql.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** Facts that decide whether a campaign reaches a device. Instants are epoch milliseconds. */
export interface ExplainedCampaign {
  readonly id: string;
  readonly key: number;
  readonly name: string;
  readonly type: CampaignType;
  readonly paused: boolean;
  readonly timezone: TimeZoneName;
  readonly starts: number;
  readonly ends: number | null;
  readonly cap: FrequencyCap | null;
  readonly cap_by: "device" | "user";
  readonly quiet_hours: CampaignQuietHours | null;
  readonly match: Audience["match"];
  readonly rules: ReadonlyArray<SegmentRule>;
  readonly has_notification: boolean;
  readonly cooldown_minutes: number | null;
  /** Of a push campaign the latest send of each notification; of a recurring one the last and the next. */
  readonly sends: ReadonlyArray<ExplainedSend>;
  /** Whether every message of the visits in progress was sent, and no message waits for their end. */
  readonly has_dwelled: boolean;
  /** Null without a holdout and variants. */
  readonly experiment: Experiment | null;
  /** The keys of its locations where the device is. */
  readonly locations: ReadonlyArray<number>;
}

/** A send, with what it had for a device; one at a local time (`localAt`) with its fixed parts. */
export interface ExplainedSend extends Omit<LocalState, "localAt" | "hasRun"> {
  readonly localAt: LocalState["localAt"] | null;
  readonly dueAt: number;
  readonly status: SendStatus;
  readonly parts: ReadonlyArray<Pick<ExplainedSend, "dueAt" | "status" | "hasDelivery">>;
  readonly hasDelivery: boolean;
}

/** A cap of a campaign, or its cooldown at a location. */
export interface Limit {
  readonly campaign: ExplainedCampaign;
  readonly locationKey: number | null;
  readonly cap: CapWindow | null;
  readonly cooldownSince: number | null;
}

/** The use of a limit by the receiver of a device (`ord`, from 1). */
export interface UsedLimit {
  readonly ord: number;
  readonly is_capped: boolean;
  /** When the cooldown began, in epoch milliseconds; null if there is none. */
  readonly cooled_at: number | null;
}

/** SQL condition: a campaign has the location `l`, by itself or in a group. */
export const isTargetSql = (sql: SqlClient.SqlClient, campaignId: Statement.Fragment): Statement.Fragment =>
  sql`(EXISTS (SELECT FROM campaign_location t
      WHERE ${sameTenant("t", "l")} AND t.campaign_id = ${campaignId} AND t.location_id = l.id)
    OR EXISTS (SELECT FROM campaign_location_group t
      JOIN location_group_member m ON ${sameTenant("m", "t")} AND m.group_id = t.group_id
      WHERE ${sameTenant("t", "l")} AND t.campaign_id = ${campaignId} AND m.location_id = l.id))`;

/** The statements that explain whom campaigns reach. Bound: the plan's campaigns for 1 device. */
export class ExplanationsSql extends SqlService<ExplanationsSql>("waypost/sending/ExplanationsSql")((sql) => {
  /** Condition: the send of an alias has a message for the device. */
  const hasDelivery = (alias: string) =>
    sql`EXISTS (SELECT FROM received r WHERE r.source_id = ${sql(`${alias}.source_id`)})`;
  /** Condition: a notification `a` on its campaign is in its window. */
  const isOpen = (now: number) => sql`(a.starts_at IS NULL OR a.starts_at <= ${instant(now)})
    AND (a.ends_at IS NULL OR a.ends_at >= ${instant(now)})`;

  return {
    /**
     * Active campaigns, newest first; or the one given, active or not. `at` is the instant around which a
     * recurring one shows its sends.
     */
    campaigns: (
      tenant: Tenant,
      deviceKey: DeviceKey,
      campaign: string | null,
      { before, limit }: PagePosition,
      now: number,
      at: number,
    ) =>
      Effect.orDie(sql<ExplainedCampaign>`
        WITH visited AS MATERIALIZED (
          SELECT p.location_key FROM device_location p
          WHERE ${tenantIs("p", tenant)} AND p.device_key = ${deviceKey} AND p.inside
        ), shown AS MATERIALIZED (
          SELECT c.*, ARRAY(
            SELECT l.key FROM visited p
            JOIN location l ON ${sameTenant("l", "c")} AND l.key = p.location_key
            WHERE ${isTargetSql(sql, sql`c.id`)}
          ) AS locations
          FROM campaign c
          WHERE ${tenantIs("c", tenant)} AND (${before}::uuid IS NULL OR c.id < ${before})
            AND CASE WHEN ${campaign}::uuid IS NOT NULL THEN c.id = ${campaign}
              ELSE ${statusSql(sql, now, "c")} = 'active' END
          ORDER BY c.id DESC LIMIT ${limit}
        ), chosen AS MATERIALIZED (
          SELECT DISTINCT ON (s.campaign_id, s.notification_id, s.distance < 0) s.* FROM (
            SELECT s.*, CASE WHEN s.occurrence IS NOT NULL
              THEN extract(epoch FROM ${instant(at)} - s.due_at) END AS distance
            FROM shown c
            JOIN send s ON ${sameTenant("s", "c")} AND s.campaign_id = c.id AND s.parent_id IS NULL
              AND s.status <> 'cancelled'
          ) AS s
          ORDER BY s.campaign_id, s.notification_id, s.distance < 0, abs(s.distance), s.id DESC
        ), part AS MATERIALIZED (
          SELECT p.parent_id, p.source_id, p.due_at, p.status
          FROM chosen s JOIN send p ON ${sameTenant("p", "s")} AND p.parent_id = s.id
        ), received AS MATERIALIZED (
          SELECT d.source_id FROM delivery d
          WHERE ${tenantIs("d", tenant)} AND d.device_key = ${deviceKey} AND d.source_id IN (
            SELECT source_id FROM chosen UNION ALL SELECT source_id FROM part)
        ), visit AS MATERIALIZED (
          SELECT c.key AS campaign_key, n.key AS notification_key, a.trigger_type, l.key AS location_key
          FROM shown c
          JOIN campaign_notification a ON ${sameTenant("a", "c")} AND a.campaign_id = c.id AND ${isOpen(now)}
          JOIN notification n ON ${sameTenant("n", "a")} AND n.id = a.notification_id
          CROSS JOIN unnest(c.locations) AS l (key)
        ), dwelled AS MATERIALIZED (
          SELECT v.campaign_key, bool_or(v.trigger_type = 'on_dwell') AND bool_and(CASE v.trigger_type
            WHEN 'on_exit' THEN false WHEN 'on_dwell' THEN EXISTS (
              SELECT FROM delivery d
              WHERE ${tenantIs("d", tenant)} AND d.device_key = ${deviceKey}
                AND d.campaign_key = v.campaign_key AND d.notification_key = v.notification_key
                AND d.location_key = v.location_key AND d.trigger_type = 'on_dwell'
                AND NOT d.test AND d.status <> 'failed' AND d.created_at > COALESCE((
                  SELECT max(e.occurred_at) FROM geofence_event e
                  WHERE ${tenantIs("e", tenant)} AND e.device_key = ${deviceKey}
                    AND e.location_key = v.location_key AND e.type = 'exit'), '-infinity'))
            ELSE true END) AS is_over
          FROM visit v GROUP BY 1
        )
        SELECT c.id, c.key, c.name, c.type, c.paused, c.timezone, ${epochMillis("c.starts_at")} AS starts,
          ${epochMillis("c.ends_at")} AS ends,
          CASE WHEN c.frequency_cap_count IS NOT NULL THEN jsonb_build_object(
            'count', c.frequency_cap_count, 'period', c.frequency_cap_period) END AS cap, c.cap_by,
          c.quiet_hours, c.cooldown_minutes, ${experimentSql("c")} AS experiment,
          COALESCE(c.segment_match, 'any') AS match,
          COALESCE((
            SELECT jsonb_agg(g.rule ORDER BY t.position) FROM campaign_segment t
            JOIN segment g ON ${sameTenant("g", "t")} AND g.id = t.segment_id
            WHERE ${sameTenant("t", "c")} AND t.campaign_id = c.id), '[]') AS rules,
          CASE c.type WHEN 'push' THEN EXISTS (
            SELECT FROM send s WHERE ${sameTenant("s", "c")} AND s.campaign_id = c.id
              AND s.status IN ('scheduled', 'running'))
            OR (c.plan_at IS NOT NULL AND COALESCE(c.ends_at >= ${instant(now)}, true) AND EXISTS (
              SELECT FROM campaign_notification a
              WHERE ${sameTenant("a", "c")} AND a.campaign_id = c.id))
          ELSE EXISTS (
            SELECT FROM campaign_notification a WHERE ${sameTenant("a", "c")} AND a.campaign_id = c.id
              AND ${isOpen(now)}) END AS has_notification,
          COALESCE((
            SELECT jsonb_agg(jsonb_build_object('localAt', s.local_at, 'late', s.late, 'status', s.status,
              'dueAt', ${epochMillis("s.due_at")}, 'plannedAt', ${epochMillis("s.planned_at")},
              'nextAt', ${epochMillis("s.next_at")}, 'hasDelivery', ${hasDelivery("s")},
              'parts', COALESCE((
                SELECT jsonb_agg(jsonb_build_object('dueAt', ${epochMillis("p.due_at")}, 'status', p.status,
                  'hasDelivery', ${hasDelivery("p")}))
                FROM part p WHERE p.parent_id = s.id), '[]')))
            FROM chosen s WHERE s.campaign_id = c.id), '[]') AS sends,
          COALESCE((SELECT g.is_over FROM dwelled g WHERE g.campaign_key = c.key), false) AS has_dwelled,
          c.locations
        FROM shown c ORDER BY c.id DESC`),

    /** The obstacle of the device, and whether it is in each audience, in order. */
    device: (tenant: Tenant, deviceKey: DeviceKey, audiences: ReadonlyArray<Audience>, now: number) =>
      onlyRow(sql<{ readonly obstacle: DeviceObstacle | null; readonly members: ReadonlyArray<boolean> }>`
        SELECT ${deviceObstacleSql(sql, "d")} AS obstacle, ARRAY[${sql.csv(
          audiences.map((audience) => sql`((${audienceSql(sql, audience, "d", { tenant, now })}) IS TRUE)`),
        )}]::boolean[] AS members
        FROM device d WHERE ${tenantIs("d", tenant)} AND d.key = ${deviceKey}`),

    /** The use of limits by a device, or by its person, before an instant, in their order. */
    used: (tenant: Tenant, deviceKey: DeviceKey, limits: ReadonlyArray<Limit>, before: number) => {
      const isBefore = sql`d.created_at < ${moment(sql, before)}`;
      return Effect.orDie(
        sql<UsedLimit>`
        SELECT u.ord::int AS ord,
          COALESCE(${usedCapSql(sql, "u", isBefore)} >= u.cap_count, false) AS is_capped,
          ${cooledSql(sql, "u", epochMillis("max(counted.created_at)"), isBefore)} AS cooled_at
        FROM (
          SELECT ${tenant.workspaceId}::int AS workspace_id, ${tenant.environment}::text AS environment,
            ${deviceKey}::int AS device_key, CASE c.cap_by WHEN 'user' THEN (
              SELECT v.user_key FROM device v WHERE ${tenantIs("v", tenant)} AND v.key = ${deviceKey}
            ) END AS shared_by, c.*
          FROM ${unnested("c", limits, {
            campaign_key: ["int4", ({ campaign }) => campaign.key],
            cap_by: ["text", ({ campaign }) => campaign.cap_by],
            location_key: ["int4", ({ locationKey }) => locationKey],
            cap_count: ["int4", ({ cap }) => cap?.count ?? null],
            cap_since: ["timestamptz", ({ cap }) => cap?.since ?? null],
            cooldown_since: ["timestamptz", ({ cooldownSince }) => cooldownSince],
          })}
        ) AS u
        ORDER BY u.ord`.pipe(workspaceStatements(sql).ofWorkspace(tenant.workspaceId)),
      );
    },
  };
}) {}
