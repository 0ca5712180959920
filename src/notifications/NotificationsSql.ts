import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, jsonb, utc } from "../database/Rows.ts";
import { firstRow, onlyCount, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import { contentColumns, contentJoins } from "./ContentsSql.ts";
import { type NotificationRow, NotificationsRepository } from "./NotificationsRepository.ts";

/** Every statement on notifications of campaigns and their triggers. Bound: 20 (plan). */
export const notificationsSql = Layer.effect(
  NotificationsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
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

    return NotificationsRepository.of({
      list: (tenant, campaignId) =>
        Effect.orDie(sql<NotificationRow>`
          SELECT ${shown}
          WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
          ORDER BY cn.attached_at, cn.id`),

      find: (tenant, campaignId, id) =>
        firstRow(sql<NotificationRow>`
          SELECT ${shown}
          WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
            AND cn.notification_id = ${id}`),

      count: (tenant, campaignId) =>
        onlyCount(sql<{ readonly count: number }>`
          SELECT count(*)::integer AS count FROM campaign_notification cn
          WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}`),

      attach: (tenant, id, campaignId, notificationId, trigger, now) =>
        run(sql`
          INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
            trigger_type, send_at, send_local, send_late, dwell_minutes, max_silence_minutes,
            event, starts_at, ends_at, attached_at, updated_at)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${campaignId}, ${notificationId}, ${id},
            ${trigger.type}, ${trigger.sendAt}, ${trigger.late !== null}, ${trigger.late},
            ${trigger.dwellMinutes}, ${trigger.maxSilenceMinutes}, ${jsonb(trigger.event)},
            ${instant(trigger.startsAt)}, ${instant(trigger.endsAt)}, ${instant(now)}, ${instant(now)})`),

      setTrigger: (tenant, campaignId, id, trigger, now) =>
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

      detach: (tenant, campaignId, id) =>
        run(sql`
          DELETE FROM campaign_notification cn
          WHERE ${tenantIs("cn", tenant)} AND cn.campaign_id = ${campaignId}
            AND cn.notification_id = ${id}`),
    });
  }),
);
