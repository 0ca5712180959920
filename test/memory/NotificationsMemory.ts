import { Effect, Layer } from "effect";
import { isDeepStrictEqual } from "node:util";
import { MemoryStore, type MemoryTransaction, memoryTable } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import type { CampaignId, NotificationId } from "../../src/wire/Ids.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import { byAttachment, contentRow, type StoredNotification } from "./ContentsMemory.ts";
import {
  type NotificationRow,
  NotificationsRepository,
} from "../../src/notifications/NotificationsRepository.ts";
import type { Trigger } from "../../src/notifications/Trigger.ts";

/** A notification on a campaign, with the columns of its trigger. */
interface StoredAttachment extends TenantKey, Trigger {
  readonly id: string;
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly attachedAt: number;
  readonly updatedAt: number;
}

interface StoredCampaign extends TenantKey {
  readonly timezone: TimeZoneName;
  readonly startsAt: number;
  readonly recurrence: object | null;
}

const attachments = memoryTable<StoredAttachment>("campaign_notification");
const notifications = memoryTable<StoredNotification>("notification");
const campaigns = memoryTable<StoredCampaign>("campaign");

const textOf = (instant: number | null): string | null => (instant === null ? null : utcText(instant));

const toRow = (tables: MemoryTransaction, attachment: StoredAttachment): ReadonlyArray<NotificationRow> => {
  const notification = tenantRow(tables, notifications, attachment, attachment.notificationId);
  const campaign = tenantRow(tables, campaigns, attachment, attachment.campaignId);
  if (notification === null || campaign === null) return [];
  return [
    {
      ...contentRow(tables, notification),
      campaign_id: attachment.campaignId,
      trigger_type: attachment.type,
      send_at: attachment.sendAt,
      send_late: attachment.late,
      dwell_minutes: attachment.dwellMinutes,
      max_silence_minutes: attachment.maxSilenceMinutes,
      event: attachment.event,
      starts_at: textOf(attachment.startsAt),
      ends_at: textOf(attachment.endsAt),
      updated_at: utcText(Math.max(notification.updatedAt, attachment.updatedAt)),
      timezone: campaign.timezone,
      campaign_starts_ms: campaign.startsAt,
      campaign_recurs: campaign.recurrence !== null,
    },
  ];
};

/** Notifications of campaigns in memory. */
export const notificationsMemory = Layer.effect(
  NotificationsRepository,
  Effect.map(MemoryStore, (store) => {
    const attachmentsOf = (tables: MemoryTransaction, tenant: TenantKey, campaignId: CampaignId) =>
      tenantRows(tables, attachments, tenant).filter((row) => row.campaignId === campaignId);

    const attachmentOf = (
      tables: MemoryTransaction,
      tenant: TenantKey,
      campaignId: CampaignId,
      id: NotificationId,
    ) => attachmentsOf(tables, tenant, campaignId).find(({ notificationId }) => notificationId === id);

    return NotificationsRepository.of({
      list: (tenant, campaignId) =>
        store.read((tables) =>
          attachmentsOf(tables, tenant, campaignId)
            .toSorted(byAttachment)
            .flatMap((row) => toRow(tables, row)),
        ),

      find: (tenant, campaignId, id) =>
        store.read((tables) => {
          const row = attachmentOf(tables, tenant, campaignId, id);
          return row === undefined ? null : (toRow(tables, row)[0] ?? null);
        }),

      count: (tenant, campaignId) => store.read((tables) => attachmentsOf(tables, tenant, campaignId).length),

      attach: ({ environment, workspaceId }, id, campaignId, notificationId, trigger, now) =>
        store.write((tables) => {
          const row = { id, campaignId, notificationId, ...trigger, attachedAt: now, updatedAt: now };
          tables.put(attachments, id, { workspaceId, environment, ...row });
        }),

      setTrigger: (tenant, campaignId, id, trigger, now) =>
        store.write((tables) => {
          const row = attachmentOf(tables, tenant, campaignId, id);
          if (row === undefined) return;
          const next = { ...row, ...trigger };
          if (!isDeepStrictEqual(row, next)) tables.put(attachments, row.id, { ...next, updatedAt: now });
        }),

      detach: (tenant, campaignId, id) =>
        store.write((tables) => {
          const row = attachmentOf(tables, tenant, campaignId, id);
          if (row !== undefined) tables.delete(attachments, row.id);
        }),
    });
  }),
);
