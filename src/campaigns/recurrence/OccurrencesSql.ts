import { Effect } from "effect";
import type { SqlClient, Statement } from "effect/sql";
import { arrayOf, epochMillis, instant, unnested } from "../../database/Rows.ts";
import { run } from "../../database/Statements.ts";
import type { LocalDate } from "../../time/LocalTime.ts";
import type { CampaignId } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { sameTenant, tenantColumns, tenantIs, tenantIsIn } from "../../database/TenantColumns.ts";
import type {
  CampaignRef,
  NewOccurrence,
  OccurrenceSend,
  SendTime,
  WaitingOccurrence,
} from "./OccurrencePlan.ts";

/** The columns of planned sends for `unnested`. */
const planned = {
  id: ["uuid", ({ id }: { readonly id: string }) => id],
  occurrence: ["text", ({ occurrence }: OccurrenceSend) => occurrence],
  due_at: ["timestamptz", ({ dueAt }: OccurrenceSend) => dueAt],
  local_at: ["text", ({ local }: OccurrenceSend) => local?.localAt ?? null],
  late: ["text", ({ local }: OccurrenceSend) => local?.late ?? null],
  planned_at: ["timestamptz", ({ local }: OccurrenceSend) => local?.plannedAt ?? null],
  next_at: ["timestamptz", ({ local }: OccurrenceSend) => local?.nextAt ?? null],
} as const;

/** The statements of `SendPlanSql` on the sends of dates of recurring campaigns. */
export const occurrenceStatements = (sql: SqlClient.SqlClient) => ({
  /** The sending times of the notifications on campaigns, in the order in which they were attached. */
  // Bound: a page of 200 campaigns, of 20 notifications each (plan).
  times: (campaigns: ReadonlyArray<CampaignRef>) =>
    Effect.orDie(sql<SendTime & Pick<CampaignRef, "campaignId">>`
      SELECT cn.campaign_id AS "campaignId", cn.notification_id AS "notificationId", cn.send_at AS "sendAt",
        cn.send_late AS late
      FROM campaign_notification cn
      WHERE ${tenantIsIn("cn", campaigns)} AND cn.send_at IS NOT NULL AND cn.campaign_id = ANY (${arrayOf(
        "uuid",
        campaigns.map(({ campaignId }) => campaignId),
      )})
      ORDER BY cn.attached_at, cn.id`),

  /**
   * Stores when the next date of a recurring campaign is to be planned, and locks the campaign, so that its
   * sends neither start nor are planned by others.
   */
  setPlanAt: (tenant: Tenant, campaignId: CampaignId, planAt: number | null) =>
    run(sql`
      UPDATE campaign c SET plan_at = ${instant(planAt)}
      WHERE ${tenantIs("c", tenant)} AND c.id = ${campaignId}`),

  /** The scheduled sends of the dates of a recurring campaign. */
  waitingOccurrences: (tenant: Tenant, campaignId: CampaignId) =>
    Effect.orDie(sql<WaitingOccurrence>`
      SELECT s.id, s.notification_id AS "notificationId", s.occurrence, ${epochMillis("s.due_at")} AS "dueAt",
        s.local_at AS "localAt", s.late
      FROM send s
      WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
        AND s.occurrence IS NOT NULL`),

  /** Adds sends of dates, without those whose date and notification has a send that is not cancelled. */
  addOccurrences: (sends: ReadonlyArray<NewOccurrence>) =>
    sends.length === 0
      ? Effect.void
      : run(sql`
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
            notification_key, occurrence, due_at, status, local_at, late, planned_at, next_at)
          SELECT c.workspace_id, c.environment, p.id, c.id, c.key, n.id, n.key, p.occurrence, p.due_at,
            'scheduled', p.local_at, p.late, p.planned_at, p.next_at
          FROM ${unnested("p", sends, {
            ...tenantColumns,
            campaign_id: ["uuid", ({ campaignId }) => campaignId],
            notification_id: ["uuid", ({ notificationId }) => notificationId],
            ...planned,
          })}
          JOIN campaign c ON ${sameTenant("c", "p")} AND c.id = p.campaign_id
          JOIN notification n ON ${sameTenant("n", "p")} AND n.id = p.notification_id
          ORDER BY p.ord
          ON CONFLICT DO NOTHING`),

  /** Deletes scheduled sends of dates by their ids, and moves others. */
  // A part that had passed when its send was planned is fixed before the send begins.
  moveOccurrences: (
    tenant: Tenant,
    removed: ReadonlyArray<string>,
    moved: ReadonlyArray<OccurrenceSend & { readonly id: string }>,
  ) =>
    run(sql`
      WITH removed AS (
        DELETE FROM send s
        WHERE ${tenantIs("s", tenant)} AND s.id = ANY (${arrayOf("uuid", removed)}) AND s.status = 'scheduled'
        RETURNING s.id
      ), moved AS (
        UPDATE send s SET due_at = p.due_at, local_at = p.local_at, late = p.late,
          planned_at = p.planned_at, next_at = p.next_at
        FROM ${unnested("p", moved, planned)}
        WHERE ${tenantIs("s", tenant)} AND s.id = p.id AND s.status = 'scheduled'
        RETURNING s.id
      )
      DELETE FROM send s USING (SELECT id FROM removed UNION ALL SELECT id FROM moved) AS parent
      WHERE ${tenantIs("s", tenant)} AND s.parent_id = parent.id`),

  /** Makes the scheduled sends of a campaign, and those between their parts, sends of a date. */
  makeOccurrences: (tenant: Tenant, campaignId: CampaignId, occurrence: LocalDate) => {
    const isPlain = sql`${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId} AND s.parent_id IS NULL
      AND s.occurrence IS NULL`;
    const ofNotification = (condition: Statement.Fragment) => sql`EXISTS (
      SELECT FROM send o WHERE ${sameTenant("o", "s")} AND o.campaign_id = s.campaign_id
        AND o.notification_id = s.notification_id AND ${condition})`;
    const isMade = ofNotification(sql`o.occurrence = ${occurrence} AND o.status <> 'cancelled'`);
    return run(sql`
      WITH removed AS (
        DELETE FROM send s WHERE ${isPlain} AND s.status = 'scheduled' AND ${isMade}
      )
      UPDATE send s SET occurrence = ${occurrence}
      WHERE ${isPlain} AND NOT ${isMade} AND (s.status = 'scheduled' OR (s.status = 'running'
        AND s.local_at IS NOT NULL AND NOT ${ofNotification(sql`o.status = 'scheduled'`)}))`);
  },

  /** Deletes the scheduled sends of all dates but one, which become those of a campaign of one day. */
  dropOccurrences: (tenant: Tenant, campaignId: CampaignId, kept: LocalDate) =>
    run(sql`
      WITH unplanned AS (
        UPDATE campaign c SET plan_at = NULL WHERE ${tenantIs("c", tenant)} AND c.id = ${campaignId}
      ), removed AS (
        DELETE FROM send s
        WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
          AND s.occurrence <> ${kept}
        RETURNING s.id
      ), parts AS (
        DELETE FROM send s USING removed WHERE ${tenantIs("s", tenant)} AND s.parent_id = removed.id
      )
      UPDATE send s SET occurrence = NULL
      WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
        AND s.occurrence = ${kept}`),
});
