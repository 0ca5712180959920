import { Effect } from "effect";
import { conflictReason } from "../database/DatabaseFailure.ts";
import { asNumber, epochMillis, instant, jsonb } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, firstRow, onlyCount, run, valueSet } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { AttachedNotification } from "./AttachedNotification.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { type CampaignRow, campaignsOf, rowsOfPage } from "./CampaignRowsSql.ts";
import { statusSql } from "./CampaignStatusSql.ts";
import { type CampaignValues, type NewCampaign, newCampaignsSql } from "./NewCampaignsSql.ts";

/** Which campaigns a list has; what is left out or null selects all. */
export interface CampaignFilters {
  /** In epoch milliseconds. */
  readonly updatedSince?: number | null;
  readonly status?: Campaign["status"] | null;
  readonly type?: Campaign["type"] | null;
  /** A pattern of `searchPattern` for the name. */
  readonly search?: string | null;
  /** Only drafts, or only campaigns that were not paused once. */
  readonly isDraft?: boolean | null;
  /** Only archived campaigns, or only the others (the default). */
  readonly isArchived?: boolean;
}

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

/**
 * Every statement on campaigns, without those on their targeting. Bound: the plan's campaigns (100 if it says
 * nothing), a page of 101, or 64 new ones.
 */
export class CampaignsSql extends SqlService<CampaignsSql>("waypost/campaigns/CampaignsSql")((sql) => {
  const limited = (tenant: Tenant, except: CampaignId | null, now: number) => sql`
    SELECT count(*)::integer AS count FROM campaign c
    WHERE ${tenantIs("c", tenant)} AND c.id IS DISTINCT FROM ${except}::uuid
      AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)} OR EXISTS (
        SELECT FROM send s
        WHERE ${sameTenant("s", "c")} AND s.campaign_id = c.id AND s.local_at IS NOT NULL
          AND s.status IN ('scheduled', 'running')))
      AND NOT (c.paused AND c.environment = 'sandbox')`;

  return {
    /** Newest first. */
    page: (tenant: Tenant, position: PagePosition, filters: CampaignFilters, now: number) => {
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

    find: (tenant: Tenant, id: CampaignId, now: number) => {
      const numbers = sql`, c.key, ${epochMillis("c.starts_at")} AS starts_ms,
        ${epochMillis("c.ends_at")} AS ends_ms, ${epochMillis("c.written_ends_at")} AS written_ms`;
      const row = sql<FoundRow>`
        WITH page AS MATERIALIZED (SELECT * FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id})
        ${rowsOfPage(sql, tenant, now, numbers)}`;
      return Effect.map(firstRow(row), (found) => found && toFound(found));
    },

    /** Whether a campaign other than `except` has exactly this name. */
    isNameTaken: (tenant: Tenant, name: string, except: CampaignId | null) =>
      anyRow(sql`
        SELECT FROM campaign c
        WHERE ${tenantIs("c", tenant)} AND c.name = ${name}
          AND c.id IS DISTINCT FROM ${except}::uuid`),

    /**
     * How many campaigns `max_campaigns` counts, without `except`: those that have not ended and, in Sandbox,
     * are not paused (contract E9).
     */
    countLimited: (tenant: Tenant, except: CampaignId | null, now: number) =>
      onlyCount(sql<{ readonly count: number }>`/* limited campaigns */ ${limited(tenant, except, now)}`),

    /**
     * Inserts a campaign with its targets, in a transaction that has locked the tenant. If its name is taken
     * meanwhile, a target deleted or the limit reached, the transaction conflicts: it runs again and finds
     * the problem.
     */
    insert: (tenant: Tenant, campaign: NewCampaign, now: number) =>
      run(sql`
        WITH ${newCampaignsSql(sql, tenant, [campaign], limited(tenant, null, now), now)}
        SELECT refuse_commit(${conflictReason}) WHERE NOT EXISTS (SELECT FROM made)`),

    /**
     * As `insert`, for several campaigns. It leaves out those of which `insert` would conflict, and gives the
     * ids of the others. Their limits count those of the environment that were stored before.
     */
    insertAll: (tenant: Tenant, campaigns: ReadonlyArray<NewCampaign>, now: number) =>
      valueSet(sql<{ readonly id: CampaignId }>`
        WITH ${newCampaignsSql(sql, tenant, campaigns, limited(tenant, null, now), now)}
        SELECT id FROM made`),

    update: (tenant: Tenant, id: CampaignId, values: CampaignValues, now: number) =>
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

    /** True if that changed the campaign; otherwise `updated_at` is kept. Publishing also unarchives. */
    setPaused: (tenant: Tenant, id: CampaignId, isPaused: boolean, now: number) =>
      anyRow(sql`
        UPDATE campaign c SET paused = ${isPaused}, archived = c.archived AND ${isPaused},
          updated_at = ${instant(now)}
        WHERE ${tenantIs("c", tenant)} AND c.id = ${id} AND c.paused <> ${isPaused}
        RETURNING c.id`),

    /** Needs a paused campaign. `updated_at` is kept if that changes nothing. */
    setArchived: (tenant: Tenant, id: CampaignId, isArchived: boolean, now: number) =>
      run(sql`
        UPDATE campaign c SET archived = ${isArchived}, updated_at = ${instant(now)}
        WHERE ${tenantIs("c", tenant)} AND c.id = ${id} AND c.archived <> ${isArchived}`),

    /** The notifications on a campaign, in the order in which they were attached. */
    attached: (tenant: Tenant, id: CampaignId) =>
      Effect.orDie(sql<AttachedNotification>`
        SELECT n.name, cn.send_at AS "sendAt", cn.send_late AS late,
          ${asNumber("extract(epoch FROM cn.starts_at) * 1000")} AS "windowStart",
          ${asNumber("extract(epoch FROM cn.ends_at) * 1000")} AS "windowEnd"
        FROM campaign_notification cn
        JOIN notification n ON n.workspace_id = cn.workspace_id AND n.environment = cn.environment
          AND n.id = cn.notification_id
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${id}
        ORDER BY cn.attached_at, cn.notification_id`),

    /** Deletes the notifications that are on this campaign only. Their deliveries keep their content. */
    deleteOwnNotifications: (tenant: Tenant, id: CampaignId) =>
      run(sql`
        DELETE FROM notification n
        WHERE ${tenantIs("n", tenant)}
          AND n.id IN (SELECT cn.notification_id FROM campaign_notification cn
            WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${id})
          AND NOT EXISTS (SELECT FROM campaign_notification o
            WHERE ${tenantIs("o", tenant)} AND o.notification_id = n.id AND o.campaign_id <> ${id})`),

    /** Deletes a campaign and its targeting, and detaches its notifications. Its deliveries keep its id. */
    delete: (tenant: Tenant, id: CampaignId) =>
      run(sql`
        WITH gone AS (
          DELETE FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id}
          RETURNING c.workspace_id, c.environment, c.key, c.id
        )
        INSERT INTO deleted_campaign (workspace_id, environment, key, id)
        SELECT workspace_id, environment, key, id FROM gone`),
  };
}) {}
