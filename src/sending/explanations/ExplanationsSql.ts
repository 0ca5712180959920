import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, epochMillis, instant, onlyRow, unnested } from "../../database/Rows.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { Audience, SegmentRule } from "../../devices/SegmentRule.ts";
import { audienceSql } from "../../devices/SegmentRuleSql.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { CampaignQuietHours } from "../../workspaces/QuietHours.ts";
import type { FrequencyCap, Tenant } from "../../workspaces/Workspace.ts";
import type { CapWindow } from "../deliveries/FrequencyCap.ts";
import { usedCapSql } from "../deliveries/FrequencyCapSql.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** What decides whether a campaign reaches a device. Instants are epoch milliseconds. */
export interface ExplainedCampaign {
  readonly id: string;
  readonly key: number;
  readonly name: string;
  readonly type: "geo" | "push";
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
  readonly is_inside: boolean;
  /** When the first cooldown ends, if all locations of the campaign where the device is have one. */
  readonly cooling_until: number | null;
}

/** The statements that explain whom campaigns reach. */
export class ExplanationsSql extends Context.Service<ExplanationsSql>()("waypost/sending/ExplanationsSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    return {
      /** Active campaigns, newest first; or the one given, active or not. */
      campaigns: (
        tenant: Tenant,
        deviceKey: DeviceKey,
        campaign: string | null,
        { before, limit }: PagePosition,
        now: number,
      ) =>
        Effect.orDie(sql<ExplainedCampaign>`
          WITH visited AS MATERIALIZED (
            SELECT p.location_key, v.user_key FROM device_location p
            JOIN device v ON ${tenantIs("v", tenant)} AND v.key = ${deviceKey}
            WHERE ${tenantIs("p", tenant)} AND p.device_key = ${deviceKey} AND p.inside
          ), received AS MATERIALIZED (
            SELECT d.campaign_key, d.location_key, d.device_key = ${deviceKey} AS by_device,
              d.user_key = (SELECT max(user_key) FROM visited) AS by_user, max(d.created_at) AS at
            FROM delivery d
            WHERE ${tenantIs("d", tenant)} AND d.status <> 'failed'
              AND d.location_key IN (SELECT location_key FROM visited)
              AND (d.device_key = ${deviceKey} OR d.user_key = (SELECT max(user_key) FROM visited))
            GROUP BY 1, 2, 3, 4
          )
          SELECT c.id, c.key, c.name, c.type, c.paused, c.timezone, ${epochMillis("c.starts_at")} AS starts,
            ${epochMillis("c.ends_at")} AS ends,
            CASE WHEN c.frequency_cap_count IS NOT NULL THEN jsonb_build_object(
              'count', c.frequency_cap_count, 'period', c.frequency_cap_period) END AS cap, c.cap_by,
            c.quiet_hours,
            COALESCE(c.segment_match, 'any') AS match,
            COALESCE((
              SELECT jsonb_agg(g.rule ORDER BY t.position) FROM campaign_segment t
              JOIN segment g ON ${sameTenant("g", "t")} AND g.id = t.segment_id
              WHERE ${sameTenant("t", "c")} AND t.campaign_id = c.id), '[]') AS rules,
            CASE c.type WHEN 'push' THEN EXISTS (
              SELECT FROM send s WHERE ${sameTenant("s", "c")} AND s.campaign_id = c.id
                AND s.status IN ('scheduled', 'running'))
            ELSE EXISTS (
              SELECT FROM campaign_notification a WHERE ${sameTenant("a", "c")} AND a.campaign_id = c.id
                AND (a.starts_at IS NULL OR a.starts_at <= ${instant(now)})
                AND (a.ends_at IS NULL OR a.ends_at >= ${instant(now)})) END AS has_notification,
            i.locations > 0 AS is_inside, ${epochMillis("i.cooling_until")} AS cooling_until
          FROM campaign c
          CROSS JOIN LATERAL (
            SELECT count(*) AS locations,
              CASE WHEN count(*) = count(e.cooling_until) THEN min(e.cooling_until) END AS cooling_until
            FROM visited p
            JOIN location l ON ${sameTenant("l", "c")} AND l.key = p.location_key
            CROSS JOIN LATERAL (
              SELECT max(d.at) + c.cooldown_minutes * interval '1 minute' AS cooling_until
              FROM received d
              WHERE d.campaign_key = c.key AND d.location_key = p.location_key
                AND CASE WHEN c.cap_by = 'user' AND p.user_key IS NOT NULL THEN d.by_user
                  ELSE d.by_device END
                AND d.at > ${instant(now)} - c.cooldown_minutes * interval '1 minute'
            ) AS e
            WHERE (
              EXISTS (SELECT FROM campaign_location t WHERE ${sameTenant("t", "c")}
                AND t.campaign_id = c.id AND t.location_id = l.id)
              OR EXISTS (SELECT FROM campaign_location_group t
                JOIN location_group_member m ON ${sameTenant("m", "t")} AND m.group_id = t.group_id
                WHERE ${sameTenant("t", "c")} AND t.campaign_id = c.id AND m.location_id = l.id))
          ) AS i
          WHERE ${tenantIs("c", tenant)} AND (${before}::uuid IS NULL OR c.id < ${before})
            AND CASE WHEN ${campaign}::uuid IS NOT NULL THEN c.id = ${campaign}
              ELSE NOT c.paused AND c.starts_at <= ${instant(now)}
                AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)}) END
          ORDER BY c.id DESC LIMIT ${limit}`),

      /** Whether the device is in each audience, in their order. */
      memberships: (tenant: Tenant, deviceKey: DeviceKey, audiences: ReadonlyArray<Audience>) =>
        Effect.map(
          onlyRow(sql<{ readonly members: ReadonlyArray<boolean> }>`
            SELECT ARRAY[${sql.csv(
              audiences.map((audience) => sql`((${audienceSql(sql, audience, "d")}) IS TRUE)`),
            )}]::boolean[] AS members
            FROM device d WHERE ${tenantIs("d", tenant)} AND d.key = ${deviceKey}`),
          ({ members }) => members,
        ),

      /** The keys of the campaigns whose cap is used up for the device. */
      capped: (
        tenant: Tenant,
        deviceKey: DeviceKey,
        caps: ReadonlyArray<{
          readonly key: number;
          readonly capBy: "device" | "user";
          readonly window: CapWindow;
        }>,
      ) =>
        Effect.map(
          onlyRow(sql<{ readonly keys: ReadonlyArray<number> }>`
            SELECT COALESCE(array_agg(u.campaign_key), '{}') AS keys
            FROM (
              SELECT ${tenant.workspaceId}::int AS workspace_id, ${tenant.environment}::text AS environment,
                ${deviceKey}::int AS device_key, CASE c.cap_by WHEN 'user' THEN (
                  SELECT v.user_key FROM device v WHERE ${tenantIs("v", tenant)} AND v.key = ${deviceKey}
                ) END AS shared_by, c.campaign_key, c.cap_count, c.cap_since
              FROM ${unnested("c", caps, {
                campaign_key: ["int4", ({ key }) => key],
                cap_by: ["text", ({ capBy }) => capBy],
                cap_count: ["int4", ({ window }) => window.count],
                cap_since: ["timestamptz", ({ window }) => window.since],
              })}
            ) AS u
            WHERE u.campaign_key = ANY (${arrayOf(
              "int4",
              caps.map(({ key }) => key),
            )})
              AND ${usedCapSql(sql, tenant.workspaceId, "u")} >= u.cap_count`),
          ({ keys }) => new Set(keys),
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(ExplanationsSql, ExplanationsSql.make);
}
