import { Effect } from "effect";
import type { LateChoice } from "../campaigns/LocalSend.ts";
import { asNumber, instant, jsonb, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, onlyCount, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { contentColumns, contentJoins, type ContentRow } from "./ContentsSql.ts";
import type { TriggerType } from "./Notification.ts";
import type { EventTrigger, Trigger } from "./Trigger.ts";

/** A notification on a campaign, with the campaign's zone and start, which its sending time is shown with. */
export interface NotificationRow extends ContentRow {
  readonly campaign_id: CampaignId;
  readonly trigger_type: TriggerType;
  readonly send_at: TimeOfDay | null;
  readonly send_late: LateChoice | null;
  readonly dwell_minutes: number | null;
  readonly max_silence_minutes: number | null;
  readonly event: EventTrigger | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly timezone: TimeZoneName;
  readonly campaign_starts_ms: number;
  readonly campaign_recurs: boolean;
}

/** Every statement on notifications of campaigns and their triggers. Bound: 20 (plan). */
export class NotificationsSql extends SqlService<NotificationsSql>("waypost/NotificationsSql")((sql) => {
  const shown = sql`${sql.literal(contentColumns)},
    cn.campaign_id, cn.trigger_type, cn.send_at, cn.send_late, cn.dwell_minutes,
    cn.max_silence_minutes, cn.event,
    ${utc("cn.starts_at")} AS starts_at, ${utc("cn.ends_at")} AS ends_at,
    ${utc("n.created_at")} AS created_at,
    ${utc("GREATEST(n.updated_at, cn.updated_at)")} AS updated_at, c.timezone,
    ${asNumber("extract(epoch FROM c.starts_at) * 1000")} AS campaign_starts_ms,
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
          trigger_type, send_at, send_local, send_late, dwell_minutes, max_silence_minutes,
          event, starts_at, ends_at, attached_at, updated_at)
        VALUES (${tenant.workspaceId}, ${tenant.environment}, ${campaignId}, ${notificationId}, ${id},
          ${trigger.type}, ${trigger.sendAt}, ${trigger.late !== null}, ${trigger.late},
          ${trigger.dwellMinutes}, ${trigger.maxSilenceMinutes}, ${jsonb(trigger.event)},
          ${instant(trigger.startsAt)}, ${instant(trigger.endsAt)}, ${instant(now)}, ${instant(now)})`),

    /** Changes the trigger on one campaign; an equal trigger keeps `updated_at`. */
    setTrigger: (tenant: Tenant, campaignId: CampaignId, id: NotificationId, trigger: Trigger, now: number) =>
      run(sql`
        UPDATE campaign_notification cn SET trigger_type = ${trigger.type}, send_at = ${trigger.sendAt},
          send_local = ${trigger.late !== null}, send_late = ${trigger.late},
          dwell_minutes = ${trigger.dwellMinutes}, max_silence_minutes = ${trigger.maxSilenceMinutes},
          event = ${jsonb(trigger.event)},
          starts_at = ${instant(trigger.startsAt)}, ends_at = ${instant(trigger.endsAt)},
          updated_at = ${instant(now)}
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
          AND cn.notification_id = ${id}
          AND (cn.trigger_type, cn.send_at, cn.send_late, cn.dwell_minutes, cn.max_silence_minutes,
            cn.event,
            cn.starts_at, cn.ends_at) IS DISTINCT FROM (${trigger.type}::text, ${trigger.sendAt}::text,
              ${trigger.late}::text, ${trigger.dwellMinutes}::int, ${trigger.maxSilenceMinutes}::int,
              ${jsonb(trigger.event)},
              ${instant(trigger.startsAt)}, ${instant(trigger.endsAt)})`),

    detach: (tenant: Tenant, campaignId: CampaignId, id: NotificationId) =>
      run(sql`
        DELETE FROM campaign_notification cn
        WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
          AND cn.notification_id = ${id}`),
  };
}) {}
