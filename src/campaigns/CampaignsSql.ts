import { Effect } from "effect";
import type { Statement } from "effect/sql";
import {
  columnAssignments,
  columnNames,
  columnParameters,
  selectedColumns,
} from "../database/TableColumns.ts";
import { conflictReason } from "../database/DatabaseFailure.ts";
import { asNumber, instant } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, firstRow, onlyCount, run } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { AttachedNotification } from "./AttachedNotification.ts";
import type { Campaign } from "./Campaign.ts";
import { statusSql } from "./CampaignStatusSql.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { insertTargets, selectedTargets, targetsJoined, targetTables } from "./CampaignTargetsSql.ts";
import {
  campaignColumns,
  type CampaignValues,
  type StoredCampaign,
  storedCampaignColumns,
} from "./StoredCampaign.ts";

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

/** A campaign to insert. */
export interface NewCampaign {
  readonly id: CampaignId;
  readonly values: CampaignValues;
  readonly targets: ResolvedTargeting;
  readonly paused: boolean;
  /** The most campaigns that can count with this one; null for any number. */
  readonly limit: number | null;
}

/**
 * Every statement on campaigns, without those on their targeting. Bound: the plan's campaigns (100 if it says
 * nothing), or a page of 101.
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

  /** The campaigns of a selection of rows, newest first. */
  const campaigns = (tenant: Tenant, page: Statement.Fragment) => sql<StoredCampaign>`
    WITH page AS MATERIALIZED (${page})
    SELECT ${selectedColumns(storedCampaignColumns, "c")}, ${selectedTargets}
    FROM page c ${targetsJoined(sql, tenant)} ORDER BY c.id DESC`;

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
      return Effect.orDie(
        campaigns(
          tenant,
          sql`SELECT * FROM campaign c WHERE ${tenantIs("c", tenant)} AND ${sql.and(conditions)}
            ORDER BY c.id DESC LIMIT ${position.limit}`,
        ),
      );
    },

    find: (tenant: Tenant, id: CampaignId) =>
      firstRow(
        campaigns(tenant, sql`SELECT * FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id}`),
      ),

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
    insert: (tenant: Tenant, { id, limit, paused, targets, values }: NewCampaign, now: number) => {
      const tables = targetTables.filter(({ field }) => targets[field].length > 0);
      const added = tables.map((each) => {
        const isMade = sql`EXISTS (SELECT FROM made)`;
        const inserted = insertTargets(sql, tenant, id, each, targets[each.field], isMade);
        return sql`, ${sql(`${each.table}_added`)} AS (${inserted} RETURNING 1)`;
      });
      const missing = tables.map(
        ({ field, table }) =>
          sql` OR (SELECT count(*) FROM ${sql(`${table}_added`)}) < ${targets[field].length}`,
      );
      return run(sql`
        WITH made AS (
          INSERT INTO campaign (workspace_id, environment, id, paused, created_at, updated_at,
            ${columnNames(campaignColumns)})
          SELECT ${tenant.workspaceId}::int, ${tenant.environment}::text, ${id}::uuid, ${paused}::bool,
            ${instant(now)}, ${instant(now)}, ${columnParameters(campaignColumns, values)}
          WHERE ${limit === null ? sql`true` : sql`(${limited(tenant, null, now)}) < ${limit}`}
          ON CONFLICT (name, workspace_id, environment) DO NOTHING RETURNING id
        ) ${sql.join("", false)(added)}
        SELECT refuse_commit(${conflictReason})
        WHERE NOT EXISTS (SELECT FROM made) ${sql.join("", false)(missing)}`);
    },

    update: (tenant: Tenant, id: CampaignId, values: CampaignValues, now: number) =>
      run(sql`
        UPDATE campaign c SET ${columnAssignments(campaignColumns, values)},
          type_changed = c.type_changed OR c.type <> ${values.type},
          plan_at = CASE WHEN ${values.recurrence !== null} THEN c.plan_at END, updated_at = ${instant(now)}
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
