import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, type MemoryTransaction } from "./MemoryStore.ts";
import type { LocalDate, TimeOfDay } from "../../src/time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../../src/wire/Ids.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { LateChoice, LocalPlan } from "../../src/campaigns/LocalSend.ts";
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
  readonly occurrence: LocalDate | null;
}

interface StoredAttachment extends TenantKey {
  readonly campaignId: CampaignId;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay | null;
  readonly late: LateChoice | null;
  readonly attachedAt: number;
}

const isOpen = ({ status }: StoredSend) => status === "scheduled" || status === "running";

type DateOf = Pick<StoredSend, "campaignId" | "notificationId" | "occurrence">;
const isSameDate = (each: StoredSend, { campaignId, notificationId, occurrence }: DateOf) =>
  each.campaignId === campaignId &&
  each.notificationId === notificationId &&
  each.occurrence === occurrence &&
  each.status !== "cancelled";

const sends = memoryTable<StoredSend>("send");
const batches = memoryTable<TenantKey & { readonly sourceId: bigint }>("send_batch");
const attachments = memoryTable<StoredAttachment>("campaign_notification");
const campaigns = memoryTable<TenantKey & { readonly planAt?: number | null }>("campaign");
const notifications = memoryTable<TenantKey>("notification");

const waitingOf = (tables: MemoryTransaction, tenant: TenantKey, id: CampaignId) =>
  tenantRows(tables, sends, tenant).filter(
    ({ campaignId, status }) => campaignId === id && status === "scheduled",
  );

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
            const planned = { id, campaignId, notificationId, dueAt, local } as const;
            const send = { ...planned, sourceId: null, occurrence: null } as const;
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

      times: (wanted) =>
        store.read((tables) =>
          wanted.flatMap((campaign) =>
            tenantRows(tables, attachments, campaign)
              .filter(({ campaignId }) => campaignId === campaign.campaignId)
              .toSorted((a, b) => a.attachedAt - b.attachedAt)
              .flatMap(({ campaignId, late, notificationId, sendAt }) =>
                sendAt === null ? [] : [{ campaignId, notificationId, sendAt, late }],
              ),
          ),
        ),

      setPlanAt: (tenant, campaignId, planAt) =>
        store.write((tables) => {
          const row = tenantRow(tables, campaigns, tenant, campaignId);
          if (row !== null) tables.put(campaigns, campaignId, { ...row, planAt });
        }),

      waitingOccurrences: (tenant, id) =>
        store.read((tables) =>
          waitingOf(tables, tenant, id).flatMap(({ dueAt, id, local, notificationId, occurrence }) => {
            const { late = null, localAt = null } = local ?? {};
            return occurrence === null ? [] : [{ id, notificationId, occurrence, dueAt, localAt, late }];
          }),
        ),

      addOccurrences: (added) =>
        store.write((tables) => {
          for (const send of added) {
            const isMade = tenantRows(tables, sends, send).some((each) => isSameDate(each, send));
            const stored = { ...send, status: "scheduled", sourceId: null } as const;
            if (!isMade) tables.put(sends, send.id, stored);
          }
        }),

      moveOccurrences: (tenant, removed, moved) =>
        store.write((tables) => {
          for (const id of removed)
            if (tenantRow(tables, sends, tenant, id)?.status === "scheduled") tables.delete(sends, id);
          for (const { dueAt, id, local } of moved) {
            const send = tenantRow(tables, sends, tenant, id);
            if (send?.status === "scheduled") tables.put(sends, id, { ...send, dueAt, local });
          }
        }),

      makeOccurrences: (tenant, id, occurrence) =>
        store.write((tables) => {
          const plain = tenantRows(tables, sends, tenant).filter(
            (send) => send.campaignId === id && send.occurrence === null && isOpen(send),
          );
          for (const send of plain) {
            const isMade = tenantRows(tables, sends, tenant).some((each) =>
              isSameDate(each, { ...send, occurrence }),
            );
            const isScheduled = send.status === "scheduled";
            const isReplaced = plain.some(
              ({ notificationId, status }) =>
                notificationId === send.notificationId && status === "scheduled",
            );
            if (isMade && isScheduled) tables.delete(sends, send.id);
            else if (!isMade && (isScheduled || (send.local !== null && !isReplaced)))
              tables.put(sends, send.id, { ...send, occurrence });
          }
        }),

      dropOccurrences: (tenant, id, kept) =>
        store.write((tables) => {
          for (const send of waitingOf(tables, tenant, id)) {
            if (send.occurrence === kept) tables.put(sends, send.id, { ...send, occurrence: null });
            else if (send.occurrence !== null) tables.delete(sends, send.id);
          }
          const row = tenantRow(tables, campaigns, tenant, id);
          if (row !== null) tables.put(campaigns, id, { ...row, planAt: null });
        }),

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
