import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant, utc } from "../database/Rows.ts";
import type { ContentMedia } from "../media/MediaAddress.ts";
import { anyRow } from "../database/Statements.ts";
import { sameTenant } from "../database/TenantColumns.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Message } from "./Message.ts";

/** A message as it is stored; its id follows from its source id and device. */
export interface MessageRow extends Omit<Message, "id" | "media"> {
  readonly sourceId: bigint;
  readonly media: ContentMedia | null;
}

/** Statements on a device's messages. */
export class MessagesSql extends Context.Service<MessagesSql>()("waypost/sending/MessagesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    // The content as it was sent, also after changes or deletion of the notification and the campaign.
    const shown = sql`d.source_id AS "sourceId", COALESCE(k.id, g.id) AS campaign_id, c.notification_id,
      c.type, c.headline, c.body, c.cta_label, c.cta_url,
      CASE WHEN c.media_asset_id IS NOT NULL THEN
        jsonb_build_object('id', c.media_asset_id, 'type', c.media_kind, 'key', m.key) END AS media,
      COALESCE(c.questions, '[]') AS questions,
      CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END AS delivered_at,
      ${utc("d.opened_at")} AS opened_at`;
    const joined = sql`
      JOIN content c ON ${sameTenant("c", "d")} AND c.key = d.content_key
      LEFT JOIN media_file m ON ${sameTenant("m", "c")} AND m.id = c.media_asset_id
      LEFT JOIN campaign k ON ${sameTenant("k", "d")} AND k.key = d.campaign_key
      LEFT JOIN deleted_campaign g ON ${sameTenant("g", "d")} AND g.key = d.campaign_key`;

    return {
      /**
       * Delivered messages after the one with source id `before`, newest first. The device's deliveries are
       * materialized in index order first; otherwise the planner may scan those of all devices.
       */
      page: ({ environment, workspaceId }: Tenant, deviceKey: number, before: bigint | null, limit: number) =>
        Effect.orDie(sql<MessageRow>`
          WITH own AS MATERIALIZED (
            SELECT * FROM delivery
            WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND device_key = ${deviceKey}
            ORDER BY created_at DESC
          )
          SELECT ${shown} FROM own d ${joined}
          WHERE d.status = 'delivered' AND (${before}::bigint IS NULL OR (d.settled_at, d.source_id) < (
            SELECT b.settled_at, b.source_id FROM own b WHERE b.source_id = ${before}))
          ORDER BY d.settled_at DESC, d.source_id DESC LIMIT ${limit}`),

      /** Locks a delivery that can be opened and was not yet; false for any other. */
      lockUnopened: ({ environment, workspaceId }: Tenant, sourceId: bigint, deviceKey: number) =>
        anyRow(sql`
          SELECT FROM delivery
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND source_id = ${sourceId}
            AND device_key = ${deviceKey} AND status IN ('handed_over', 'delivered') AND opened_at IS NULL
          FOR NO KEY UPDATE`),

      /** Keeps the first opening. A push can be opened before the provider's answer has been stored. */
      open: ({ environment, workspaceId }: Tenant, sourceId: bigint, deviceKey: number, now: number) =>
        Effect.orDie(sql<MessageRow>`
          WITH d AS (
            UPDATE delivery SET opened_at = COALESCE(opened_at, ${instant(now)})
            WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND source_id = ${sourceId}
              AND device_key = ${deviceKey} AND status IN ('handed_over', 'delivered')
            RETURNING *
          )
          SELECT ${shown} FROM d ${joined}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(MessagesSql, MessagesSql.make);
}
