import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { firstRow } from "../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { ContentMedia } from "../../media/MediaAddress.ts";
import type { NotificationType } from "../../notifications/MessageContent.ts";
import type { TriggerType } from "../../notifications/Notification.ts";
import type { TextSource } from "../../notifications/templates/MessageTexts.ts";
import type { StoredVariant } from "../../notifications/variants/Variant.ts";
import { variantsSql } from "../../notifications/variants/VariantSql.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { CampaignKey, ContentKey, NotificationKey, LocationKey } from "../../wire/Ids.ts";

/** A notification on a campaign, with its content as it is now. */
export interface CurrentContent extends TextSource {
  readonly campaignKey: CampaignKey;
  readonly notificationKey: NotificationKey;
  readonly contentKey: ContentKey;
  readonly campaign_id: string;
  readonly campaignName: string;
  readonly notification_id: string;
  readonly trigger: TriggerType;
  readonly type: NotificationType;
  readonly media: ContentMedia | null;
  /** Its variants with their media files; [] for none. */
  readonly variants: ReadonlyArray<StoredVariant & { readonly media: ContentMedia | null }>;
}

/** The statements that find a notification's content and what it is previewed or tested with. */
export class CurrentContentsSql extends Context.Service<CurrentContentsSql>()(
  // Bound: 1 notification.
  "waypost/sending/rendering/CurrentContentsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      return {
        /** A notification of a campaign. Both ids are UUIDs. */
        find: (tenant: Tenant, campaignId: string, notificationId: string) =>
          firstRow(sql<CurrentContent>`
            SELECT k.key AS "campaignKey", n.key AS "notificationKey", c.key AS "contentKey",
              k.id AS campaign_id, k.name AS "campaignName", n.id AS notification_id,
              a.trigger_type AS trigger, c.type, c.headline, c.body, c.cta_label, c.cta_url,
              COALESCE(c.questions, '[]') AS questions, c.template, c.translations, c.push,
              ${variantsSql("c")} AS variants,
              CASE WHEN m.id IS NOT NULL THEN
                jsonb_build_object('id', m.id, 'type', m.kind, 'key', m.key) END AS media
            FROM campaign_notification a
            JOIN campaign k ON ${sameTenant("k", "a")} AND k.id = a.campaign_id
            JOIN notification n ON ${sameTenant("n", "a")} AND n.id = a.notification_id
            JOIN content c ON ${sameTenant("c", "n")} AND c.key = n.content_key
            LEFT JOIN media_file m ON ${sameTenant("m", "n")} AND m.id = n.media_id
            WHERE ${tenantIs("a", tenant)} AND a.campaign_id = ${campaignId}
              AND a.notification_id = ${notificationId}`),

        /** The key of a location; null for an unknown one. */
        locationKey: (tenant: Tenant, id: string) =>
          Effect.map(
            firstRow(sql<{ readonly key: LocationKey }>`
              SELECT l.key FROM location l WHERE ${tenantIs("l", tenant)} AND l.id = ${id}`),
            (row) => row && row.key,
          ),

        /** A location as templates show it. */
        location: (tenant: Tenant, id: string) =>
          firstRow(sql<{
            readonly name: string;
            readonly address: string | null;
            readonly external_id: string | null;
          }>`
            SELECT l.name, l.address, l.external_id FROM location l
            WHERE ${tenantIs("l", tenant)} AND l.id = ${id}`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(CurrentContentsSql, CurrentContentsSql.make);
}
