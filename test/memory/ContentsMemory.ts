import { Effect, Layer } from "effect";
import { isDeepStrictEqual } from "node:util";
import { MemoryStore, type MemoryTransaction, memoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { type CampaignId, type NotificationId, NotificationKey } from "../../src/wire/Ids.ts";
import type { MediaKind } from "../../src/workspaces/Plan.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import {
  type ContentRow,
  ContentsRepository,
  type ListedContentRow,
} from "../../src/notifications/ContentsRepository.ts";
import type { MessageContent } from "../../src/notifications/MessageContent.ts";

/** A notification with its current content. Earlier revisions are not kept: nothing in memory reads them. */
export interface StoredNotification extends TenantKey {
  readonly id: NotificationId;
  readonly key: NotificationKey;
  readonly name: string;
  readonly content: MessageContent;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoredAttachment extends TenantKey {
  readonly id: string;
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly attachedAt: number;
}

const notifications = memoryTable<StoredNotification>("notification");
const attachments = memoryTable<StoredAttachment>("campaign_notification");
const answers = memoryTable<TenantKey & { readonly notificationKey: NotificationKey }>("survey_response");
const mediaFiles = memoryTable<{ readonly kind: MediaKind; readonly key: string }>("media_file");

/** Orders attachments by the instant of attaching, then by their ids. */
export const byAttachment = (
  a: Pick<StoredAttachment, "id" | "attachedAt">,
  b: Pick<StoredAttachment, "id" | "attachedAt">,
): number => a.attachedAt - b.attachedAt || (a.id < b.id ? -1 : 1);

/** A notification as a row of content. */
export const contentRow = (tables: MemoryTransaction, stored: StoredNotification): ContentRow => {
  const { content } = stored;
  const mediaId = content.media_asset_id;
  const file = mediaId === null ? undefined : tables.rows(mediaFiles).get(mediaId);
  return {
    id: stored.id,
    name: stored.name,
    ...content,
    media: mediaId === null || file === undefined ? null : { id: mediaId, type: file.kind, key: file.key },
    questions: content.type === "survey" ? content.questions : null,
    created_at: utcText(stored.createdAt),
    updated_at: utcText(stored.updatedAt),
  };
};

/** Notifications and their content in memory. */
export const contentsMemory = Layer.effect(
  ContentsRepository,
  Effect.map(MemoryStore, (store) => {
    const attachmentsOf = (tables: MemoryTransaction, tenant: TenantKey, id: NotificationId) =>
      tenantRows(tables, attachments, tenant).filter(({ notificationId }) => notificationId === id);

    const listed = (tables: MemoryTransaction, stored: StoredNotification): ListedContentRow => ({
      ...contentRow(tables, stored),
      campaign_ids: attachmentsOf(tables, stored, stored.id)
        .toSorted(byAttachment)
        .map(({ campaignId }) => campaignId),
    });

    return ContentsRepository.of({
      page: (tenant, position) =>
        store.read((tables) =>
          pageOf(tenantRows(tables, notifications, tenant), position).map((row) => listed(tables, row)),
        ),

      find: (tenant, id) =>
        store.read((tables) => {
          const row = tenantRow(tables, notifications, tenant, id);
          return row && listed(tables, row);
        }),

      hasAnswers: (tenant, id) =>
        store.read((tables) => {
          const row = tenantRow(tables, notifications, tenant, id);
          return tenantRows(tables, answers, tenant).some((answer) => answer.notificationKey === row?.key);
        }),

      count: (tenant) => store.read((tables) => tenantRows(tables, notifications, tenant).length),

      insert: ({ environment, workspaceId }, id, name, content, now) =>
        store.write((tables) => {
          const key = NotificationKey(store.nextKey("notification"));
          const stored = { id, key, name, content, createdAt: now, updatedAt: now };
          tables.put(notifications, id, { workspaceId, environment, ...stored });
        }),

      revise: (tenant, id, name, content, now) =>
        store.write((tables) => {
          const row = tenantRow(tables, notifications, tenant, id);
          if (row === null || (row.name === name && isDeepStrictEqual(row.content, content))) return;
          tables.put(notifications, id, { ...row, name, content, updatedAt: now });
        }),

      deleteUnused: (tenant, id) =>
        store.write((tables) => {
          if (tenantRow(tables, notifications, tenant, id) === null) return false;
          if (attachmentsOf(tables, tenant, id).length > 0) return false;
          tables.delete(notifications, id);
          return true;
        }),
    });
  }),
);
