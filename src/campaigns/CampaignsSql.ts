import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { conflictReason } from "../database/DatabaseFailure.ts";
import { asNumber, epochMillis, instant, jsonb } from "../database/Rows.ts";
import { anyRow, firstRow, mapRows, onlyCount, run } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { AttachedNotification } from "./AttachedNotification.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { type CampaignRow, campaignsOf, rowsOfPage } from "./CampaignRowsSql.ts";
import { CampaignsRepository } from "./CampaignsRepository.ts";
import { statusSql } from "./CampaignStatusSql.ts";
import { newCampaignsSql } from "./NewCampaignsSql.ts";

interface FoundRow
  extends Omit<CampaignRow, "id" | "timezone">, Pick<FoundCampaign, "id" | "key" | "timezone"> {
  readonly starts_ms: number;
  readonly ends_ms: number | null;
  readonly written_ms: number | null;
}

const toFound = (row: FoundRow): FoundCampaign => ({
  ...(campaignsOf([row])[0] as Campaign),
  id: row.id,
  timezone: row.timezone,
  key: row.key,
  startsAtMs: row.starts_ms,
  endsAtMs: row.ends_ms,
  writtenEndMs: row.written_ms,
});

/** Every statement on campaigns, without those on their targeting. */
export const campaignsSql = Layer.effect(
  // Bound: the plan's campaigns (100 if it says nothing), a page of 101, or 64 new ones.
  CampaignsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
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
        const conditions = [
          sql`c.archived = ${isArchived}`,
          ...(position.before === null ? [] : [sql`c.id < ${position.before}::uuid`]),
          ...(updatedSince === null ? [] : [sql`c.updated_at >= ${instant(updatedSince)}`]),
          ...(isDraft === null ? [] : [sql`(c.published_at IS NULL) = ${isDraft}`]),
          ...(type === null ? [] : [sql`c.type = ${type}`]),
          ...(status === null ? [] : [sql`${statusSql(sql, now, "c")} = ${status}`]),
          ...(search === null ? [] : [sql`c.search_name LIKE ${search}`]),
        ];
        const rows = sql<CampaignRow>`
          WITH page AS MATERIALIZED (
            SELECT * FROM campaign c WHERE ${tenantIs("c", tenant)} AND ${sql.and(conditions)}
            ORDER BY c.id DESC LIMIT ${position.limit}
          ) ${rowsOfPage(sql, tenant, now)}`;
        return Effect.orDie(Effect.map(rows, campaignsOf));
      },

      find: (tenant, id, now) => {
        const numbers = sql`, c.key, ${epochMillis("c.starts_at")} AS starts_ms,
          ${epochMillis("c.ends_at")} AS ends_ms, ${epochMillis("c.written_ends_at")} AS written_ms`;
        const row = sql<FoundRow>`
          WITH page AS MATERIALIZED (SELECT * FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id})
          ${rowsOfPage(sql, tenant, now, numbers)}`;
        return Effect.map(firstRow(row), (found) => found && toFound(found));
      },

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
          UPDATE campaign c SET name = ${values.name}, type = ${values.type},
            type_changed = c.type_changed OR c.type <> ${values.type}, timezone = ${values.timezone},
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
