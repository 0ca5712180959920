import { Effect, Struct } from "effect";
import { type SqlClient, Statement } from "effect/sql";
import {
  columnNames,
  columnParameters,
  columnsOfRow,
  selectedColumns,
  type Columns,
} from "../database/TableColumns.ts";
import { arrayOf, instant, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, firstRow, onlyCount, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { ContentMedia } from "../media/MediaAddress.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { mediaIdsOf } from "./ContentRules.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { Question } from "./Survey.ts";

/** The content of a notification as it is stored; `questions` is null for a message. */
export interface ContentRow extends Omit<MessageContent, "questions"> {
  readonly media: ContentMedia | null;
  readonly id: NotificationId;
  readonly name: string;
  readonly questions: ReadonlyArray<Question> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Content with the campaigns that it is on, in the order in which it was attached to them. */
export interface ListedContentRow extends ContentRow {
  readonly campaign_ids: ReadonlyArray<CampaignId>;
}

/** The columns of a revision of content. */
const contentColumns = {
  type: "text",
  headline: "text",
  body: "text",
  cta_label: "text",
  cta_url: "text",
  media_asset_id: "uuid",
  media_kind: "text",
  questions: "jsonb",
  template: "text",
  translations: "jsonb",
  push: "jsonb",
  variants: "jsonb",
} as const satisfies Columns<MessageContent>;

type Stored = Omit<MessageContent, "questions" | "variants"> & {
  readonly questions: MessageContent["questions"] | null;
  readonly variants: MessageContent["variants"] | null;
};

/** A content as it is stored: no questions and no variants are null. */
const stored = (content: MessageContent): Stored => ({
  ...content,
  questions: content.type === "survey" ? content.questions : null,
  variants: content.variants.length === 0 ? null : content.variants,
});

/** The common table expression that inserts the media files of a content's variants; empty without any. */
const linked = (
  sql: SqlClient.SqlClient,
  { environment, workspaceId }: Tenant,
  id: NotificationId,
  { variants }: MessageContent,
) => {
  const ids = mediaIdsOf({ variants });
  if (ids.length === 0) return sql``;
  return sql`, linked AS (
    INSERT INTO variant_media (workspace_id, environment, notification_id, media_id)
    SELECT ${workspaceId}, ${environment}, ${id}, * FROM unnest(${arrayOf("uuid", ids)})
    ON CONFLICT DO NOTHING
  )`;
};

/** The columns of a `ContentRow` but its dates; `n` is the notification. */
export const selectedContent = Statement.fragment([
  Statement.literal(`n.id, n.name, COALESCE(x.variants, '[]') AS variants,
    CASE WHEN m.id IS NOT NULL THEN jsonb_build_object('id', m.id, 'type', m.kind, 'key', m.key) END AS media,
    `),
  ...selectedColumns(Struct.omit(contentColumns, ["variants"]), "x").segments,
]);

/** Joins the tables of `selectedContent` to the notification `n`. */
export const contentJoins = `
  JOIN content x ON x.workspace_id = n.workspace_id AND x.environment = n.environment
    AND x.key = n.content_key
  LEFT JOIN media_file m ON m.workspace_id = n.workspace_id AND m.environment = n.environment
    AND m.id = n.media_id`;

/** Statements on notifications and their content, whichever campaigns they are on. Bound: 1,000 (plan). */
export class ContentsSql extends SqlService<ContentsSql>("waypost/notifications/ContentsSql")((sql) => {
  const shown = sql`${selectedContent},
    ARRAY (SELECT cn.campaign_id::text FROM campaign_notification cn
      WHERE cn.notification_id = n.id AND cn.workspace_id = n.workspace_id
        AND cn.environment = n.environment
      ORDER BY cn.attached_at, cn.id) AS campaign_ids,
    ${utc("n.created_at")} AS created_at, ${utc("n.updated_at")} AS updated_at
    FROM notification n ${sql.literal(contentJoins)}`;

  return {
    /** Newest first. */
    page: (tenant: Tenant, position: PagePosition) =>
      Effect.orDie(sql<ListedContentRow>`
        SELECT ${shown}
        WHERE ${tenantIs("n", tenant)}
          AND (${position.before}::uuid IS NULL OR n.id < ${position.before})
        ORDER BY n.id DESC LIMIT ${position.limit}`),

    find: (tenant: Tenant, id: NotificationId) =>
      firstRow(sql<ListedContentRow>`SELECT ${shown} WHERE ${tenantIs("n", tenant)} AND n.id = ${id}`),

    /** Whether any device has answered the survey, on any campaign. */
    hasAnswers: (tenant: Tenant, id: NotificationId) =>
      anyRow(sql`
        SELECT 1 FROM survey_response r
        WHERE ${tenantIs("r", tenant)} AND r.notification_key = (
          SELECT n.key FROM notification n WHERE ${tenantIs("n", tenant)} AND n.id = ${id}) LIMIT 1`),

    /** How many notifications `max_notifications` counts (contract F8). */
    count: (tenant: Tenant) =>
      onlyCount(sql<{ readonly count: number }>`
        SELECT count(*)::integer AS count FROM notification n WHERE ${tenantIs("n", tenant)}`),

    /** Inserts a notification with its first content. */
    insert: (tenant: Tenant, id: NotificationId, name: string, content: MessageContent, now: number) =>
      run(sql`
        WITH first AS (
          INSERT INTO content (workspace_id, environment, notification_id, created_at,
            ${columnNames(contentColumns)})
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, ${instant(now)},
            ${columnParameters(contentColumns, stored(content))})
          RETURNING key, media_asset_id
        )${linked(sql, tenant, id, content)}
        INSERT INTO notification (workspace_id, environment, id, name, type, content_key, media_id,
          created_at, updated_at)
        SELECT ${tenant.workspaceId}, ${tenant.environment}, ${id}, ${name}, ${content.type}, first.key,
          first.media_asset_id, ${instant(now)}, ${instant(now)}
        FROM first`),

    /**
     * Gives a notification this name, and this content as a new revision. An equal content makes no revision,
     * and if the name is equal too, `updated_at` is kept.
     */
    revise: (tenant: Tenant, id: NotificationId, name: string, content: MessageContent, now: number) =>
      run(sql`
        WITH revised AS (
          INSERT INTO content (workspace_id, environment, notification_id, created_at,
            ${columnNames(contentColumns)})
          SELECT n.workspace_id, n.environment, n.id, ${instant(now)},
            ${columnParameters(contentColumns, stored(content))}
          FROM notification n
          JOIN content x ON x.workspace_id = n.workspace_id AND x.environment = n.environment
            AND x.key = n.content_key
          WHERE ${tenantIs("n", tenant)} AND n.id = ${id} AND (${columnsOfRow(contentColumns, "x")})
            IS DISTINCT FROM (${columnParameters(contentColumns, stored(content))})
          RETURNING key
        ), unlinked AS (
          DELETE FROM variant_media v
          WHERE ${tenantIs("v", tenant)} AND v.notification_id = ${id}
            AND v.media_id <> ALL (${arrayOf("uuid", mediaIdsOf({ variants: content.variants }))})
        )${linked(sql, tenant, id, content)}
        UPDATE notification n SET name = ${name}, type = ${content.type},
          media_id = ${content.media_asset_id}::uuid,
          content_key = COALESCE((SELECT key FROM revised), n.content_key), updated_at = ${instant(now)}
        WHERE ${tenantIs("n", tenant)} AND n.id = ${id}
          AND (n.name <> ${name} OR EXISTS (SELECT FROM revised))`),

    /** Deletes a notification if it is on no campaign, and says whether. Its deliveries keep its content. */
    deleteUnused: (tenant: Tenant, id: NotificationId) =>
      anyRow(sql`
        DELETE FROM notification n
        WHERE ${tenantIs("n", tenant)} AND n.id = ${id}
          AND NOT EXISTS (SELECT FROM campaign_notification cn
            WHERE ${tenantIs("cn", tenant)} AND cn.notification_id = ${id})
        RETURNING n.id`),
  };
}) {}
