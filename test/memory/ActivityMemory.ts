import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { ActivityEntry } from "../../src/activity/ActivityEntry.ts";
import { ActivityRepository, type NewEntry } from "../../src/activity/ActivityRepository.ts";

interface EntryRow extends NewEntry, TenantKey {}

const entries = memoryTable<EntryRow>("activity");

const toEntry = ({ action, actor, at, changes, id, resource }: EntryRow): ActivityEntry => ({
  id,
  at: utcText(at),
  actor,
  action,
  resource,
  changes,
});

const matches = (filter: string | null, value: string | null): boolean => filter === null || filter === value;

/** The key of a row: an entry of a workspace has the same id in both environments. */
const keyOf = ({ environment, workspaceId }: TenantKey, id: string): string =>
  `${workspaceId}/${environment}/${id}`;

/** Activity in memory. */
export const activityMemory = Layer.effect(
  ActivityRepository,
  Effect.map(MemoryStore, (store) =>
    ActivityRepository.of({
      put: ({ environment, workspaceId }, added) =>
        store.write((tables) => {
          for (const entry of added) {
            const key = keyOf({ workspaceId, environment }, entry.id);
            const known = tables.rows(entries).get(key) ?? { ...entry, workspaceId, environment };
            tables.put(entries, key, { ...known, changes: entry.changes });
          }
        }),

      page: (tenant, position, filters) =>
        store.read((tables) =>
          pageOf(
            tenantRows(tables, entries, tenant).filter(
              ({ action, actor, resource }) =>
                matches(filters.actorType, actor.type) &&
                matches(filters.actorId, actor.id) &&
                matches(filters.resourceType, resource.type) &&
                matches(filters.resourceId, resource.id) &&
                matches(filters.action, action),
            ),
            position,
          ).map(toEntry),
        ),

      prune: (before, limit) =>
        store.write((tables) => {
          const expired = tables
            .filter(entries, ({ at }) => at <= before)
            .toSorted((a, b) => a.at - b.at)
            .slice(0, limit);
          for (const row of expired) tables.delete(entries, keyOf(row, row.id));
          return expired.length;
        }),
    }),
  ),
);
