import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ContentRow } from "./NotificationsSql.ts";

/** Content with the campaigns that it is on. */
export interface ListedContentRow extends ContentRow {
  readonly campaign_ids: ReadonlyArray<string>;
}

/** Statements on content by itself, whichever campaigns it is on. */
export class ContentsSql extends Context.Service<ContentsSql>()("waypost/notifications/ContentsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const of = (tenant: Tenant, alias: string) =>
      sql`${sql(`${alias}.workspace_id`)} = ${tenant.workspaceId} AND ${sql(`${alias}.environment`)} = ${tenant.environment}`;

    const shown = sql`
      n.id, n.name, x.type, x.headline, x.body, x.cta_label, x.cta_url, x.media_asset_id, x.media_kind,
      CASE WHEN m.id IS NOT NULL THEN jsonb_build_object('id', m.id, 'type', m.kind, 'key', m.key) END AS media, x.questions,
      ARRAY (SELECT cn.campaign_id::text FROM campaign_notification cn
        WHERE cn.notification_id = n.id AND cn.workspace_id = n.workspace_id AND cn.environment = n.environment
        ORDER BY cn.attached_at, cn.id) AS campaign_ids,
      ${utc("n.created_at")} AS created_at, ${utc("n.updated_at")} AS updated_at
      FROM notification n
      JOIN content x ON x.workspace_id = n.workspace_id AND x.environment = n.environment AND x.key = n.content_key
      LEFT JOIN media_file m ON m.workspace_id = n.workspace_id AND m.environment = n.environment AND m.id = n.media_id`;

    return {
      page: (tenant: Tenant, position: PagePosition) =>
        Effect.orDie(sql<ListedContentRow>`
          SELECT ${shown}
          WHERE ${of(tenant, "n")} AND (${position.before}::uuid IS NULL OR n.id < ${position.before})
          ORDER BY n.id DESC LIMIT ${position.limit}`),

      find: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<ListedContentRow>`SELECT ${shown} WHERE ${of(tenant, "n")} AND n.id = ${id}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(ContentsSql, ContentsSql.make);
}
