import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable } from "../database/MemoryStore.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import { tenantRow, tenantRows } from "../workspaces/TenantRows.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { SendPlanRepository } from "./SendPlanRepository.ts";

/** A send. `sourceId` is set once it has started. */
interface StoredSend extends TenantKey {
  readonly id: string;
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly dueAt: number;
  readonly status: "scheduled" | "running" | "done" | "skipped" | "missed" | "cancelled";
  readonly sourceId: bigint | null;
}

interface StoredAttachment extends TenantKey {
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay | null;
}

const sends = memoryTable<StoredSend>("send");
const batches = memoryTable<TenantKey & { readonly sourceId: bigint }>("send_batch");
const attachments = memoryTable<StoredAttachment>("campaign_notification");
const campaigns = memoryTable<TenantKey>("campaign");
const notifications = memoryTable<TenantKey>("notification");

/** Planned sends in memory. */
export const sendPlanMemory = Layer.effect(
  SendPlanRepository,
  Effect.map(MemoryStore, (store) => {
    const end = (
      tenant: TenantKey,
      campaignId: CampaignId,
      status: "skipped" | "cancelled",
      isEnded: (send: StoredSend) => boolean,
    ): Effect.Effect<ReadonlyArray<bigint>> =>
      store.write((tables) => {
        const ended = tenantRows(tables, sends, tenant).filter(
          (send) => send.campaignId === campaignId && isEnded(send),
        );
        for (const send of ended) tables.put(sends, send.id, { ...send, status });
        return ended.flatMap(({ sourceId }) => sourceId ?? []);
      });

    return SendPlanRepository.of({
      schedule: (tenant, id, campaignId, notificationId, dueAt) =>
        store.write((tables) => {
          const { environment, workspaceId } = tenant;
          const scheduled = tenantRows(tables, sends, tenant).find(
            (send) =>
              send.campaignId === campaignId &&
              send.notificationId === notificationId &&
              send.status === "scheduled",
          );
          const isKnown =
            tenantRow(tables, campaigns, tenant, campaignId) !== null &&
            tenantRow(tables, notifications, tenant, notificationId) !== null;
          if (scheduled !== undefined) tables.put(sends, scheduled.id, { ...scheduled, dueAt });
          else if (isKnown) {
            const send = {
              id,
              campaignId,
              notificationId,
              dueAt,
              status: "scheduled",
              sourceId: null,
            } as const;
            tables.put(sends, id, { workspaceId, environment, ...send });
          }
        }),

      waiting: (tenant, campaignId, now) =>
        store.read((tables) =>
          tenantRows(tables, sends, tenant)
            .filter((send) => send.campaignId === campaignId && send.status === "scheduled")
            .filter(({ dueAt }) => dueAt > now)
            .flatMap(({ id, notificationId }) => {
              const attachment = tables.find(
                attachments,
                (row) => row.campaignId === campaignId && row.notificationId === notificationId,
              );
              return attachment === undefined || attachment.sendAt === null
                ? []
                : [{ id, sendAt: attachment.sendAt }];
            }),
        ),

      move: (tenant, ids, dueAt) =>
        store.write((tables) => {
          for (const [index, id] of ids.entries()) {
            const send = tenantRow(tables, sends, tenant, id);
            if (send?.status === "scheduled")
              tables.put(sends, id, { ...send, dueAt: dueAt[index] ?? send.dueAt });
          }
        }),

      skip: (tenant, campaignId, now) =>
        end(
          tenant,
          campaignId,
          "skipped",
          ({ dueAt, status }) => status === "running" || (status === "scheduled" && dueAt <= now),
        ),

      cancel: (tenant, campaignId, notificationId) =>
        end(
          tenant,
          campaignId,
          "cancelled",
          (send) =>
            (send.status === "running" || send.status === "scheduled") &&
            (notificationId === null || send.notificationId === notificationId),
        ),

      dropBatches: (tenant, sourceIds) =>
        store.write((tables) => {
          for (const [key, { sourceId }] of tables.rows(batches)) {
            if (sourceIds.includes(sourceId) && tenantRow(tables, batches, tenant, key) !== null)
              tables.delete(batches, key);
          }
        }),
    });
  }),
);
