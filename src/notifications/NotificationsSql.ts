import { Effect } from "effect";
import {
  columnAssignments,
  columnNames,
  columnParameters,
  type Columns,
  columnsOfRow,
  selectedColumns,
} from "../database/TableColumns.ts";
import { epochMillis, instant, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, onlyCount, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { contentJoins, type ContentRow, selectedContent } from "./ContentsSql.ts";
import type { Trigger } from "./Trigger.ts";

/** A notification on a campaign, with the campaign's zone and start, which its sending time is shown with. */
export interface NotificationRow extends ContentRow, Trigger {
  readonly campaign_id: CampaignId;
  readonly timezone: TimeZoneName;
  readonly campaign_starts_ms: number;
  readonly campaign_recurs: boolean;
}

const triggerColumns = {
  triggerType: ["trigger_type", "text"],
  sendAt: ["send_at", "text"],
  late: ["send_late", "text"],
  dwellMinutes: ["dwell_minutes", "int4"],
  maxSilenceMinutes: ["max_silence_minutes", "int4"],
  event: "jsonb",
  startsAt: ["starts_at", "timestamptz"],
  endsAt: ["ends_at", "timestamptz"],
} as const satisfies Columns<Trigger>;

/** Every statement on notifications of campaigns and their triggers. Bound: 20 (plan). */
export class NotificationsSql extends SqlService<NotificationsSql>("waypost/NotificationsSql")((sql) => {
  const shown = sql`${selectedContent},
    cn.campaign_id, ${selectedColumns(triggerColumns, "cn")},
    ${utc("n.created_at")} AS created_at,
    ${utc("GREATEST(n.updated_at, cn.updated_at)")} AS updated_at, c.timezone,
    ${epochMillis("c.starts_at")} AS campaign_starts_ms,
    c.recurrence IS NOT NULL AS campaign_recurs
    FROM campaign_notification cn
    JOIN campaign c ON c.workspace_id = cn.workspace_id AND c.environment = cn.environment
      AND c.id = cn.campaign_id
    JOIN notification n ON n.workspace_id = cn.workspace_id AND n.environment = cn.environment
      AND n.id = cn.notification_id ${sql.literal(contentJoins)}`;

  return {
    /** All notifications of a campaign, in the order in which they were attached (contract D5). */
    list: (tenant: Tenant, campaignId: CampaignId) =>
      Effect.orDie(sql<NotificationRow>`
        SELECT ${shown}
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
        ORDER BY cn.attached_at, cn.id`),

    find: (tenant: Tenant, campaignId: CampaignId, id: NotificationId) =>
      firstRow(sql<NotificationRow>`
        SELECT ${shown}
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
          AND cn.notification_id = ${id}`),

    /** How many notifications are on a campaign. */
    count: (tenant: Tenant, campaignId: CampaignId) =>
      onlyCount(sql<{ readonly count: number }>`
        SELECT count(*)::integer AS count FROM campaign_notification cn
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}`),

    /** Attaches a notification to a campaign. `id` identifies the pairing. */
    attach: (
      tenant: Tenant,
      id: string,
      campaignId: CampaignId,
      notificationId: NotificationId,
      trigger: Trigger,
      now: number,
    ) =>
      run(sql`
        INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
          send_local, attached_at, updated_at, ${columnNames(triggerColumns)})
        VALUES (${tenant.workspaceId}, ${tenant.environment}, ${campaignId}, ${notificationId}, ${id},
          ${trigger.late !== null}, ${instant(now)}, ${instant(now)},
          ${columnParameters(triggerColumns, trigger)})`),

    /** Changes the trigger on one campaign; an equal trigger keeps `updated_at`. */
    setTrigger: (tenant: Tenant, campaignId: CampaignId, id: NotificationId, trigger: Trigger, now: number) =>
      run(sql`
        UPDATE campaign_notification cn SET ${columnAssignments(triggerColumns, trigger)},
          send_local = ${trigger.late !== null}, updated_at = ${instant(now)}
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
          AND cn.notification_id = ${id}
          AND (${columnsOfRow(triggerColumns, "cn")})
            IS DISTINCT FROM (${columnParameters(triggerColumns, trigger)})`),

    detach: (tenant: Tenant, campaignId: CampaignId, id: NotificationId) =>
      run(sql`
        DELETE FROM campaign_notification cn
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
          AND cn.notification_id = ${id}`),
  };
}) {}
