import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { conflictReason } from "../database/DatabaseFailure.ts";
import { asNumber, instant, jsonb, utc } from "../database/Rows.ts";
import { anyRow, firstRow, mapRows, onlyCount, run } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import { storedQuietHours } from "../workspaces/QuietHours.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { AttachedNotification } from "./AttachedNotification.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { CampaignsRepository } from "./CampaignsRepository.ts";
import { statusSql } from "./CampaignStatusSql.ts";
import { storedGoal } from "./Goal.ts";
import { newCampaignsSql } from "./NewCampaignsSql.ts";

type Ids = ReadonlyArray<string>;

interface Columns extends Omit<Campaign, "targeting" | "recurrence" | "holdout_percent" | "goal"> {
  /**
   * The targeting, recurrence, holdout and goal in one column: V8 keeps an object that gets over 18
   * properties by computed names as a hash table, which costs an eighth of the time of a page of 20
   * campaigns.
   */
  readonly targets: readonly [
    locations: Ids,
    groups: Ids,
    segments: Ids,
    match: Campaign["targeting"]["segment_match"],
    recurrence: Campaign["recurrence"],
    holdout: number,
    goal: Campaign["goal"],
  ];
}

interface FoundColumns
  extends Omit<Columns, "id" | "timezone">, Pick<FoundCampaign, "id" | "key" | "timezone"> {
  readonly starts_ms: number;
  readonly ends_ms: number | null;
  readonly written_ms: number | null;
}

const toCampaign = (row: Columns): Campaign => {
  const [location_ids, location_group_ids, segmentation_ids, segment_match, recurrence, holdout, goal] =
    row.targets;
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    status: row.status,
    starts_at: row.starts_at,
    ends_at: row.ends_at,
    timezone: row.timezone,
    recurrence,
    paused: row.paused,
    published_at: row.published_at,
    archived: row.archived,
    frequency_cap_count: row.frequency_cap_count,
    frequency_cap_period: row.frequency_cap_period,
    cap_by: row.cap_by,
    quiet_hours: storedQuietHours(row.quiet_hours),
    cooldown_minutes: row.cooldown_minutes,
    max_per_minute: row.max_per_minute,
    holdout_percent: holdout,
    goal: storedGoal(goal),
    targeting: {
      location_ids,
      location_group_ids,
      segmentation_ids,
      // The last segment of a campaign that has ended can be deleted (contract E6).
      segment_match: segmentation_ids.length > 0 ? segment_match : null,
    },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
};

const toFound = (row: FoundColumns): FoundCampaign => ({
  ...toCampaign(row),
  id: row.id,
  timezone: row.timezone,
  key: row.key,
  startsAtMs: row.starts_ms,
  endsAtMs: row.ends_ms,
  writtenEndMs: row.written_ms,
});

