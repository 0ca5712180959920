import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable } from "./MemoryStore.ts";
import type { TimeOfDay } from "../../src/time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../../src/wire/Ids.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { LocalPlan } from "../../src/campaigns/LocalSend.ts";
import { SendPlanRepository } from "../../src/campaigns/SendPlanRepository.ts";

/** A send. `sourceId` is set once it has started. */
interface StoredSend extends TenantKey {
  readonly id: string;
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly dueAt: number;
  readonly status: "scheduled" | "running" | "done" | "skipped" | "missed" | "cancelled";
  readonly sourceId: bigint | null;
  readonly local: LocalPlan | null;
}

interface StoredAttachment extends TenantKey {
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay | null;
}

const isOpen = ({ status }: StoredSend) => status === "scheduled" || status === "running";

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
      schedule: (tenant, id, campaignId, notificationId, { dueAt, local }) =>
        store.write((tables) => {
          const { environment, workspaceId } = tenant;
          const open = tenantRows(tables, sends, tenant).filter(
            (send) =>
              send.campaignId === campaignId && send.notificationId === notificationId && isOpen(send),
          );
          const isKept = open.some(
            (send) =>
              local !== null && send.local?.localAt === local.localAt && send.local.late === local.late,
          );
          if (isKept) return [];
          const ended = open.filter((send) => send.status === "running" && send.local !== null);
          for (const send of ended) tables.put(sends, send.id, { ...send, status: "cancelled" });
          const scheduled = open.find(({ status }) => status === "scheduled");
          const isKnown =
            tenantRow(tables, campaigns, tenant, campaignId) !== null &&
            tenantRow(tables, notifications, tenant, notificationId) !== null;
          if (scheduled !== undefined) tables.put(sends, scheduled.id, { ...scheduled, dueAt, local });
          else if (isKnown) {
            const send = { id, campaignId, notificationId, dueAt, local, sourceId: null } as const;
            tables.put(sends, id, { workspaceId, environment, ...send, status: "scheduled" });
          }
          return ended.flatMap(({ sourceId }) => sourceId ?? []);
        }),

      waiting: (tenant, campaignId, now) =>
        store.read((tables) =>
          tenantRows(tables, sends, tenant)
            .filter((send) => send.campaignId === campaignId && send.status === "scheduled")
            .filter(({ dueAt, local }) => dueAt > now || local !== null)
            .flatMap(({ id, local, notificationId }) => {
              const attachment = tables.find(
                attachments,
                (row) => row.campaignId === campaignId && row.notificationId === notificationId,
              );
              return attachment === undefined || attachment.sendAt === null
                ? []
                : [{ id, notificationId, sendAt: attachment.sendAt, late: local?.late ?? null }];
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
          ({ dueAt, local, status }) =>
            status === "running" || (status === "scheduled" && local === null && dueAt <= now),
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
