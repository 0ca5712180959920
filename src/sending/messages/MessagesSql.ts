import { Effect } from "effect";
import { epochMillis, instant, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import type { ContentMedia } from "../../media/MediaAddress.ts";
import { firstRow, firstValue } from "../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import { workspaceStatements, table } from "../../database/WorkspaceGroups.ts";
import { interactionDeltasSql } from "../../deltas/DeltasSql.ts";
import { conversionsSql } from "../../deltas/ExperimentCountsSql.ts";
import type { TextSource } from "../../notifications/templates/MessageTexts.ts";
import {
  deliveredMediaSql,
  deliveredVariantSql,
  mediaIdSql,
} from "../../notifications/variants/VariantSql.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { Interaction, InteractionType } from "./Interaction.ts";
import type { KeptRecipient } from "../rendering/KeptFacts.ts";
import type { Message } from "../rendering/Message.ts";
import { mayHaveArrivedSql } from "../deliveries/ArrivedSql.ts";
import type { DeliveryKey } from "../deliveries/MessageId.ts";
import type { CampaignKey, DeviceKey, LocationKey } from "../../wire/Ids.ts";

/** A message as it is stored; its id follows from its source id and device. */
export interface MessageRow
  extends
    KeptRecipient,
    Omit<Message, "id" | "media" | "actions" | "data">,
    Pick<TextSource, "template" | "translations" | "push" | "variantTexts"> {
  readonly sourceId: bigint;
  readonly campaignKey: CampaignKey;
  readonly locationKey: LocationKey | null;
  readonly media: ContentMedia | null;
}

/** Statements on a device's messages. Bound: 1 message, or a page of 101; reads the keys of all. */
export class MessagesSql extends SqlService<MessagesSql>("waypost/sending/MessagesSql")((sql) => {
  const { onShard } = workspaceStatements(sql);

  // The content as it was sent, also after changes or deletion of the notification and the campaign.
  const shown = sql`d.source_id AS "sourceId", COALESCE(k.id, g.id) AS campaign_id, c.notification_id,
    c.type, c.headline, c.body, c.cta_label, c.cta_url,
    ${deliveredMediaSql("c", "w.words", "m")} AS media, w.words AS "variantTexts", d.variant,
    COALESCE(c.questions, '[]') AS questions, c.template, c.translations, c.push,
    d.campaign_key AS "campaignKey", d.location_key AS "locationKey",
      d.recipient, ${epochMillis("d.created_at")} AS "madeAt",
    CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END AS delivered_at,
    ${utc("d.opened_at")} AS opened_at, ${utc("d.clicked_at")} AS clicked_at`;
  const joined = sql`
    JOIN content c ON ${sameTenant("c", "d")} AND c.key = d.content_key
    CROSS JOIN LATERAL (SELECT ${deliveredVariantSql("c", "d")} AS words) AS w
    LEFT JOIN media_file m ON ${sameTenant("m", "c")} AND m.id = ${mediaIdSql("c", "w.words")}
    LEFT JOIN campaign k ON ${sameTenant("k", "d")} AND k.key = d.campaign_key
    LEFT JOIN deleted_campaign g ON ${sameTenant("g", "d")} AND g.key = d.campaign_key`;

  /** Whether a device may have got a delivery. */
  const isReceived = (tenant: Tenant, sourceId: bigint, deviceKey: DeviceKey) => sql`
    ${tenantIs("d", tenant)} AND d.source_id = ${sourceId} AND d.device_key = ${deviceKey}
    AND ${mayHaveArrivedSql}`;

  return {
    /**
     * Delivered messages that show something, after the one with source id `before`, newest first. The
     * device's deliveries are
     * materialized in index order first; otherwise the planner may scan those of all devices.
     */
    page: (
      { environment, workspaceId }: Tenant,
      deviceKey: DeviceKey,
      before: bigint | null,
      limit: number,
    ) =>
      Effect.orDie(sql<MessageRow>`
        WITH own AS MATERIALIZED (
          SELECT * FROM delivery
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND device_key = ${deviceKey}
          ORDER BY created_at DESC
        )
        SELECT ${shown} FROM own d ${joined}
        WHERE d.status = 'delivered'
          AND COALESCE(NULLIF(w.words -> 'push', 'null'), c.push) -> 'silent' IS DISTINCT FROM 'true'
          AND (${before}::bigint IS NULL OR (d.settled_at, d.source_id) < (
          SELECT b.settled_at, b.source_id FROM own b WHERE b.source_id = ${before}))
        ORDER BY d.settled_at DESC, d.source_id DESC LIMIT ${limit}`),

    /** Locks a delivery, and gives which interactions it had; null for a message that no device got. */
    lockInteractions: (tenant: Tenant, { deviceKey, sourceId }: DeliveryKey) =>
      firstRow(sql<Readonly<Record<InteractionType, boolean>>>`
        SELECT d.opened_at IS NOT NULL AS opened, d.clicked_at IS NOT NULL AS clicked FROM delivery d
        WHERE ${isReceived(tenant, sourceId, deviceKey)} FOR NO KEY UPDATE`),

    /**
     * When a message was delivered, in epoch milliseconds. Of a push whose outcome is not stored yet it is
     * when the delivery was created: a device can show it before the provider's answer is stored.
     */
    deliveredAt: (tenant: Tenant, { deviceKey, sourceId }: DeliveryKey) =>
      firstValue(sql<{ readonly at: number }>`
        SELECT ${epochMillis("COALESCE(d.settled_at, d.created_at)")} AS at
        FROM delivery d WHERE ${isReceived(tenant, sourceId, deviceKey)}`),

    /** Records an interaction; the first of each type counts. Null for a message that no device got. */
    interact: (tenant: Tenant, { deviceKey, sourceId }: DeliveryKey, type: InteractionType, at: number) =>
      firstRow(
        onShard([tenant])(
          () => sql<Omit<Interaction, "message_id">>`
          WITH earlier AS MATERIALIZED (
            SELECT d.opened_at, d.clicked_at FROM ${table.delivery} d
            WHERE ${isReceived(tenant, sourceId, deviceKey)} FOR NO KEY UPDATE
          ), updated AS (
            UPDATE ${table.delivery} AS d SET opened_at = COALESCE(e.opened_at, ${instant(at)})
              ${type === "clicked" ? sql`, clicked_at = COALESCE(e.clicked_at, ${instant(at)})` : sql``}
            FROM earlier e WHERE ${isReceived(tenant, sourceId, deviceKey)}
            RETURNING d.*, e.opened_at IS NULL AS opens, e.clicked_at IS NULL AS clicks
          ), changed AS (
            SELECT *, ${instant(at)} AS at, opens::int AS opened,
              ${type === "clicked" ? sql`clicks::int` : sql`0`} AS clicked
            FROM updated WHERE NOT test
          ), ${interactionDeltasSql(sql, sql`SELECT * FROM changed`)}, ${conversionsSql(
            sql,
            sql`SELECT c.workspace_id, c.environment, c.campaign_key, c.at, true AS is_reply, g.goal,
                COALESCE(-v.user_key, v.key) AS unit_key
              FROM changed c
              JOIN ${table.device} v ON ${tenantIs("v", tenant)} AND v.key = ${deviceKey}
              JOIN (VALUES ('opened'), ('clicked')) AS g (goal)
                ON CASE g.goal WHEN 'opened' THEN c.opened ELSE c.clicked END = 1`,
          )}
          SELECT ${utc("opened_at")} AS opened_at, ${utc("clicked_at")} AS clicked_at FROM updated`,
        ),
      ),
  };
}) {}
