import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, jsonb, utc } from "../database/Rows.ts";
import type { ContentMedia } from "../media/MediaAddress.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { TriggerType } from "./Notification.ts";
import type { Question } from "./Survey.ts";
import type { Trigger } from "./Trigger.ts";

/** Content as it is stored, by itself; questions are null for a message. */
export interface ContentRow extends Omit<MessageContent, "questions"> {
  readonly media: ContentMedia | null;
  readonly id: string;
  readonly name: string;
  readonly questions: ReadonlyArray<Question> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A notification on a campaign, with what its time of sending is read by. */
export interface NotificationRow extends ContentRow {
  readonly campaign_id: string;
  readonly trigger_type: TriggerType;
  readonly send_at: TimeOfDay | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly timezone: TimeZoneName;
  readonly campaign_starts_ms: number;
}

const questionsOf = (content: MessageContent) => jsonb(content.type === "survey" ? content.questions : null);

/** Every statement on notifications, their content and their triggers. */
export class NotificationsSql extends Context.Service<NotificationsSql>()(
  "waypost/notifications/NotificationsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      const of = (tenant: Tenant, alias: string) =>
        sql`${sql(`${alias}.workspace_id`)} = ${tenant.workspaceId} AND ${sql(`${alias}.environment`)} = ${tenant.environment}`;

      const shown = sql`
        n.id, cn.campaign_id, n.name, x.type, x.headline, x.body, x.cta_label, x.cta_url, x.media_asset_id, x.media_kind,
        CASE WHEN m.id IS NOT NULL THEN jsonb_build_object('id', m.id, 'type', m.kind, 'key', m.key) END AS media, x.questions,
        cn.trigger_type, cn.send_at, ${utc("cn.starts_at")} AS starts_at, ${utc("cn.ends_at")} AS ends_at,
        ${utc("n.created_at")} AS created_at, ${utc("GREATEST(n.updated_at, cn.updated_at)")} AS updated_at,
        c.timezone, ${asNumber("extract(epoch FROM c.starts_at) * 1000")} AS campaign_starts_ms
        FROM campaign_notification cn
        JOIN campaign c ON c.workspace_id = cn.workspace_id AND c.environment = cn.environment AND c.id = cn.campaign_id
        JOIN notification n ON n.workspace_id = cn.workspace_id AND n.environment = cn.environment
          AND n.id = cn.notification_id
        JOIN content x ON x.workspace_id = n.workspace_id AND x.environment = n.environment AND x.key = n.content_key
        LEFT JOIN media_file m ON m.workspace_id = n.workspace_id AND m.environment = n.environment AND m.id = n.media_id`;

      return {
        /** All that are on the campaign, by the time they were put on it (contract D5). */
        list: (tenant: Tenant, campaignId: string) =>
          Effect.orDie(sql<NotificationRow>`
            SELECT ${shown}
            WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${campaignId}
            ORDER BY cn.attached_at, cn.id`),

        find: (tenant: Tenant, campaignId: string, id: string) =>
          Effect.orDie(sql<NotificationRow>`
            SELECT ${shown}
            WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${campaignId} AND cn.notification_id = ${id}`),

        /** Whether any device has answered it, on whichever campaign. */
        hasAnswers: (tenant: Tenant, id: string) =>
          sql`
            SELECT FROM notification n
            WHERE ${of(tenant, "n")} AND n.id = ${id}
              AND EXISTS (SELECT FROM survey_response r WHERE ${of(tenant, "r")} AND r.notification_key = n.key)`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie,
          ),

        /** How many contents there are, on campaigns or not: what `max_notifications` counts (contract F8). */
        countContents: (tenant: Tenant) =>
          sql<{ readonly count: number }>`
            SELECT count(*)::integer AS count FROM notification n WHERE ${of(tenant, "n")}`.pipe(
            Effect.map(([row]) => row?.count ?? 0),
            Effect.orDie,
          ),

        /** How many notifications are on a campaign. */
        countOn: (tenant: Tenant, campaignId: string) =>
          sql<{ readonly count: number }>`
            SELECT count(*)::integer AS count FROM campaign_notification cn
            WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${campaignId}`.pipe(
            Effect.map(([row]) => row?.count ?? 0),
            Effect.orDie,
          ),

        /** Inserts a notification with its first content. */
        insert: (tenant: Tenant, id: string, name: string, content: MessageContent, now: number) =>
          Effect.orDie(sql`
            WITH first AS (
              INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, cta_label, cta_url,
                media_asset_id, media_kind, questions, created_at)
              VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, ${content.type}, ${content.headline},
                ${content.body}, ${content.cta_label}, ${content.cta_url}, ${content.media_asset_id},
                ${content.media_kind}, ${questionsOf(content)}, ${instant(now)})
              RETURNING key, media_asset_id
            )
            INSERT INTO notification (workspace_id, environment, id, name, type, content_key, media_id, created_at, updated_at)
            SELECT ${tenant.workspaceId}, ${tenant.environment}, ${id}, ${name}, ${content.type}, first.key,
              first.media_asset_id, ${instant(now)}, ${instant(now)}
            FROM first`),

        /** Puts a notification on a campaign; `id` names the pairing. */
        attach: (
          tenant: Tenant,
          id: string,
          campaignId: string,
          notificationId: string,
          trigger: Trigger,
          now: number,
        ) =>
          Effect.orDie(sql`
            INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id, trigger_type,
              send_at, starts_at, ends_at, attached_at, updated_at)
            VALUES (${tenant.workspaceId}, ${tenant.environment}, ${campaignId}, ${notificationId}, ${id},
              ${trigger.type}, ${trigger.sendAt}, ${instant(trigger.startsAt)}, ${instant(trigger.endsAt)},
              ${instant(now)}, ${instant(now)})`),

        /** Gives a notification this name and content: a new revision if it differs from the last, and nothing if all is the same. */
        revise: (tenant: Tenant, id: string, name: string, content: MessageContent, now: number) =>
          Effect.orDie(sql`
            WITH revised AS (
              INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, cta_label, cta_url,
                media_asset_id, media_kind, questions, created_at)
              SELECT n.workspace_id, n.environment, n.id, sent.*, ${instant(now)}
              FROM (SELECT ${content.type}::text, ${content.headline}::text, ${content.body}::text,
                ${content.cta_label}::text, ${content.cta_url}::text, ${content.media_asset_id}::uuid,
                ${content.media_kind}::text, ${questionsOf(content)})
                AS sent (type, headline, body, cta_label, cta_url, media_asset_id, media_kind, questions),
                notification n
              JOIN content x ON x.workspace_id = n.workspace_id AND x.environment = n.environment AND x.key = n.content_key
              WHERE ${of(tenant, "n")} AND n.id = ${id}
                AND (x.type, x.headline, x.body, x.cta_label, x.cta_url, x.media_asset_id, x.questions)
                  IS DISTINCT FROM (sent.type, sent.headline, sent.body, sent.cta_label, sent.cta_url,
                    sent.media_asset_id, sent.questions)
              RETURNING key
            )
            UPDATE notification n SET name = ${name}, type = ${content.type}, media_id = ${content.media_asset_id}::uuid,
              content_key = COALESCE((SELECT key FROM revised), n.content_key), updated_at = ${instant(now)}
            WHERE ${of(tenant, "n")} AND n.id = ${id} AND (n.name <> ${name} OR EXISTS (SELECT FROM revised))`),

        /** Changes what sets a notification off on one campaign; an equal trigger stays untouched, `updated_at` included. */
        retrigger: (tenant: Tenant, campaignId: string, id: string, trigger: Trigger, now: number) =>
          Effect.orDie(sql`
            UPDATE campaign_notification cn SET trigger_type = ${trigger.type}, send_at = ${trigger.sendAt},
              starts_at = ${instant(trigger.startsAt)}, ends_at = ${instant(trigger.endsAt)}, updated_at = ${instant(now)}
            WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${campaignId} AND cn.notification_id = ${id}
              AND (cn.trigger_type, cn.send_at, cn.starts_at, cn.ends_at) IS DISTINCT FROM
                (${trigger.type}::text, ${trigger.sendAt}::text, ${instant(trigger.startsAt)}, ${instant(trigger.endsAt)})`),

        detach: (tenant: Tenant, campaignId: string, id: string) =>
          Effect.orDie(sql`
            DELETE FROM campaign_notification cn
            WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${campaignId} AND cn.notification_id = ${id}`),

        /** Deletes a notification that is on no campaign; its content stays for what was sent of it. */
        deleteUnused: (tenant: Tenant, id: string) =>
          Effect.orDie(sql`
            DELETE FROM notification n
            WHERE ${of(tenant, "n")} AND n.id = ${id}
              AND NOT EXISTS (SELECT FROM campaign_notification cn
                WHERE ${of(tenant, "cn")} AND cn.notification_id = ${id})`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(NotificationsSql, NotificationsSql.make);
}
