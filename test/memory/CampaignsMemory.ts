import { Effect, Layer } from "effect";
import { MemoryStore, type MemoryTransaction, memoryTable, pageOf } from "./MemoryStore.ts";
import type { TimeOfDay } from "../../src/time/LocalTime.ts";
import { isFound } from "../../src/wire/SearchText.ts";
import { type CampaignId, CampaignKey, type NotificationId } from "../../src/wire/Ids.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import { campaignStatus } from "../../src/campaigns/CampaignStatus.ts";
import { CampaignsRepository, type NewCampaign } from "../../src/campaigns/CampaignsRepository.ts";
import type { LateChoice } from "../../src/campaigns/LocalSend.ts";
import { type StoredCampaign, shownCampaign } from "../../src/campaigns/StoredCampaign.ts";
import { existingTargeting, haveTargets, putTargeting } from "./CampaignTargetingMemory.ts";

interface CampaignRow extends TenantKey, StoredCampaign {
  readonly key: CampaignKey;
}

interface StoredSend extends TenantKey {
  readonly campaignId: CampaignId;
  readonly status: string;
  readonly local: object | null;
}

interface StoredNotification extends TenantKey {
  readonly name: string;
}

interface StoredAttachment extends TenantKey {
  readonly id: string;
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay | null;
  readonly late: LateChoice | null;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly attachedAt: number;
}

const campaignRows = memoryTable<CampaignRow>("campaign");
const sends = memoryTable<StoredSend>("send");
const notifications = memoryTable<StoredNotification>("notification");
const attachments = memoryTable<StoredAttachment>("campaign_notification");

const countLimited = (
  tables: MemoryTransaction,
  tenant: TenantKey,
  except: CampaignId | null,
  now: number,
): number => {
  const isSending = (id: CampaignId) =>
    tenantRows(tables, sends, tenant).some(
      ({ campaignId, local, status }) =>
        campaignId === id && local !== null && (status === "scheduled" || status === "running"),
    );
  return tenantRows(tables, campaignRows, tenant)
    .filter(({ endsAt, id }) => id !== except && (endsAt === null || endsAt >= now || isSending(id)))
    .filter(({ paused }) => !(paused && tenant.environment === "sandbox")).length;
};

const put = (
  tables: MemoryTransaction,
  tenant: TenantKey,
  key: CampaignKey,
  { id, paused, targets, values }: NewCampaign,
  now: number,
): void => {
  const { environment, workspaceId } = tenant;
  const publishedAt = paused ? null : now;
  const stamps = { paused, publishedAt, archived: false, createdAt: now, updatedAt: now };
  tables.put(campaignRows, id, { workspaceId, environment, id, key, ...values, ...stamps });
  putTargeting(tables, tenant, id, targets);
};

/** Campaigns in memory. */
export const campaignsMemory = Layer.effect(
  CampaignsRepository,
  Effect.map(MemoryStore, (store) => {
    const change = (
      tenant: TenantKey,
      id: CampaignId,
      changed: (row: CampaignRow) => Partial<CampaignRow> | null,
    ): Effect.Effect<boolean> =>
      store.write((tables) => {
        const row = tenantRow(tables, campaignRows, tenant, id);
        const values = row && changed(row);
        if (row === null || values === null) return false;
        tables.put(campaignRows, id, { ...row, ...values });
        return true;
      });

    const nextKey = (): CampaignKey => CampaignKey(store.nextKey("campaign"));

    return CampaignsRepository.of({
      page: (
        tenant,
        position,
        {
          isArchived = false,
          isDraft = null,
          search = null,
          status = null,
          type = null,
          updatedSince = null,
        },
        now,
      ) =>
        store.read((tables) =>
          pageOf(
            tenantRows(tables, campaignRows, tenant).filter(
              (row) =>
                row.archived === isArchived &&
                (updatedSince === null || row.updatedAt >= updatedSince) &&
                (isDraft === null || (row.publishedAt === null) === isDraft) &&
                (type === null || row.type === type) &&
                (status === null || campaignStatus(row, now) === status) &&
                (search === null || isFound(search, row.name)),
            ),
            position,
          ).map((row) => shownCampaign(row, existingTargeting(tables, row.id), now)),
        ),

      find: (tenant, id, now) =>
        store.read((tables) => {
          const row = tenantRow(tables, campaignRows, tenant, id);
          return (
            row && {
              ...shownCampaign(row, existingTargeting(tables, id), now),
              id,
              timezone: row.timezone,
              key: row.key,
              startsAtMs: row.startsAt,
              endsAtMs: row.endsAt,
              writtenEndMs: row.writtenEnd,
            }
          );
        }),

      isNameTaken: (tenant, name, except) =>
        store.read((tables) =>
          tenantRows(tables, campaignRows, tenant).some((row) => row.name === name && row.id !== except),
        ),

      countLimited: (tenant, except, now) =>
        store.read((tables) => countLimited(tables, tenant, except, now)),

      // Transactions run one after another, so nothing changes meanwhile.
      insert: (tenant, campaign, now) =>
        store.write((tables) => put(tables, tenant, nextKey(), campaign, now)),

      insertAll: (tenant, campaigns, now) =>
        store.write((tables) => {
          const before = countLimited(tables, tenant, null, now);
          const names = new Set(tenantRows(tables, campaignRows, tenant).map(({ name }) => name));
          const made = campaigns.filter(({ limit, targets, values }) => {
            const isLeftOut =
              names.has(values.name) ||
              (limit !== null && before >= limit) ||
              !haveTargets(tables, tenant, targets);
            if (!isLeftOut) names.add(values.name);
            return !isLeftOut;
          });
          for (const campaign of made) put(tables, tenant, nextKey(), campaign, now);
          return new Set(made.map(({ id }) => id));
        }),

      update: (tenant, id, values, now) =>
        Effect.asVoid(change(tenant, id, () => ({ ...values, updatedAt: now }))),

      setPaused: (tenant, id, isPaused, now) =>
        change(tenant, id, ({ paused, publishedAt }) =>
          paused === isPaused
            ? null
            : {
                paused: isPaused,
                ...(isPaused ? {} : { archived: false, publishedAt: publishedAt ?? now }),
                updatedAt: now,
              },
        ),

      setArchived: (tenant, id, isArchived, now) =>
        Effect.asVoid(
          change(tenant, id, ({ archived }) =>
            archived === isArchived ? null : { archived: isArchived, updatedAt: now },
          ),
        ),

      attached: (tenant, id) =>
        store.read((tables) =>
          tenantRows(tables, attachments, tenant)
            .filter(({ campaignId }) => campaignId === id)
            .toSorted((a, b) => a.attachedAt - b.attachedAt || (a.notificationId < b.notificationId ? -1 : 1))
            .flatMap(({ endsAt, late, notificationId, sendAt, startsAt }) => {
              const notification = tables.rows(notifications).get(notificationId);
              const window = { sendAt, late, windowStart: startsAt, windowEnd: endsAt };
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
          if (tenantRow(tables, campaignRows, tenant, id) === null) return;
          tables.delete(campaignRows, id);
          for (const attachment of tenantRows(tables, attachments, tenant)) {
            if (attachment.campaignId === id) tables.delete(attachments, attachment.id);
          }
        }),
    });
  }),
);