/** Every statement on campaigns, without those on their targeting. */
export const campaignsSql = Layer.effect(
  CampaignsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const targets = (table: string, column: string) => sql`
      ARRAY (SELECT t.${sql(column)}::text FROM ${sql(table)} t
        WHERE t.workspace_id = c.workspace_id AND t.environment = c.environment AND t.campaign_id = c.id
        ORDER BY t.position)`;

    const columns = (now: number) => sql`
      c.id, c.name, c.type, ${statusSql(sql, now, "c")} AS status, ${utc("c.starts_at")} AS starts_at,
      ${utc("COALESCE(c.written_ends_at, c.ends_at)")} AS ends_at, c.timezone, c.paused,
      ${utc("c.published_at")} AS published_at, c.archived, c.frequency_cap_count,
      c.frequency_cap_period, c.cap_by, c.quiet_hours, c.cooldown_minutes, c.max_per_minute,
      json_build_array(${targets("campaign_location", "location_id")},
        ${targets("campaign_location_group", "group_id")},
        ${targets("campaign_segment", "segment_id")}, c.segment_match, c.recurrence,
        c.holdout_percent::float8, c.goal) AS targets,
      ${utc("c.created_at")} AS created_at, ${utc("c.updated_at")} AS updated_at`;

    const limited = (tenant: Tenant, except: CampaignId | null, now: number) => sql`
      SELECT count(*)::integer AS count FROM campaign c
      WHERE ${tenantIs("c", tenant)} AND c.id IS DISTINCT FROM ${except}::uuid
        AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)} OR EXISTS (
          SELECT FROM send s
          WHERE ${sameTenant("s", "c")} AND s.campaign_id = c.id AND s.local_at IS NOT NULL
            AND s.status IN ('scheduled', 'running')))
        AND NOT (c.paused AND c.environment = 'sandbox')`;

    return CampaignsRepository.of({
      page: (tenant, position, filters, now) => {
        const {
          isArchived = false,
          isDraft = null,
          search = null,
          status = null,
          type = null,
          updatedSince = null,
        } = filters;
        return mapRows(
          sql<Columns>`
            SELECT ${columns(now)} FROM campaign c
            WHERE ${tenantIs("c", tenant)} AND c.archived = ${isArchived}
              AND (${position.before}::uuid IS NULL OR c.id < ${position.before})
              AND (${instant(updatedSince)} IS NULL OR c.updated_at >= ${instant(updatedSince)})
              AND (${isDraft}::boolean IS NULL OR (c.published_at IS NULL) = ${isDraft})
              AND (${type}::text IS NULL OR c.type = ${type})
              AND (${status}::text IS NULL OR ${statusSql(sql, now, "c")} = ${status})
              ${search === null ? sql`` : sql`AND c.search_name LIKE ${search}`}
            ORDER BY c.id DESC LIMIT ${position.limit}`,
          toCampaign,
        );
      },

      find: (tenant, id, now) =>
        Effect.map(
          firstRow(sql<FoundColumns>`
            SELECT ${columns(now)}, c.key, ${asNumber("extract(epoch FROM c.starts_at) * 1000")} AS starts_ms,
              ${asNumber("extract(epoch FROM c.ends_at) * 1000")} AS ends_ms,
              ${asNumber("extract(epoch FROM c.written_ends_at) * 1000")} AS written_ms
            FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id}`),
          (row) => row && toFound(row),
        ),

      isNameTaken: (tenant, name, except) =>
        anyRow(sql`
          SELECT FROM campaign c
          WHERE ${tenantIs("c", tenant)} AND c.name = ${name}
            AND c.id IS DISTINCT FROM ${except}::uuid`),

      countLimited: (tenant, except, now) =>
        onlyCount(sql<{ readonly count: number }>`/* limited campaigns */ ${limited(tenant, except, now)}`),

      insert: (tenant, campaign, now) =>
        run(sql`
          WITH ${newCampaignsSql(sql, tenant, [campaign], limited(tenant, null, now), now)}
          SELECT refuse_commit(${conflictReason}) WHERE NOT EXISTS (SELECT FROM made)`),

      insertAll: (tenant, campaigns, now) =>
        Effect.map(
          mapRows(
            sql<{ readonly id: CampaignId }>`
              WITH ${newCampaignsSql(sql, tenant, campaigns, limited(tenant, null, now), now)}
              SELECT id FROM made`,
            ({ id }) => id,
          ),
          (ids) => new Set(ids),
        ),

      update: (tenant, id, values, now) =>
        run(sql`
          UPDATE campaign c SET name = ${values.name}, type = ${values.type}, timezone = ${values.timezone},
            starts_at = ${instant(values.startsAt)}, ends_at = ${instant(values.endsAt)},
            written_ends_at = ${instant(values.writtenEnd)}, recurrence = ${jsonb(values.recurrence)},
            plan_at = CASE WHEN ${values.recurrence !== null} THEN c.plan_at END,
            frequency_cap_count = ${values.frequencyCapCount},
            frequency_cap_period = ${values.frequencyCapPeriod}, cap_by = ${values.capBy},
            quiet_hours = ${jsonb(values.quietHours)}, cooldown_minutes = ${values.cooldownMinutes},
            max_per_minute = ${values.maxPerMinute},
            segment_match = ${values.segmentMatch}, holdout_percent = ${values.holdoutPercent},
            goal = ${jsonb(values.goal)}, updated_at = ${instant(now)}
          WHERE ${tenantIs("c", tenant)} AND c.id = ${id}`),

      setPaused: (tenant, id, isPaused, now) =>
        anyRow(sql`
          UPDATE campaign c SET paused = ${isPaused}, archived = c.archived AND ${isPaused},
            updated_at = ${instant(now)}
          WHERE ${tenantIs("c", tenant)} AND c.id = ${id} AND c.paused <> ${isPaused}
          RETURNING c.id`),

      setArchived: (tenant, id, isArchived, now) =>
        run(sql`
          UPDATE campaign c SET archived = ${isArchived}, updated_at = ${instant(now)}
          WHERE ${tenantIs("c", tenant)} AND c.id = ${id} AND c.archived <> ${isArchived}`),

      attached: (tenant, id) =>
        Effect.orDie(sql<AttachedNotification>`
          SELECT n.name, cn.send_at AS "sendAt", cn.send_late AS late,
            ${asNumber("extract(epoch FROM cn.starts_at) * 1000")} AS "windowStart",
            ${asNumber("extract(epoch FROM cn.ends_at) * 1000")} AS "windowEnd"
          FROM campaign_notification cn
          JOIN notification n ON n.workspace_id = cn.workspace_id AND n.environment = cn.environment
            AND n.id = cn.notification_id
          WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${id}
          ORDER BY cn.attached_at, cn.notification_id`),

      deleteOwnNotifications: (tenant, id) =>
        run(sql`
          DELETE FROM notification n
          WHERE ${tenantIs("n", tenant)}
            AND n.id IN (SELECT cn.notification_id FROM campaign_notification cn
              WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${id})
            AND NOT EXISTS (SELECT FROM campaign_notification o
              WHERE ${tenantIs("o", tenant)} AND o.notification_id = n.id AND o.campaign_id <> ${id})`),

      delete: (tenant, id) =>
        run(sql`
          WITH gone AS (
            DELETE FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id}
            RETURNING c.workspace_id, c.environment, c.key, c.id
          )
          INSERT INTO deleted_campaign (workspace_id, environment, key, id)
          SELECT workspace_id, environment, key, id FROM gone`),
    });
  }),
);
