import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, pageOf } from "../database/MemoryStore.ts";
import { type TimeOfDay, utcText } from "../time/LocalTime.ts";
import { isFound } from "../wire/SearchText.ts";
import { type CampaignId, CampaignKey, type NotificationId } from "../wire/Ids.ts";
import { tenantRow, tenantRows } from "../workspaces/TenantRows.ts";
import type { TenantKey } from "../workspaces/Workspace.ts";
import type { Campaign } from "./Campaign.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import { CampaignsRepository, type CampaignValues } from "./CampaignsRepository.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { existingTargeting } from "./CampaignTargetingMemory.ts";

interface StoredCampaign extends TenantKey, CampaignValues {
  readonly id: CampaignId;
  readonly key: CampaignKey;
  readonly paused: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoredNotification extends TenantKey {
  readonly name: string;
}

interface StoredAttachment extends TenantKey {
  readonly id: string;
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay | null;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly attachedAt: number;
}

const campaigns = memoryTable<StoredCampaign>("campaign");
const notifications = memoryTable<StoredNotification>("notification");
const attachments = memoryTable<StoredAttachment>("campaign_notification");

const toCampaign = (row: StoredCampaign, targeting: ResolvedTargeting, now: number): Campaign => ({
  id: row.id,
  name: row.name,
  type: row.type,
  status: campaignStatus(row, now),
  starts_at: utcText(row.startsAt),
  ends_at: row.endsAt === null ? null : utcText(row.endsAt),
  timezone: row.timezone,
  paused: row.paused,
  frequency_cap_count: row.frequencyCapCount,
  frequency_cap_period: row.frequencyCapPeriod,
  targeting: {
    location_ids: targeting.locationIds,
    location_group_ids: targeting.groupIds,
    segmentation_ids: targeting.segmentIds,
    segment_match: targeting.segmentIds.length > 0 ? row.segmentMatch : null,
  },
  created_at: utcText(row.createdAt),
  updated_at: utcText(row.updatedAt),
});

/** Campaigns in memory. */
export const campaignsMemory = Layer.effect(
  CampaignsRepository,
  Effect.map(MemoryStore, (store) => {
    const change = (
      tenant: TenantKey,
      id: CampaignId,
      changed: (row: StoredCampaign) => Partial<StoredCampaign> | null,
    ): Effect.Effect<boolean> =>
      store.write((tables) => {
        const row = tenantRow(tables, campaigns, tenant, id);
        const values = row && changed(row);
        if (row === null || values === null) return false;
        tables.put(campaigns, id, { ...row, ...values });
        return true;
      });

    return CampaignsRepository.of({
      page: (tenant, position, { search = null, status = null, type = null, updatedSince = null }, now) =>
        store.read((tables) =>
          pageOf(
            tenantRows(tables, campaigns, tenant).filter(
              (row) =>
                (updatedSince === null || row.updatedAt >= updatedSince) &&
                (type === null || row.type === type) &&
                (status === null || campaignStatus(row, now) === status) &&
                (search === null || isFound(search, row.name)),
            ),
            position,
          ).map((row) => toCampaign(row, existingTargeting(tables, row.id), now)),
        ),

      find: (tenant, id, now) =>
        store.read((tables) => {
          const row = tenantRow(tables, campaigns, tenant, id);
          return (
            row && {
              ...toCampaign(row, existingTargeting(tables, id), now),
              id,
              timezone: row.timezone,
              key: row.key,
              startsAtMs: row.startsAt,
              endsAtMs: row.endsAt,
            }
          );
        }),

      isNameTaken: (tenant, name, except) =>
        store.read((tables) =>
          tenantRows(tables, campaigns, tenant).some((row) => row.name === name && row.id !== except),
        ),

      countLimited: (tenant, except, now) =>
        store.read(
          (tables) =>
            tenantRows(tables, campaigns, tenant)
              .filter(({ endsAt, id }) => id !== except && (endsAt === null || endsAt >= now))
              .filter(({ paused }) => !(paused && tenant.environment === "sandbox")).length,
        ),

      insert: ({ environment, workspaceId }, id, values, now) =>
        store.write((tables) => {
          const key = CampaignKey(store.nextKey("campaign"));
          const stamps = { paused: false, createdAt: now, updatedAt: now };
          tables.put(campaigns, id, { workspaceId, environment, id, key, ...values, ...stamps });
        }),

      update: (tenant, id, values, now) =>
        Effect.asVoid(change(tenant, id, () => ({ ...values, updatedAt: now }))),

      setPaused: (tenant, id, isPaused, now) =>
        change(tenant, id, ({ paused }) =>
          paused === isPaused ? null : { paused: isPaused, updatedAt: now },
        ),

      attached: (tenant, id) =>
        store.read((tables) =>
          tenantRows(tables, attachments, tenant)
            .filter(({ campaignId }) => campaignId === id)
            .toSorted((a, b) => a.attachedAt - b.attachedAt || (a.notificationId < b.notificationId ? -1 : 1))
            .flatMap(({ endsAt, notificationId, sendAt, startsAt }) => {
              const notification = tables.rows(notifications).get(notificationId);
              const window = { sendAt, windowStart: startsAt, windowEnd: endsAt };
              return notification === undefined ? [] : [{ name: notification.name, ...window }];
            }),
        ),

      deleteOwnNotifications: (tenant, id) =>
        store.write((tables) => {
          const all = tenantRows(tables, attachments, tenant);
          const elsewhere = new Set(
            all.filter(({ campaignId }) => campaignId !== id).map(({ notificationId }) => notificationId),
          );
          for (const attachment of all) {
            if (elsewhere.has(attachment.notificationId)) continue;
            tables.delete(attachments, attachment.id);
            tables.delete(notifications, attachment.notificationId);
          }
        }),

      delete: (tenant, id) =>
        store.write((tables) => {
          if (tenantRow(tables, campaigns, tenant, id) === null) return;
          tables.delete(campaigns, id);
          for (const attachment of tenantRows(tables, attachments, tenant)) {
            if (attachment.campaignId === id) tables.delete(attachments, attachment.id);
          }
        }),
    });
  }),
);
