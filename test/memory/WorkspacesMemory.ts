import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { defaultPlan, type PlanPatch } from "../../src/workspaces/Plan.ts";
import type { QuietHours } from "../../src/workspaces/QuietHours.ts";
import type { FrequencyCap } from "../../src/workspaces/Workspace.ts";
import { type WorkspaceRow, WorkspacesRepository } from "../../src/workspaces/WorkspacesRepository.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";

interface StoredWorkspace {
  readonly workspaceId: number;
  readonly id: string;
  readonly name: string;
  readonly timezone: TimeZoneName;
  readonly platformApiEnabled: boolean;
  readonly deletionScheduledAt: number | null;
  readonly trialEnded: boolean;
  readonly userHashRequired: boolean;
  readonly defaultFrequencyCap: FrequencyCap | null;
  readonly quietHours: QuietHours | null;
  readonly maxPerMinute: number | null;
  readonly plan: PlanPatch;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const workspaces = memoryTable<StoredWorkspace>("workspace");

const toRow = (stored: StoredWorkspace): WorkspaceRow => ({
  workspaceId: stored.workspaceId,
  workspace: {
    id: stored.id,
    name: stored.name,
    timezone: stored.timezone,
    platform_api_enabled: stored.platformApiEnabled,
    deletion_scheduled_at: stored.deletionScheduledAt === null ? null : utcText(stored.deletionScheduledAt),
    trial_ended: stored.trialEnded,
    user_hash_required: stored.userHashRequired,
    default_frequency_cap: stored.defaultFrequencyCap,
    quiet_hours: stored.quietHours,
    max_per_minute: stored.maxPerMinute,
    plan: { ...defaultPlan, ...stored.plan },
    created_at: utcText(stored.createdAt),
    updated_at: utcText(stored.updatedAt),
  },
});

/** Workspaces in memory. */
export const workspacesMemory = Layer.effect(
  WorkspacesRepository,
  Effect.map(MemoryStore, (store) =>
    WorkspacesRepository.of({
      insert: ({ name, plan, publicId, timezone }, now) =>
        store.write((tables) =>
          toRow(
            tables.put(workspaces, publicId, {
              workspaceId: store.nextKey("workspace"),
              id: publicId,
              name,
              timezone,
              platformApiEnabled: false,
              deletionScheduledAt: null,
              trialEnded: false,
              userHashRequired: false,
              defaultFrequencyCap: null,
              quietHours: null,
              maxPerMinute: null,
              plan,
              createdAt: now,
              updatedAt: now,
            }),
          ),
        ),

      page: (position) =>
        store.read((tables) =>
          pageOf(
            tables.filter(workspaces, () => true),
            position,
          ).map(toRow),
        ),

      find: (publicId) =>
        store.read((tables) => {
          const found = tables.rows(workspaces).get(publicId);
          return found === undefined ? null : toRow(found);
        }),

      findByKey: (workspaceId) =>
        store.read((tables) => {
          const found = tables.find(workspaces, (row) => row.workspaceId === workspaceId);
          return found === undefined ? null : toRow(found);
        }),

      update: (publicId, patch, now) =>
        store.write((tables) => {
          const found = tables.rows(workspaces).get(publicId);
          if (found === undefined) return null;
          const { default_frequency_cap = found.defaultFrequencyCap, deletion_scheduled } = patch;
          const scheduledAt = deletion_scheduled === true ? (found.deletionScheduledAt ?? now) : null;
          return toRow(
            tables.put(workspaces, publicId, {
              ...found,
              name: patch.name ?? found.name,
              timezone: patch.timezone ?? found.timezone,
              platformApiEnabled: patch.platform_api_enabled ?? found.platformApiEnabled,
              deletionScheduledAt: deletion_scheduled === undefined ? found.deletionScheduledAt : scheduledAt,
              trialEnded: patch.trial_ended ?? found.trialEnded,
              userHashRequired: patch.user_hash_required ?? found.userHashRequired,
              defaultFrequencyCap: default_frequency_cap,
              quietHours: patch.quiet_hours === undefined ? found.quietHours : patch.quiet_hours,
              maxPerMinute: patch.max_per_minute === undefined ? found.maxPerMinute : patch.max_per_minute,
              plan: { ...found.plan, ...patch.plan },
              updatedAt: now,
            }),
          );
        }),

      // Transactions of the store run one after another.
      lock: () => Effect.void,
    }),
  ),
);
